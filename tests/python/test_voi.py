"""voi() against the command line and a closed form."""

import math

import numpy as np
import pytest

import mindgap
from program import command_line, run


def linear(draws, seed=0):
    """Two plans, worth 0 and x1 + x2; x1 ~ N(.3, 1), x2 ~ N(0, .49)."""
    random = np.random.default_rng(seed)
    x1, x2 = 0.3 + random.normal(size=draws), 0.7 * random.normal(size=draws)
    return {"x1": x1, "x2": x2, "none": np.zeros(draws), "act": x1 + x2}


def closed_form(sd, mean=0.3):
    z = mean / sd
    cdf = 0.5 * math.erfc(-z / math.sqrt(2))
    return sd * math.exp(-z * z / 2) / math.sqrt(2 * math.pi) + mean * cdf - mean


def test_voi_says_what_the_command_line_says(tmp_path, like_the_command_line):
    table = linear(500)
    path = tmp_path / "draws.csv"
    names = list(table)
    rows = [",".join(map(repr, row)) for row in zip(*(table[name].tolist() for name in names))]
    path.write_text("\n".join([",".join(names), *rows]) + "\n")
    found = mindgap.voi(path, plans=["none", "act"], about=["x1", ["x1", "x2"]], data="x2", cost=0.1)
    words = ("voi", path, "--plans", "none,act", "--about", "x1", "--about", "x1,x2", "--data", "x2", "--cost", "0.1")
    said = command_line(*words)
    assert found.to_dict() == said
    assert str(found) == run(*words).stdout
    assert mindgap.voi(table, plans="none,act", about=["x1", "x1,x2"], data=["x2"], cost=[0.1]).to_dict() == said
    assert found.best == "act"
    assert (found.evpi, found.evpi_se) == (said["evpi"], said["evpi_se"])
    assert (found.evppi, found.evsi, found.enbs) == (said["evppi"], said["evsi"], said["enbs"])
    frame = found.to_frame()
    assert list(frame["about"]) == ["x1", "x1, x2", "x2"]
    assert list(frame["kind"]) == ["evppi", "evppi", "evsi"]
    assert frame["enbs"].isna().tolist() == [True, True, False]


def test_voi_agrees_with_the_closed_form():
    found = mindgap.voi(linear(20_000), plans=["none", "act"], about=["x1", "x2"])
    for part, sd in zip(found.evppi, (1, 0.7)):
        assert abs(part["cross_fitted"] - closed_form(sd)) < 4.5 * part["se"]
        assert part["plug_in"] >= part["cross_fitted"]
    assert abs(found.evpi - closed_form(math.sqrt(1.49))) < 4.5 * found.evpi_se


def test_bad_tables_and_arguments():
    table = linear(100)
    with pytest.raises(mindgap.InvalidArgument, match="one plan"):
        mindgap.voi(table, plans=["act"])
    with pytest.raises(mindgap.InvalidArgument, match="plans must be names"):
        mindgap.voi(table, plans=3)
    with pytest.raises(mindgap.InvalidArgument, match="about: the name of a column"):
        mindgap.voi(table, plans="none,act", about=[[1]])
    with pytest.raises(mindgap.InvalidModel, match="no column 'x3'"):
        mindgap.voi(table, plans="none,act", about="x3")
    table["x1"][7] = np.nan
    with pytest.raises(mindgap.InvalidModel, match="frame, row 7: the number in column 'x1' is empty"):
        mindgap.voi(table, plans="none,act", about="x1")
    with pytest.raises(mindgap.InvalidArgument, match="is None"):
        mindgap.voi(None, plans="none,act")
