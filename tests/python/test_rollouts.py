"""Plans followed in a program that has no table."""

import csv
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pytest

import mindgap

UNKNOWN = {"demand": mindgap.Normal(10, 2), "margin": mindgap.Uniform(1, 3)}


def shop(theta, stock, rng):
    """Thirty days of a shop that sells at most its stock; the first five days' sales are what a trial would show."""
    demand = rng.poisson(max(theta["demand"], 0), 30)
    sold = np.minimum(demand, stock)
    return theta["margin"] * sold.sum() - 0.5 * 30 * stock, {"sales": sold[:5].mean()}


def test_worth_of_plans_with_the_same_luck():
    found = mindgap.rollouts(shop, UNKNOWN, {"small": 5, "large": 12}, worlds=400)
    assert found.values.shape == (400, 2) and len(found) == 400 and found.plans == ["small", "large"]
    assert found.best == "large"
    # A Latin hypercube: one draw in every four-hundredth of the probability.
    assert sorted(np.floor((found.parameters["margin"] - 1) / 2 * 400)) == list(range(400))
    # E worth = margin x E min(demand, stock) x 30 - cost; of the small shop, which nearly always sells out, by hand.
    assert found.values[:, 0].mean() == pytest.approx(2 * 5 * 30 - 75, rel=0.03)
    # The same luck: a shop with as much stock earns the same to the digit.
    same = mindgap.rollouts(shop, UNKNOWN, {"a": 9, "b": 9}, worlds=20)
    assert np.array_equal(same.values[:, 0], same.values[:, 1])
    assert set(found.data) == {"small.sales", "large.sales"}
    assert "2 plans in 400 sampled models" in repr(found) and "large" in str(found)


def test_the_result_does_not_depend_on_the_executor():
    alone = mindgap.rollouts(shop, UNKNOWN, {"small": 5, "large": 12}, worlds=130)
    with ThreadPoolExecutor(3) as threads, ProcessPoolExecutor(2) as processes:
        for executor in (threads, processes):
            other = mindgap.rollouts(shop, UNKNOWN, {"small": 5, "large": 12}, worlds=130, executor=executor)
            assert np.array_equal(alone.values, other.values)
            assert all(np.array_equal(alone.columns[name], other.columns[name]) for name in alone.columns)
    assert not np.array_equal(alone.values, mindgap.rollouts(shop, UNKNOWN, {"small": 5, "large": 12}, worlds=130, seed=7).values)


def test_the_table(tmp_path):
    found = mindgap.rollouts(shop, UNKNOWN, {"small, cheap": 5, "large": 12}, worlds=7)
    frame = found.to_frame()
    assert list(frame) == ["demand", "margin", "small, cheap", "large", "small, cheap.sales", "large.sales"]
    found.write(tmp_path / "draws.csv")
    with open(tmp_path / "draws.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [float(row["large"]) for row in rows] == found.values[:, 1].tolist()
    with pytest.raises(mindgap.StoreError, match="cannot write"):
        found.write(tmp_path / "nowhere" / "draws.csv")


def test_draws_of_ones_own():
    def worth(theta, plan, rng):
        return theta["x"]

    table = {"x": [1.0, 2.0, 3.0]}
    assert mindgap.rollouts(worth, table, ["a"]).values[:, 0].tolist() == [1, 2, 3]
    weighed = mindgap.rollouts(worth, {**table, "weight": [0.5, 0.5, 0.0]}, ["a"], worlds=100).values[:, 0]
    assert (weighed == 1).sum() == 50 and (weighed == 2).sum() == 50
    assert len(mindgap.rollouts(worth, {"x": mindgap.Uniform(0, 1)}, ["a"])) == 1000


def gives(what):
    return lambda theta, plan, rng: what


def broken(theta, plan, rng):
    raise ZeroDivisionError("no demand")


@pytest.mark.parametrize(
    ("simulate", "plans", "said"),
    [
        (broken, ["a"], r"plan 'a' in sampled model 0, \{'x': .*\}, raised ZeroDivisionError: no demand"),
        (gives(float("nan")), ["a"], "gave nan, but must give finite numbers"),
        (gives("much"), ["a"], "gave 'much', but must give the plan's worth"),
        (gives((1, 2)), ["a"], "with data a dict of numbers"),
        (gives((1, {"d": float("inf")})), ["a"], "gave the data 'd', inf"),
        (gives(1), [], "plans is empty"),
        (gives(1), ["a", "a"], "'a' is there twice"),
        (gives(1), "a", "must be a list of names or a dict"),
        (gives(1), ["x"], "'x' is both a plan and a parameter"),
        (3, ["a"], "simulate must be a function"),
    ],
)
def test_bad_input_is_named(simulate, plans, said):
    with pytest.raises(mindgap.InvalidArgument, match=said):
        mindgap.rollouts(simulate, {"x": mindgap.Uniform(0, 1)}, plans, worlds=3)


def test_data_must_be_the_same_in_all_worlds():
    def odd(theta, plan, rng):
        return 1, {"d": 1} if theta["x"] < 0.5 else {}

    with pytest.raises(mindgap.InvalidArgument, match=r"gave the data 'a\.d' in one of the sampled models 0 and \d+, but not"):
        mindgap.rollouts(odd, {"x": mindgap.Uniform(0, 1)}, ["a"], worlds=20)
    with pytest.raises(mindgap.InvalidArgument, match="wants parameters"):
        mindgap.rollouts(odd, {}, ["a"])
