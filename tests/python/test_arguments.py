"""Arguments of the commands: whole numbers of any kind are taken, what is none is refused by name."""

import shutil
import tempfile
from pathlib import Path

import numpy as np
import pytest

import mindgap
from mindgap import InvalidArgument, Mdp
from program import COVERAGE, ROOT, VANS, command_line, without_times

EXAMPLE_E = ROOT / "tests/models/example_e"
BARE = Mdp.from_arrays(np.full((2, 3, 3), 1 / 3), np.eye(3)[:, :2], 0.9)


def decide(**options):
    plans = ["sop", "asop", "pilot-1x2"]
    return mindgap.decide(VANS, **{"units": 2, "horizon": 4, "worlds": 4, "plans": plans, **options})


def design(**options):
    return mindgap.design(VANS, **{"units": 2, "steps": 3, **options})


def diagnose(**options):
    return mindgap.diagnose(VANS, **{"draws": 0, **options})


def solve(**options):
    return mindgap.solve(VANS, **options)


def compare(**options):
    return mindgap.compare(
        "treasure", **{"planners": ["asop"], "horizons": [2], "trials": 2, "units": 2, **options}
    )


def reproduce(**options):
    return mindgap.reproduce(**{"name": "lock", "trials": 2, **options})


class Bytes:
    def __fspath__(self):
        return b"x"


NO_WHOLE_NUMBERS = [2.0, "2", None, True, [2]]


@pytest.mark.parametrize(
    "command, names",
    [
        (decide, ["units", "horizon", "replan_every", "seed", "threads"]),
        (design, ["units", "steps", "top", "seed", "threads"]),
        (diagnose, ["top", "seed", "threads"]),
        (solve, ["max_iterations", "threads"]),
        (compare, ["first_trial", "seed", "threads"]),
        (reproduce, ["seed", "threads"]),
    ],
)
def test_what_is_no_whole_number_is_refused(command, names):
    for name in names:
        for value in NO_WHOLE_NUMBERS:
            with pytest.raises(InvalidArgument, match=f"{name} is .*but must be a whole number"):
                command(**{name: value})


