"""stateless(), and what diagnose() and design() tell beside their numbers, against the command line."""

import pytest

import mindgap
from program import COVERAGE, VANS, command_line, run


def test_stateless_says_what_the_command_line_says():
    words = ("stateless", "--units", "100", "--lead", "0.5", "--sd", "1", "--variance", "1")
    found = mindgap.stateless(units=100, lead=0.5, sd=1, variance=1)
    assert found.to_dict() == command_line(*words)
    assert str(found) == run(*words).stdout
    assert (found.verdict, found.best_units) == ("experiment", 14)
    assert found.value == pytest.approx(12.191150, abs=1e-6)
    assert list(found.to_frame()["best_units"]) == [14]


def test_several_actions():
    words = ("stateless", "--units", "1000", "--means", "0.5,0", "--sds", "0,1", "--variance", "100")
    found = mindgap.stateless(units=1000, means=[0.5, 0], sds=[0, 1], variance=100)
    assert found.to_dict() == command_line(*words)
    assert sum(found.best_units) == 1000
    assert list(found.to_frame()["action"]) == ["1", "2"]
    with pytest.raises(mindgap.InvalidArgument, match="give either lead and sd"):
        mindgap.stateless(units=10, variance=1)


def test_checks_navigation_and_sizes():
    model = mindgap.read_model(VANS)
    coverage = COVERAGE
    checks = mindgap.diagnose(model, coverage=coverage, draws=20).checks
    assert checks["delta_method"]["draws"] == 20
    assert not checks["positivity"]["holds"]
    made = mindgap.design(
        model, units=4, steps=12, coverage=coverage, target="ensemble:16", navigation=True, bottleneck=["zone-2-4"],
        sizes=True, size_units=[2, 4], size_steps=[6, 12], remove=0.3,
    )
    assert len(made.navigation["goals"]) == 4
    assert made.navigation["bound"] >= made.navigation["excess"]
    assert len(made.sizes["grid"]) == 4
    plain = mindgap.design(model, units=4, steps=12, coverage=coverage, target="ensemble:16", keep_rates=0.9)
    assert plain.navigation is None and plain.sizes is None
    assert plain.to_dict()["share_by_group"]["A"] >= 0.9 - 1e-6
