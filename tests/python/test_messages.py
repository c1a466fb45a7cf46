"""Messages in Python speak Python."""

import re
import warnings

import numpy as np
import pytest

import mindgap

OPTION = re.compile(r"(^|[\s(])--[a-z]")


def model(prior=True, variance=True):
    P = np.array([[[0.9, 0.1], [0.0, 1.0]], [[0.5, 0.5], [1.0, 0.0]]])
    found = mindgap.Mdp.from_arrays(P, [[1.0, 0.0], [2.0, 0.5]], 0.9, layout="asS")
    if prior:
        found = found.with_prior(reward_sd=0.5, transition_strength=5)
    return found.with_variance(1.0) if variance else found


def decided(**more):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return mindgap.decide(model(), units=2, horizon=5, worlds=16, **more)


def test_results_name_options_as_keywords():
    texts = [
        str(decided()),
        str(decided(coverage=30.0)),
        str(mindgap.diagnose(model(), draws=0)),
        str(mindgap.diagnose(model(), draws=0, coverage=30.0)),
        str(mindgap.design(model(), units=2, steps=3)),
        str(mindgap.check(model().with_discount(1.0))),
    ]
    for text in texts:
        assert not OPTION.search(text), OPTION.search(text)
    assert "odds=2" in texts[1] and "objective='discounted'" in texts[0]
    assert "solve needs horizon" in texts[5]


def test_what_is_missing_is_named_together():
    for ask in (
        lambda: mindgap.decide(model(prior=False, variance=False), units=2, horizon=5),
        lambda: mindgap.design(model(prior=False, variance=False), units=2, steps=3),
    ):
        with pytest.raises(mindgap.InvalidArgument) as refused:
            ask()
        said = str(refused.value)
        assert "reward_sd" in said and "transition_strength" in said and "with_prior" in said
        assert "with_variance" in said and "model.toml" not in said
    with pytest.raises(mindgap.InvalidArgument) as refused:
        mindgap.decide(model(prior=False), units=2, horizon=5)
    assert "with_variance" not in str(refused.value)


def test_studies_speak_python_too(tmp_path):
    with pytest.warns(UserWarning, match="no control"):
        study = mindgap.Study.init(
            tmp_path / "s", model=model(), units={"unit": ["a"], "state": ["0"]}, horizon=4, control_share=0
        )
    row = study.assign().to_frame().iloc[0]
    result = {"unit": ["a"], "step": [0], "state": [row["state"]], "action": [row["action"]], "next_state": ["0"]}
    study.record({**result, "reward": [1.0]})
    with pytest.raises(mindgap.InvalidModel, match=r"as a correction \(correct=True\)"):
        study.record({**result, "reward": [2.0]})
    with pytest.warns(UserWarning, match=r"as a correction \(correct=True\)"):
        study.record({**result, "reward": [1e6]}, correct=True)


def test_certain_moves_are_warned_of():
    P = np.stack([np.eye(3), np.roll(np.eye(3), 1, axis=1)])
    certain = mindgap.Mdp.from_arrays(P, np.zeros((3, 2)), 0.9, layout="asS")
    assert any("6 of 6 rows have one successor: certain moves" in text for text in mindgap.check(certain).warnings)
    assert any("with_prior(unseen=0.05)" in text for text in mindgap.check(certain).warnings)
    assert mindgap.check(certain).to_dict()["certain_rows"] == 6
    assert not any("certain moves" in text for text in mindgap.check(model()).warnings)