@pytest.mark.parametrize(
    "command, options, said",
    [
        (decide, {"seed": -1}, "seed is -1, but must be a whole number from 0 to 18446744073709551615"),
        (decide, {"seed": 2**64}, "seed is 18446744073709551616"),
        (decide, {"threads": 2**40}, "threads is 1099511627776, .* from 0 to 4096"),
        (decide, {"plans": [3]}, "the name of a plan must be a text, but is 3"),
        (decide, {"plans": 3}, "plans must be names of plans, but is 3"),
        (decide, {"replan_every": -1}, "replan_every is -1, but .* from 0 to 1000000"),
        (decide, {"worlds": 2.5}, "worlds is 2.5"),
        (decide, {"worlds": "many"}, "worlds is 'many'"),
        (decide, {"indifference": "x"}, "indifference must be a number, but is 'x'"),
        (decide, {"odds": "x"}, "odds must be a number, but is 'x'"),
        (decide, {"tipping": "no"}, "tipping must be True or False, but is 'no'"),
        (decide, {"estimate_variance": 1}, "estimate_variance must be True or False, but is 1"),
        (decide, {"log": Bytes()}, "log must be a path"),
        (decide, {"progress": "yes"}, "progress must be True, False, None or a function .*, but is 'yes'"),
        (design, {"progress": []}, r"progress must be True, .*, but is \[\]"),
        (solve, {"progress": 1}, "progress must be True, .*, but is 1"),
        (solve, {"progress": "no", "horizon": 2}, "progress must be True, .*, but is 'no'"),
        (compare, {"progress": "yes"}, "progress must be True"),
        (reproduce, {"progress": "yes"}, "progress must be True"),
        (design, {"credit": "no"}, "credit must be True or False, but is 'no'"),
        (diagnose, {"strict": None}, "strict must be True or False, but is None"),
        (diagnose, {"truth": 3}, "truth must be a path, .*but is 3"),
        (compare, {"shard": "1/2"}, r"shard: expected \(i, n\), .*, but got '1/2'"),
        (compare, {"shard": 2}, r"shard: expected \(i, n\), .*, but got 2"),
        (compare, {"shard": (1, 2, 3)}, r"shard: .* but got \(1, 2, 3\)"),
        (compare, {"shard": (1.5, 3)}, "shard: the part is 1.5, but must be a whole number from 1 to 3"),
        (compare, {"shard": (4, 3)}, "shard: the part is 4, but must be a whole number from 1 to 3"),
        (compare, {"shard": (1, 0)}, "shard: the number of parts is 0, but"),
        (compare, {"out": b"x"}, "out must be a path, .*but is b'x'"),
        (compare, {"simulator": 3}, "simulator must be a path, .*but is 3"),
        (design, {"top": -1}, "top is -1, but must be a whole number from 0"),
        (design, {"others": 1.5}, "others is 1.5"),
        (design, {"min_share": [("A", 0.5)]}, "min_share: expected shares by group"),
        (design, {"min_share": {"A": "half"}}, "share of group 'A' must be a number, but is 'half'"),
        (design, {"max_share": "A"}, "max_share: expected shares by group"),
        (design, {"target": 3}, "target must be a text, but is 3"),
        (diagnose, {"level": 2}, "level is 2, but must be from 1e-09 to 0.5"),
        (diagnose, {"level": np.nan}, "level is nan"),
        (diagnose, {"draws": 1.5}, "draws is 1.5"),
        (diagnose, {"jacobian": [["a"]]}, "jacobian must hold real numbers"),
        (solve, {"initial_value": "abc"}, "initial_value must hold real numbers"),
        (solve, {"initial_value": [1.0]}, r"initial_value must have shape \(40,\), but has \(1,\)"),
        (solve, {"horizon": 2.5}, "horizon is 2.5"),
        (solve, {"discount": "0.9"}, "discount must be a number, but is '0.9'"),
        (solve, {"method": 3}, "method must be a text, but is 3"),
        (solve, {"horizon": 3, "method": "pi"}, "method cannot be combined with horizon"),
        (solve, {"horizon": 3, "tolerance": 0.1}, "tolerance cannot be combined with horizon"),
        (solve, {"horizon": 3, "max_iterations": 5}, "max_iterations cannot be combined with horizon"),
        (solve, {"horizon": 3, "time_limit": 5}, "time_limit cannot be combined with horizon"),
        (solve, {"horizon": 3, "initial_value": np.zeros(40)}, "initial_value cannot be combined with horizon"),
        (solve, {"time_limit": -1}, "time_limit is -1, but must be seconds: zero"),
        (design, {"time_limit": np.nan}, "time_limit is nan, but must be seconds: zero"),
        (compare, {"horizons": 2.7}, "horizons is .*2.7.*, but must be a whole number"),
        (compare, {"seed": 2**64}, "compare: seed is 18446744073709551616"),
        (compare, {"reference": 3}, "reference must be a text, but is 3"),
        (reproduce, {"name": 3}, "name must be a text, but is 3"),
        (reproduce, {"name": None}, "name must be a text, but is None"),
        (reproduce, {"name": "lok"}, "lock"),
        (reproduce, {"trials": 2.5}, "trials is 2.5, but must be a whole number from 2 to 1000000000"),
        (reproduce, {"trials": 1}, "trials is 1, but must be a whole number from 2"),
        (reproduce, {"trials": "many"}, "trials is 'many'"),
        (reproduce, {"seed": -1}, "seed is -1, but must be a whole number from 0"),
        (reproduce, {"threads": -1}, "threads is -1, but must be a whole number from 0 to 4096"),
    ],
)
def test_bad_arguments_are_ours_to_refuse(command, options, said):
    with pytest.raises(InvalidArgument, match=said):
        command(**options)


def test_whole_numbers_of_numpy_are_taken():
    four = np.int64(4)
    assert decide(worlds=four, units=np.int32(2), horizon=four, seed=np.uint64(42)).worlds == decide().worlds
    assert without_times(design(units=np.int8(2)).to_dict())["units"] == 2
    assert solve(horizon=four).iterations == 4
    assert reproduce(trials=four, seed=np.uint64(3)).to_dict() == reproduce(trials=4, seed=3).to_dict()


def test_the_largest_seed_is_taken_as_on_the_command_line():
    seed = 2**64 - 1
    options = ["--planners", "asop", "--horizons", 2, "--trials", 2, "--units", 2, "--seed", seed]
    assert compare(seed=seed).to_dict() == command_line("compare", "treasure", *options)


