"""Truths written in Python as classes."""

import gc
import warnings
import weakref

import numpy as np
import pytest

import mindgap


def two_places(rewards=(1.0, 0.8)):
    """Action 0 stays and pays, action 1 changes places and pays nothing."""
    stay, change = np.eye(2), np.eye(2)[::-1]
    model = mindgap.Mdp.from_arrays(
        np.stack([stay, change]), [[rewards[0], 0.0], [rewards[1], 0.0]], 0.9, layout="asS", start=[1.0, 0.0]
    )
    return model.with_prior(reward_sd=1.0, transition_strength=5.0).with_variance(0.01)


class Truth:
    """Staying in the first place pays nothing, whatever the simulator says."""

    def reset(self, seed):
        self.place = 0
        return 0

    def step(self, action):
        if action == 1:
            self.place = 1 - self.place
            return 0.0, self.place
        return [0.0, 0.8][self.place], self.place


ASKED = {"simulator": two_places(), "planners": ["sop", "asop"], "trials": 3, "units": 2, "horizons": [4, 10]}


def test_hand_derived_values():
    found = mindgap.compare(world=Truth, oracle=[1, 0], reference="sop", **ASKED)
    # The SOP stays in the first place and gets nothing. The best changes at step 0: then 0.8 a step for 2
    # units.
    assert found.planners == ["sop", "asop", "oracle"]
    assert found.value[:, 0].tolist() == [[0, 0]] * 3
    assert np.allclose(found.value[:, 2], [[2 * 3 * 0.8, 2 * 9 * 0.8]] * 3)
    # A-SOP looks at steps 0 and 5: it stays for five steps, changes at step 5, then 0.8 a step for four.
    assert np.allclose(found.value[:, 1], [[0, 2 * 4 * 0.8]] * 3)
    row = found.to_frame().query("planner == 'asop' and horizon == 10").iloc[0]
    assert row["percent_of_oracle"] == pytest.approx(100 * 4 / 9)
    assert "Truth: 3 trials from 0, seed 42" in str(found)


def test_moves_that_the_simulator_calls_impossible_are_counted():
    class Stuck(Truth):
        """No action changes places."""

        def step(self, action):
            return [0.0, 0.8][self.place], self.place

    class Leave:
        def __init__(self, setting):
            pass

        def choose(self, step, states):
            return np.ones(len(states), dtype=int)

    asked = {**ASKED, "planners": {"leave": Leave, "sop-fixed": "sop-fixed"}, "reference": "sop-fixed"}
    # 3 trials x 2 units x 10 steps each: all moves of the first planner are impossible, none of the second's.
    with pytest.warns(UserWarning, match=r"60 of 120 moves in this world \(50 %\)"):
        mindgap.compare(world=Stuck, **asked)


def test_without_an_oracle_there_are_no_shares_of_it():
    found = mindgap.compare(world=Truth, reference="sop", **ASKED)
    frame = found.to_frame()
    assert found.planners == ["sop", "asop"]
    assert frame["percent_of_oracle"].isna().all() and frame["difference"].isna().all()
    assert frame["mean_difference"].tolist() == pytest.approx([0, 0, 0, 6.4])
    text = str(found)
    assert "nan" not in text and "in the same unit" in text and "+6.4" in text
    assert "% of oracle is" not in text


def test_oracles_of_every_kind_are_the_same():
    class Planner:
        def __init__(self, setting):
            pass

        def choose(self, step, states):
            return np.where(states == 0, 1, 0)

    truth = two_places(rewards=(0.0, 0.8))
    values = [
        mindgap.compare(world=Truth, oracle=oracle, **ASKED).value for oracle in ([1, 0], truth, Planner)
    ]
    assert np.array_equal(values[0], values[1]) and np.array_equal(values[0], values[2])


class Walk:
    """A random walk on two places, all luck from the seed."""

    def reset(self, seed):
        self.generator = np.random.default_rng(seed)
        self.place = int(self.generator.integers(2))
        return self.place

    def step(self, action):
        reward = float(self.generator.normal() + (action == self.place))
        self.place = int(self.generator.integers(2))
        return reward, self.place


