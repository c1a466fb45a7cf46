"""What every result can do: Arrow, frames, notebooks."""

import copy
import gc
import pickle
import xml.etree.ElementTree

import numpy as np
import pandas
import pyarrow
import pytest

import mindgap
from program import COVERAGE, PILOT, VANS


@pytest.fixture(scope="module")
def results():
    return {
        "check": mindgap.check(VANS),
        "solve": mindgap.solve(VANS),
        "solve for 5 steps": mindgap.solve(VANS, horizon=5),
        "diagnose": mindgap.diagnose(VANS, coverage=COVERAGE, log=PILOT, draws=5),
        "design": mindgap.design(VANS, units=2, steps=5),
        "decide": mindgap.decide(VANS, units=2, horizon=10, worlds=8, plans=["sop", "asop", "pilot-2x3"]),
    }


def plain(values):
    """With None for what is missing."""
    return [None if value is None or value is pandas.NA or value != value else value for value in values]


def test_arrow_and_pandas_have_the_same_columns(results):
    for name, result in results.items():
        arrow = pyarrow.table(result)
        frame = result.to_frame()
        assert arrow.num_rows == len(frame) > 0, name
        assert arrow.column_names == list(frame.columns), name
        arrow.validate(full=True)
        for column in frame.columns:
            assert plain(frame[column].tolist()) == plain(arrow[column].to_pylist()), (name, column)


def test_arrow_outlives_the_result_and_is_let_go():
    made = pyarrow.table(mindgap.diagnose(VANS, log=PILOT, draws=0))
    gc.collect()
    made.validate(full=True)
    assert made["flagged"].null_count > 0 and made["flagged"].type == pyarrow.bool_()
    solution = mindgap.solve(VANS)
    for _ in range(100):
        solution.__arrow_c_stream__()  # nobody takes it
        pyarrow.table(solution).slice(3).combine_chunks()
    reader = pyarrow.RecordBatchReader.from_stream(solution)
    assert sum(batch.num_rows for batch in reader) == solution.model.states


def test_results_go_in_where_tables_do():
    counts = mindgap.design(VANS, units=2, steps=5).to_frame()[["state", "action", "expected"]]
    counts = counts.rename(columns={"expected": "count"})
    arrow = pyarrow.Table.from_pandas(counts, preserve_index=False)
    assert mindgap.diagnose(VANS, coverage=arrow, draws=0).to_dict()["prior_source"] == "coverage"


def test_names_of_any_kind_are_kept():
    names = ["é", "漢字", "x" * 300]
    model = mindgap.Mdp.from_arrays(np.eye(3)[None], np.ones(3), 0.5, state_names=names, layout="asS")
    found = mindgap.solve(model)
    assert found.to_frame()["state"].tolist() == names
    assert pyarrow.table(found)["state"].to_pylist() == names


def test_results_print_themselves(results):
    for result in results.values():
        assert "Mobile testing vans" in str(result)
        assert isinstance(result.to_dict(), dict)


def test_notebooks(results):
    for name, result in results.items():
        html = result._repr_html_()
        assert html.startswith("<style>") and html.endswith("</div>")
        assert "Mobile testing vans" in html or name == "decide"
        assert ("<img" in html) == (not name.startswith(("check", "solve")))
        assert len(html) < 300_000, f"{name}: {len(html)}"
        assert "<script" not in html and "<iframe" not in html
        for image in html.split("<img ")[1:]:  # nothing is asked from anywhere, and everything has words
            assert 'src="data:image/svg+xml;base64,' in image and not image.startswith('alt=""')


def test_names_are_escaped_in_notebooks():
    model = mindgap.read_model(VANS).with_name("<script>alert(1)</script>")
    for result in (mindgap.solve(model), mindgap.design(model, units=1, steps=3)):
        assert "<script>alert" not in result._repr_html_()


def test_results_are_written_as_pages(results, tmp_path):
    compared = mindgap.compare("fork", planners=["sop", "asop"], trials=3)
    for result in (results["diagnose"], results["design"], results["decide"], compared):
        result.report(tmp_path / "page.html")
        page = (tmp_path / "page.html").read_text()
        assert page.startswith("<!doctype html>") and "<svg" in page and "<script" not in page


def test_pictures_are_whole_without_a_browser(results):
    for name, result in results.items():
        for title, _, description, svg in result._core._notebook()[1]:
            root = xml.etree.ElementTree.fromstring(svg)
            assert root.tag == "{http://www.w3.org/2000/svg}svg" and root.get("role") == "img", name
            assert title in "".join(root.itertext()) and description in "".join(root.itertext()), name
            marks = [each for each in root.iter() if each.tag.rpartition("}")[2] in ("path", "rect", "circle")]
            assert len(marks) > 2, (name, title)


def test_frames_want_pandas(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(mindgap.Error, match="the package pandas, which is missing"):
        mindgap.solve(VANS).to_frame()
    assert np.isfinite(mindgap.solve(VANS).value).all()


def test_repr_is_one_line_with_the_main_thing(results):
    for name, result in results.items():
        said = repr(result)
        assert said.startswith(f"<mindgap.{type(result).__name__}: ") and said.endswith(">"), name
        assert len(said.splitlines()) == 1 and "object at" not in said, said
    assert "8" in repr(results["solve"]).partition("value ")[2][:2]
    assert results["decide"].headline in repr(results["decide"])


def test_results_are_copied_as_themselves_and_not_pickled(results):
    for name, result in results.items():
        assert copy.copy(result) is result and copy.deepcopy([result])[0] is result, name
        with pytest.raises(TypeError, match=f"a {type(result).__name__} cannot be pickled: keep its to_dict"):
            pickle.dumps(result)