def test_no_seconds_are_no_limit_as_on_the_command_line():
    assert solve(time_limit=0).status == solve(time_limit=None).status == "converged"
    assert solve(time_limit=0).half_width == solve().half_width
    assert design(time_limit=0).status == "converged" and design(time_limit=0).gap == design().gap


def test_a_target_may_be_a_policy_file(tmp_path, monkeypatch):
    solve().write_policy(tmp_path / "policy.csv")
    wanted = without_times(design(target=str(tmp_path / "policy.csv")).to_dict())
    assert without_times(design(target=tmp_path / "policy.csv").to_dict()) == wanted
    assert decide(target=tmp_path / "policy.csv").worlds == decide().worlds
    (tmp_path / "policy.csv").rename(tmp_path / "uniform")
    monkeypatch.chdir(tmp_path)
    assert design(target=Path("uniform")).pvv_before == wanted["pvv_before"]  # a file, though named so
    assert design(target="uniform").pvv_before != wanted["pvv_before"]


class Nothing:
    def reset(self, seed):
        return 0

    def step(self, action):
        return 0.0, 0


def begun(model):
    folder = tempfile.mkdtemp()
    try:
        units = {"unit": ["a", "b"], "state": [model.state_names[0]] * 2}
        return mindgap.Study.init(f"{folder}/study", model=model, units=units, horizon=4)
    finally:
        shutil.rmtree(folder)


ASKED = {
    "compare": lambda model: mindgap.compare(world=Nothing, simulator=model, planners=["asop"], trials=1),
    "compare with files": lambda model: mindgap.compare(
        EXAMPLE_E, simulator=model, planners=["asop"], trials=1
    ),
    "decide": lambda model: mindgap.decide(model, units=1, horizon=2),
    "design": lambda model: mindgap.design(model, units=1, steps=2),
    "diagnose": lambda model: mindgap.diagnose(model),
    "diagnose with counts": lambda model: mindgap.diagnose(model, coverage=np.ones(model.pairs)),
    "planners.make": lambda model: mindgap.planners.make("asop", simulator=model, horizon=2),
    "Study.init": begun,
}


@pytest.mark.parametrize("name", ASKED)
def test_what_a_model_does_not_state_is_asked_for_in_python(name):
    prior = r"states no prior.*Mdp\.with_prior\(\).*Mdp\.with_coverage\(\).*no variance.*Mdp\.with_variance\(\)"
    variance = r"variance of one observed reward.*Mdp\.with_variance\(\)"
    if name != "diagnose with counts":
        with pytest.raises(InvalidArgument, match=prior):
            ASKED[name](BARE)
    if name != "diagnose":  # it only reads a prior
        with pytest.raises(InvalidArgument, match=variance):
            ASKED[name](BARE.with_prior(reward_sd=1.0, transition_strength=2.0))


def test_a_scale_of_rewards_is_asked_for():
    model = Mdp.from_arrays(np.full((2, 3, 3), 1 / 3), np.zeros((3, 2)), 0.9)
    with pytest.raises(InvalidArgument, match=r"state reward_max \(where the model is made\)"):
        mindgap.diagnose(model.with_prior(reward_sd=1.0))


@pytest.mark.parametrize("path", [b"x.h5", None, 3, Bytes()])
def test_what_is_no_path_is_refused(path):
    with pytest.raises(InvalidArgument, match="path must be a path, as a text or a pathlib.Path, but is"):
        mindgap.read_model(path)
    with pytest.raises(InvalidArgument, match="path must be a path"):
        mindgap.write_model(BARE, path)
    with pytest.raises(InvalidArgument, match="path must be a path"):
        mindgap.solve(VANS).write_policy(path)
    with pytest.raises(InvalidArgument, match="case must be a path|name a case"):
        mindgap.compare(path)
    with pytest.raises(InvalidArgument, match="folders: each must be a path"):
        mindgap.merge(["a", path])


@pytest.mark.parametrize("folders", ["outx", ROOT, b"outx", None, 3])
def test_merge_takes_several_folders(folders):
    with pytest.raises(InvalidArgument, match="folders: expected a list of the folders of all shards, but"):
        mindgap.merge(folders)


