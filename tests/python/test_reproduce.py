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
