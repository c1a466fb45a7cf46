"""Models go to other processes, and are equal, copied and hashed by what they are."""

import copy
import multiprocessing
import pickle

import numpy as np
import pytest

import mindgap
from mindgap import Mdp
from program import VANS


def stated():
    """A model with everything stated that there is."""
    model = Mdp.from_arrays(
        np.full((2, 3, 3), 1 / 3),
        [[0.1, 1.0], [0.0, -2.0], [3.0, 4.0]],
        0.9,
        start={"b": 1.0},
        state_names=["a", "b", "ü, \"c\""],
        action_names=["go", "stay"],
        groups=["left", None, "right"],
        coordinates=[[0, 0], [1, 0], [0, 2.5]],
        reward_max=7.0,
        name="all of it",
    )
    model = model.with_prior(reward_sd=[1, 2, 3], transition_strength=4.0, odds=1.5, drift_sd=0.1)
    return model.with_variance(np.arange(6) + 0.5).with_coverage(np.arange(6))


def plain():
    return Mdp.from_arrays([[[1.0]]], [[0.0]], 0.9)


@pytest.mark.parametrize("make", [stated, plain, lambda: mindgap.read_model(VANS)])
@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_pickled_models_are_the_same_bit_for_bit(make, protocol):
    model = make()
    again = pickle.loads(pickle.dumps(model, protocol))
    assert again == model and again is not model
    assert again.probability.tobytes() == model.probability.tobytes()
    assert again.reward.tobytes() == model.reward.tobytes()
    assert (again.name, again.groups) == (model.name, model.groups)


def test_pickled_counts_stay_those_of_samples():
    model = Mdp.from_function(lambda s, a, rng: (rng.normal(), s), states=2, actions=1, discount=0.9, samples=3)
    again = pickle.loads(pickle.dumps(model))
    assert again.coverage_is_sampled and again == model and again != model.with_coverage(model.coverage)


def test_bytes_that_are_no_model_are_refused():
    model = Mdp.__new__(Mdp)
    with pytest.raises(mindgap.StoreError):
        model.__setstate__((b"nonsense", []))
    state, about = stated().__getstate__()
    with pytest.raises(mindgap.Error):
        model.__setstate__((state[: len(state) // 2], about))


@pytest.mark.filterwarnings("ignore:no plan of the kind")
def test_what_the_owner_says_is_pickled():
    model = mindgap.read_model(VANS)
    again = pickle.loads(pickle.dumps(model))
    said = [mindgap.decide(one, units=2, horizon=4, worlds=2, plans=["sop"]).to_dict()["about"] for one in (model, again)]
    assert said[0] == said[1] and said[0]["unit"] == "van"


def test_a_copy_is_the_model_itself():
    model = stated()
    assert copy.copy(model) is model and copy.deepcopy({"model": model})["model"] is model


def test_environments_are_pickled_and_copied_with_their_model():
    environment = stated().to_env(noise=True)
    environment.reset(seed=3)
    for other in (pickle.loads(pickle.dumps(environment)), copy.deepcopy(environment)):
        assert other.model == environment.model
    rolled = [pickle.loads(pickle.dumps(environment)).step(0)[:2] for _ in range(2)]
    assert rolled[0] == rolled[1]


def test_a_pool_that_spawns_solves_models():
    model = stated()
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        sizes = pool.map(_states, [model, plain()])
    assert sizes == [3, 1]


def _states(model):
    return model.states


def test_equal_models_have_equal_hashes():
    assert stated() == stated() and hash(stated()) == hash(stated())
    assert len({stated(), stated(), plain()}) == 2
    zeros = [Mdp.from_arrays([[[1.0]]], [[zero]], 0.9, reward_max=1) for zero in (0.0, -0.0)]
    assert zeros[0] == zeros[1] and hash(zeros[0]) == hash(zeros[1])
    others = [stated().with_discount(0.8), stated().with_reward(1.0), stated().with_name("other")]
    assert len({hash(model) for model in [stated(), *others]}) == 4