@pytest.mark.parametrize("discount", ["x", "0.9", None, [0.9], 0.9j])
def test_a_discount_is_a_number(discount):
    with pytest.raises(InvalidArgument, match="discount must be a number, but is "):
        BARE.with_discount(discount)
    for fine in (0, np.float32(0.5), np.int64(0), np.array(0.5)):
        assert BARE.with_discount(fine).discount == fine


def test_only_a_model_is_written(tmp_path):
    with pytest.raises(InvalidArgument, match="model must be a mindgap.Mdp, but is 'vans'"):
        mindgap.write_model("vans", tmp_path / "x.h5")


def test_names_are_texts():
    with pytest.raises(InvalidArgument, match="find_state: expected a name, but got 1"):
        BARE.find_state(1)
    with pytest.raises(InvalidArgument, match="find_action: expected a name, but got None"):
        BARE.find_action(None)
    with pytest.raises(InvalidArgument, match="with_name: expected a name"):
        BARE.with_name(None)


@pytest.mark.parametrize("given", [3, None, [VANS]])
def test_what_is_no_model_is_refused(given):
    for call in (mindgap.solve, mindgap.diagnose):
        with pytest.raises(InvalidArgument, match="model must be a mindgap.Mdp or the path of one"):
            call(given)


def test_a_study_says_what_is_wrong(tmp_path):
    model = mindgap.read_model(VANS)
    begin = dict(model=VANS, units={"unit": list("abcdefghijkl"), "state": [model.state_names[0]] * 12})
    for options, said in (
        ({"horizon": 2.5}, "horizon is 2.5"),
        ({"seed": None}, "seed is None"),
        ({"update_every": -1}, "update_every is -1"),
        ({"control_share": "x"}, "control_share must be a number"),
        ({"min_share": {"A": None}}, "share of group 'A' must be a number"),
    ):
        with pytest.raises(InvalidArgument, match=said):
            mindgap.Study.init(tmp_path / "bad", **{**begin, "horizon": 6, **options})
    study = mindgap.Study.init(tmp_path / "good", horizon=6, coverage=COVERAGE, control_share=0.5, **begin)
    assert repr(study.assign()) == "<mindgap.Assigned: new assignments: 12, units that have finished: 0>"
    assert repr(study.status()).startswith("<mindgap.Status: exploring, results so far: 0, another batch")
    assert repr(study.begun) == f"<mindgap.Begun: a study is begun, head {study.begun.head[:12]}>"
    with pytest.raises(InvalidArgument, match="why must be a text"):
        study.stop(None)
    with pytest.raises(InvalidArgument, match="step is 'first'"):
        study.assign("first")


def test_a_study_takes_coverage_as_diagnose_does(tmp_path):
    model = mindgap.read_model(VANS)
    units = {"unit": list("abcdefghijkl"), "state": [model.state_names[0]] * 12}
    words = dict(model=VANS, units=units, horizon=6, control_share=0.5)
    said = []
    shapes = [(model.states, model.actions), (model.pairs,), (model.states,)]
    for at, counts in enumerate(map(np.ones, shapes)):
        study = mindgap.Study.init(tmp_path / str(at), coverage=counts, **words)
        said.append({key: value for key, value in study.begun.to_dict().items() if key != "head"})
    assert said[0] == said[1] == said[2]


@pytest.mark.parametrize(
    "options, said",
    [
        ({"reward_sd": -1}, "reward_sd is -1, but must be zero or more"),
        ({"reward_sd": np.inf}, "reward_sd is inf"),
        ({"transition_strength": 0}, "transition_strength is 0, but must be positive"),
        ({"drift_sd": np.nan}, "drift_sd is nan"),
        ({"odds": 0.5}, "odds is 0.5"),
    ],
)
def test_a_prior_is_in_its_domain(tmp_path, options, said):
    units = {"unit": ["a", "b"], "state": ["zone-0-0"] * 2}
    for call in (
        decide,
        design,
        diagnose,
        lambda **given: mindgap.Study.init(tmp_path / "s", model=VANS, units=units, horizon=6, **given),
    ):
        with pytest.raises(InvalidArgument, match=said):
            call(**options)
    assert not (tmp_path / "s").exists()