@pytest.mark.filterwarnings("ignore:.*calls impossible:UserWarning")
def test_results_do_not_depend_on_threads_and_luck_is_shared():
    asked = {**ASKED, "planners": ["sop", "thompson", "fisher"], "trials": 6, "horizons": 20}
    one, many = (mindgap.compare(world=Walk, threads=threads, **asked) for threads in (1, 4))
    assert np.array_equal(one.value, many.value)
    alone = mindgap.compare(world=Walk, **{**asked, "planners": ["fisher"]})
    assert np.array_equal(alone.value[:, 0], one.value[:, 2])
    later = mindgap.compare(world=Walk, first_trial=2, **{**asked, "trials": 2})
    assert np.array_equal(later.value, one.value[2:4])
    assert len(np.unique(one.value[:, 0])) == 6  # trials differ
    assert not np.array_equal(mindgap.compare(world=Walk, seed=1, **asked).value, one.value)


def test_seeds_of_units_are_their_own_and_the_same_for_all_planners():
    seen = []

    class Noted(Truth):
        def reset(self, seed):
            seen.append(seed)
            return super().reset(seed)

    mindgap.compare(world=Noted, threads=1, **ASKED)
    del seen[:4]  # two units of a trial that is played twice beforehand
    assert len(seen) == 12 and len(set(seen)) == 6  # 3 trials, 2 planners, 2 units
    assert all(0 <= seed < 2**32 for seed in seen)
    assert seen[0:2] == seen[2:4]  # the planners of trial 0


def test_states_may_be_named():
    model = mindgap.Mdp.from_arrays(
        np.stack([np.eye(2), np.eye(2)[::-1]]), np.eye(2), 0.9, layout="asS", state_names=["here", "there"]
    )
    model = model.with_prior(reward_sd=1.0, transition_strength=5.0).with_variance(0.01)

    class Named(Truth):
        def reset(self, seed):
            return "there" if super().reset(seed) else "here"

        def step(self, action):
            reward, place = super().step(action)
            return np.float32(reward), "there" if place else "here"

    named = mindgap.compare(world=Named, **{**ASKED, "simulator": model})
    numbered = mindgap.compare(world=Truth, **{**ASKED, "simulator": model})
    assert np.allclose(named.value, numbered.value, rtol=1e-6)


class Breaks(Truth):
    """Raises in every other trial, at the third step."""

    def reset(self, seed):
        self.steps = 0
        self.bad = seed % 2 == 0
        return super().reset(seed)

    def step(self, action):
        self.steps += 1
        if self.bad and self.steps == 3:
            raise ZeroDivisionError("the field is flooded")
        return super().step(action)


@pytest.mark.parametrize("threads", [1, 3])
def test_a_world_that_raises_costs_its_trial_only(threads):
    asked = {**ASKED, "units": 1, "trials": 12, "threads": threads}
    with pytest.warns(
        UserWarning, match="left out of the comparison: trial .*the field is flooded"
    ) as warned:
        found = mindgap.compare(world=Breaks, **asked)
    failed = [failure.trial for failure in found.failures]
    assert failed and found.trials == [trial for trial in range(12) if trial not in failed]
    assert len(warned) == len(failed)
    whole = mindgap.compare(world=Truth, **asked)
    assert np.array_equal(found.value, whole.value[found.trials])  # the others are what they would have been
    first = found.failures[0]
    assert first.step == 2 and first.unit == 0 and first.planner == "sop" and first.seed % 2 == 0
    assert first.message == "ZeroDivisionError: the field is flooded"
    assert "Traceback" in first.traceback and "test_worlds.py" in first.traceback
    assert f"left out: trial {first.trial}, planner sop, unit 0 (seed {first.seed}) at step 2" in str(found)
    assert found.to_dict()["failures"][0]["trial"] == first.trial
    said = f"{12 - len(failed)} of 12 trials from 0 ({len(failed)} failed), seed 42"
    assert said in str(found).splitlines()[0] and said in repr(found) and said in found._repr_html_()
    assert "12 trials from 0, seed 42" in str(whole)
    world = Breaks()  # the seed is enough to see it again
    world.reset(first.seed)
    with pytest.raises(ZeroDivisionError):
        [world.step(0) for _ in range(3)]


def test_a_world_that_always_raises():
    class Never(Truth):
        def reset(self, seed):
            raise RuntimeError("closed")

    with pytest.raises(
        mindgap.WorldError,
        match="(?s)failed in all 3 trials; the first: trial 0, .*RuntimeError: closed.*Traceback",
    ):
        mindgap.compare(world=Never, **ASKED)


class Unsure:
    def __index__(self):
        raise ValueError("which one")


