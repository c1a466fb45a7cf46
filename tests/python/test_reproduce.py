"""reproduce() against the command line."""

import pytest

import mindgap
from program import command_line


@pytest.mark.parametrize("name", ["lock"])
def test_reproduce_says_what_the_command_line_says(name):
    found = mindgap.reproduce(name, trials=20, seed=3)
    assert [found.to_dict()] == command_line("reproduce", name, "--trials", 20, "--seed", 3)
    frame = found.to_frame()
    assert list(frame["what"]) == [line["what"] for line in found.to_dict()["lines"]]
    assert list(frame["ours"]) == [line["ours"] for line in found.to_dict()["lines"]]
    assert found.title in str(found) and found.name == name
    assert "<table" in found._repr_html_()


def test_artefacts_are_listed_and_others_refused():
    assert "lock" in mindgap.artefacts()
    with pytest.raises(mindgap.InvalidArgument, match="lock"):
        mindgap.reproduce("lok")
    with pytest.raises(mindgap.InvalidArgument, match="trials is 1"):
        mindgap.reproduce("lock", trials=1)


def test_a_reproduction_is_written_as_the_command_line_writes_it(tmp_path):
    words = ["reproduce", "lock", "--trials", 20, "--seed", 3]
    command_line(*words, "--out", tmp_path / "there", "--report", tmp_path / "there.html")
    found = mindgap.reproduce("lock", trials=20, seed=3)
    found.write(tmp_path / "a folder" / "here")
    found.report(str(tmp_path / "here.html"))

    def files(folder):
        return {path.name: path.read_bytes() for path in folder.iterdir()}

    assert files(tmp_path / "a folder" / "here") == files(tmp_path / "there")
    assert "tables.md" in files(tmp_path / "there") and len(files(tmp_path / "there")) > 1
    here, there = ((tmp_path / name).read_text() for name in ("here.html", "there.html"))
    made = "Made by: mindgap.reproduce(&quot;lock&quot;, trials=20, seed=3)"
    assert made in here
    assert here.partition("Made by:")[0] == there.partition("Made by:")[0]
    (tmp_path / "file").write_text("")
    with pytest.raises(mindgap.StoreError, match="file"):
        found.write(tmp_path / "file")
