"""Worlds whose luck does not come from their seed are refused."""

import random
import warnings

import numpy as np
import pytest

import mindgap


def model():
    stay, change = np.eye(2), np.eye(2)[::-1]
    found = mindgap.Mdp.from_arrays(
        np.stack([stay, change]), [[1.0, 0.0], [0.8, 0.0]], 0.9, layout="asS", start=[1.0, 0.0]
    )
    return found.with_prior(reward_sd=1.0, transition_strength=5.0).with_variance(1.0)


class Place:
    """Action 1 changes places; rewards are noisy."""

    def reset(self, seed):
        self.rng = np.random.default_rng(seed)
        self.place = 0
        return 0

    def noise(self):
        return self.rng.normal()

    def step(self, action):
        self.place = 1 - self.place if action == 1 else self.place
        return [1.0, 0.8][self.place] + self.noise(), self.place


class FromNumpy(Place):
    def noise(self):
        return np.random.normal()


class FromRandom(Place):
    def noise(self):
        return random.gauss(0, 1)


class SeedsTheShared(Place):
    """Right by itself, wrong as soon as units or threads take turns."""

    def reset(self, seed):
        np.random.seed(seed)
        return super().reset(seed)

    def noise(self):
        return np.random.normal()


class DrawsForNothing(Place):
    def noise(self):
        np.random.normal()
        return self.rng.normal()


class LateStart(Place):
    def reset(self, seed):
        super().reset(seed)
        self.place = int(np.random.randint(2))
        return self.place


ASKED = {"simulator": model(), "planners": ["sop", "asop"], "trials": 2, "units": 3, "horizons": 8, "reference": "sop"}


@pytest.mark.parametrize("world", [FromNumpy, FromRandom, SeedsTheShared])
@pytest.mark.parametrize("units", [1, 3])
def test_shared_generators_are_refused(world, units):
    with pytest.raises(mindgap.InvalidArgument) as refused:
        mindgap.compare(world=world, **{**ASKED, "units": units})
    said = str(refused.value)
    assert f"world {world.__name__}: the same trial played twice" in said
    assert "differs at step " in said and "(reward, next state)" in said
    assert "draw from a generator made of the seed that reset is handed" in said


def test_a_reset_that_draws_from_a_shared_generator_is_refused():
    np.random.seed(3)
    with warnings.catch_warnings(), pytest.raises(mindgap.InvalidArgument, match="differs at"):
        warnings.simplefilter("ignore")
        for _ in range(8):  # two places: chance may hide it once
            mindgap.compare(world=LateStart, **ASKED)
            np.random.random(3)


def test_good_worlds_are_left_alone():
    np.random.seed(5)
    random.seed(5)
    before = np.random.get_state()[1].tolist(), random.getstate()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = mindgap.compare(world=Place, **ASKED)
    assert found.value.shape == (2, 2, 1)
    assert (np.random.get_state()[1].tolist(), random.getstate()) == before


def test_where_it_cannot_be_told_it_is_a_warning():
    with pytest.warns(UserWarning, match="draws from numpy.random.*cannot be told"):
        mindgap.compare(world=DrawsForNothing, **ASKED)


@pytest.mark.parametrize("units, horizon", [(1, 40), (2, 10), (5, 20), (40, 30)])
def test_it_costs_one_trial_at_most(units, horizon):
    steps = []

    class Counting(Place):
        def step(self, action):
            steps.append(action)
            return super().step(action)

    mindgap.compare(
        world=Counting, simulator=model(), planners=["sop"], reference="sop", trials=1, units=units, horizons=horizon
    )
    assert len(steps) <= 2 * units * horizon


def test_a_world_that_raises_is_reported_as_ever():
    class Broken(Place):
        def step(self, action):
            raise ValueError("no such place")

    with pytest.raises(mindgap.WorldError, match="no such place"):
        mindgap.compare(world=Broken, **ASKED)


@pytest.mark.filterwarnings("ignore:.*calls impossible:UserWarning")
def test_an_unknown_state_names_the_remedy():
    class Far(Place):
        def step(self, action):
            return 0.0, "moon"

    named = mindgap.Mdp.from_arrays(
        np.stack([np.eye(2)] * 2), np.zeros((2, 2)), 0.9, layout="asS", state_names=["a", "b"]
    )
    named = named.with_prior(reward_sd=1, transition_strength=1).with_variance(1.0)
    step = mindgap.worlds.from_function(lambda s, a, rng: (0.0, "moon"), simulator=named, start="a")
    with pytest.raises(mindgap.WorldError, match=r"never seen.*with_states\(\['moon'\]\)"):
        mindgap.compare(world=step, **{**ASKED, "simulator": named})
    wider = named.with_states(["moon"])
    found = mindgap.compare(
        world=mindgap.worlds.from_function(lambda s, a, rng: (0.0, "moon"), simulator=wider, start="a"),
        **{**ASKED, "simulator": wider},
    )
    assert found.value.shape == (2, 2, 1)