class Unprintable(Exception):
    def __str__(self):
        raise ValueError("no words")

    __repr__ = __str__


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (ValueError("caf\udce9"), "ValueError: caf\\udce9"),
        (Unprintable(), "Unprintable: <Unprintable that cannot be printed>"),
        (ValueError("a\0b"), "ValueError: a\0b"),
    ],
)
@pytest.mark.parametrize("threads", [1, 2])
def test_whatever_a_world_raises_costs_its_trial_only(error, message, threads):
    class Odd(Truth):
        def reset(self, seed):
            if seed % 2 == 0:
                raise error
            return super().reset(seed)

    with pytest.warns(UserWarning, match="left out of the comparison"):
        found = mindgap.compare(world=Odd, **{**ASKED, "units": 1, "trials": 12, "threads": threads})
    assert found.trials and found.failures
    assert {failure.message for failure in found.failures} == {message}
    assert all("Traceback" in f.traceback and "test_worlds.py" in f.traceback for f in found.failures)


@pytest.mark.parametrize(
    ("answer", "match"),
    [
        (None, "expected a pair \\(reward, next state\\)"),
        ((1.0,), "a pair"),
        ((1.0, 0, False, False, {}), "a pair"),
        ((1.0, 2), "the state is 2, but must be a number from 0 to 1"),
        ((1.0, -1), "the state is -1"),
        ((1.0, 0.5), "the state is 0.5"),
        ((1.0, "nowhere"), "the state is 'nowhere'"),
        ((float("nan"), 0), "reward is nan"),
        (("much", 0), "TypeError"),
        ((1.0, 10**30), "the state is 1000"),
        ((1.0, np.array([1])), "the state is array\\(\\[1\\]\\), but must be a number from 0 to 1"),
        ((1.0, "caf\udce9"), "the state is .*udce9"),
        ((1.0, Unsure()), "ValueError: which one"),
        ((1.0, Unprintable()), "the state is .*Unprintable that cannot be printed"),
        (Unprintable(), "Unprintable that cannot be printed.* came back"),
    ],
)
def test_answers_that_are_none(answer, match):
    class Odd(Truth):
        def step(self, action):
            return answer

    with pytest.raises(mindgap.WorldError, match=match):
        mindgap.compare(world=Odd, **ASKED)


@pytest.mark.parametrize("what", [KeyboardInterrupt, SystemExit])
def test_what_is_meant_to_end_the_program_does(what):
    class Ends(Truth):
        def step(self, action):
            raise what

    with pytest.raises(what):
        mindgap.compare(world=Ends, threads=2, **ASKED)


@pytest.mark.parametrize(
    ("asked", "match"),
    [
        ({"simulator": None}, "needs the model"),
        ({"world": 3}, "must be a class or a function"),
        ({"world": object}, "has no reset"),
        ({"case": "treasure"}, "takes no case 'treasure'"),
        ({"colour": "red"}, "takes no option 'colour'"),
        ({"out": "somewhere"}, "out: "),
        ({"oracle": [0]}, "1 actions came, but the simulator has 2 states"),
        ({"oracle": [0, 2]}, "oracle: action 2 in state 1"),
        ({"oracle": [0.5, 0.5]}, "oracle: expected whole numbers"),
        (
            {"oracle": mindgap.Mdp.from_arrays([[[1.0]]], [[0.0]], 0.9, layout="asS")},
            "oracle: its states and actions",
        ),
        ({"simulator": two_places().with_prior()}, "states no prior"),
        ({"units": 10**7}, "units is"),
        ({"planners": {"oracle": Truth}, "oracle": [1, 0]}, "oracle: there is one among the planners"),
    ],
)
def test_bad_arguments_are_refused(asked, match):
    with pytest.raises(mindgap.InvalidArgument, match=match):
        mindgap.compare(**{**ASKED, "world": Truth, **asked})


def test_a_simulator_without_a_variance_is_refused():
    bare = mindgap.Mdp.from_arrays(np.stack([np.eye(2)] * 2), np.eye(2), 0.9, layout="asS").with_prior(
        reward_sd=1.0
    )
    with pytest.raises(mindgap.InvalidArgument, match=r"variance of one observed .*Mdp.with_variance\(\)"):
        mindgap.compare(world=Truth, **{**ASKED, "simulator": bare})


def test_worlds_and_planners_are_let_go():
    alive = weakref.WeakSet()

    class Kept(Truth):
        def __init__(self):
            alive.add(self)

    class Planner:
        def __init__(self, setting):
            alive.add(self)

        def choose(self, step, states):
            return np.zeros(len(states), dtype=int)

    mindgap.compare(world=Kept, **{**ASKED, "planners": ["asop", Planner]})
    gc.collect()
    assert len(alive) == 0


def test_no_warnings_where_nothing_fails():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mindgap.compare(world=Truth, **ASKED)
