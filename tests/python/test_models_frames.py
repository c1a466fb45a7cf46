"""Models as tables of pandas and Arrow, there and back."""

from pathlib import Path

import numpy as np
import pandas
import pyarrow
import pytest

import mindgap
from mindgap import InvalidArgument, InvalidModel, Mdp

VANS = Path(__file__).parents[2] / "examples/vans"


def read(name):
    return pandas.read_csv(VANS / name)


def test_the_tables_of_a_model_folder_are_the_model():
    model = mindgap.read_model(VANS)
    found = Mdp.from_frame(
        read("transitions.csv"),
        read("rewards.csv"),
        read("states.csv"),
        discount=model.discount,
        reward_max=model.reward_max,
        name=model.name,
        action_names=model.action_names,
    )
    assert found.with_prior() == model.with_prior()
    covered = found.with_coverage(read("coverage.csv"))
    for line in read("coverage.csv").itertuples():
        pair = model.find_pair(model.find_state(line.state), model.find_action(line.action))
        assert covered.coverage[pair] == line[3]
    assert set(covered.coverage) == {0.0, 40.0}
    assert covered == Mdp.from_frame(
        read("transitions.csv"),
        read("rewards.csv"),
        read("states.csv"),
        coverage=read("coverage.csv"),
        discount=model.discount,
        reward_max=model.reward_max,
        name=model.name,
        action_names=model.action_names,
    )


class Stream:
    """Something that speaks Arrow and nothing else."""

    def __init__(self, frame):
        self._table = pyarrow.Table.from_pandas(frame)

    def __arrow_c_stream__(self, requested_schema=None):
        return self._table.__arrow_c_stream__(requested_schema)


def as_dictionary(frame):
    table = pyarrow.Table.from_pandas(frame)
    for at, field in enumerate(table.schema):
        if pyarrow.types.is_string(field.type):
            table = table.set_column(at, field.name, table[field.name].dictionary_encode())
    return table


def in_chunks(frame):
    half = len(frame) // 2
    return pyarrow.concat_tables([as_dictionary(frame[:half]), as_dictionary(frame[half:])])


@pytest.mark.parametrize(
    "store",
    [
        lambda frame: frame,
        lambda frame: frame.astype({c: "category" for c in frame.columns if frame[c].dtype == object}),
        lambda frame: frame.convert_dtypes(),
        lambda frame: frame.set_index(pandas.Index(range(len(frame), 0, -1))),
        pyarrow.Table.from_pandas,
        lambda frame: pyarrow.Table.from_batches(
            pyarrow.Table.from_pandas(frame).to_batches(max_chunksize=5)
        ),
        as_dictionary,
        in_chunks,
        Stream,
    ],
    ids=["pandas", "category", "nullable", "index", "arrow", "batches", "dictionary", "chunks", "stream"],
)
@pytest.mark.parametrize("named", [True, False])
def test_there_and_back(store, named):
    P = np.random.default_rng(3).dirichlet(np.ones(5), size=(3, 5))
    words = (
        {"state_names": list("vwxyz"), "action_names": ["p", "q", "r"], "groups": list("aabbc")}
        if named
        else {}
    )
    model = Mdp.from_arrays(P, np.arange(15.0).reshape(5, 3), 0.9, start=[0, 0, 0.5, 0.5, 0], **words)
    model = model.with_variance(np.arange(15.0)).with_coverage(np.arange(15.0))
    tables = [store(model.to_frame(table)) for table in ("transitions", "rewards", "states")]
    assert Mdp.from_frame(*tables, discount=0.9) == model


def test_lines_in_any_order():
    model = mindgap.read_model(VANS)
    shuffled = [read(name).sample(frac=1, random_state=1) for name in ("transitions.csv", "rewards.csv")]
    found = Mdp.from_frame(
        *shuffled,
        read("states.csv"),
        discount=model.discount,
        reward_max=model.reward_max,
        name=model.name,
        action_names=model.action_names,
    )
    assert found.with_prior() == model.with_prior()


def test_states_and_actions_in_the_order_in_which_they_are_met():
    table = pandas.DataFrame(
        {
            "state": ["b", "a"],
            "action": ["go", "stay"],
            "next_state": ["a", "a"],
            "probability": 1.0,
            "reward": [1, 2],
        }
    )
    model = Mdp.from_frame(table, discount=0.9)
    assert model.state_names == ["b", "a"] and model.action_names == ["go", "stay"]
    assert model.find_pair(0, 1) == -1 and model.reward.tolist() == [1, 2]
    # Integers come in their own order, and need no names where they are 0 .. n-1.
    table = table.assign(state=[1, 0], next_state=[0, 0], action=[7, 5])
    model = Mdp.from_frame(table, discount=0.9)
    assert not model.has_state_names and model.action_names == ["5", "7"]
    assert model.reward.tolist() == [2, 1]


def test_rewards_of_transitions_are_averaged_and_duplicates_added():
    table = pandas.DataFrame(
        {
            "state": [0, 0, 0, 1],
            "action": 0,
            "next_state": [1, 0, 1, 1],
            "probability": [0.25, 0.5, 0.25, 1],
            "reward": [4, 8, 12, 0],
        }
    )
    model = Mdp.from_frame(table, discount=0.9)
    assert model.reward.tolist() == [0.25 * 4 + 0.5 * 8 + 0.25 * 12, 0]
    assert model.next_state.tolist() == [0, 1, 1] and model.probability.tolist() == [0.5, 0.5, 1]


def test_a_log_is_counted():
    model = mindgap.read_model(VANS)
    log = read("pilot.csv")
    covered = model.with_coverage(log)
    assert covered.coverage.sum() == len(log)
    first = log.iloc[0]
    pair = model.find_pair(model.find_state(first["state"]), model.find_action(first["action"]))
    same = ((log["state"] == first["state"]) & (log["action"] == first["action"])).sum()
    assert covered.coverage[pair] == same
    with pytest.raises(InvalidArgument, match="must have the columns state, action, next_state"):
        model.with_coverage(log[["state", "action"]])


def test_tables_of_pairs():
    model = Mdp.from_arrays(np.full((2, 3, 3), 1 / 3), np.zeros((3, 2)), 0.9, state_names=list("abc"))
    table = pandas.DataFrame({"state": ["c"], "action": [1], "count": [5]})
    assert model.with_coverage(table).coverage.tolist() == [0, 0, 0, 0, 0, 5]
    with pytest.raises(InvalidModel, match="reward: state 'a', action '0': the pair has no line"):
        model.with_reward(table.rename(columns={"count": "reward"}))
    with pytest.raises(InvalidModel, match="state 'c', action '1': the pair has a second line"):
        model.with_coverage(pandas.concat([table, table]))
    with pytest.raises(InvalidModel, match="names 'q', a state that does not exist"):
        model.with_coverage(table.assign(state="q"))
    whole = model.to_frame("rewards").assign(variance=np.arange(6.0), reward=np.arange(6.0))
    assert model.with_variance(whole).variance.tolist() == [0, 1, 2, 3, 4, 5]
    assert model.with_reward(pyarrow.Table.from_pandas(whole)).reward.tolist() == [0, 1, 2, 3, 4, 5]


def test_counts_need_not_be_whole():
    lines = {"state": [0, 1], "action": [0, 1], "count": [2.7, 0.9]}
    model = Mdp.from_arrays(np.full((2, 2, 2), 1 / 2), np.zeros((2, 2)), 0.9, layout="asS")
    assert model.with_coverage(lines).coverage.tolist() == [2.7, 0, 0, 0.9]
    found = Mdp.from_frame(model.to_frame(), model.to_frame("rewards"), discount=0.9, coverage=lines)
    assert found.coverage.tolist() == [2.7, 0, 0, 0.9]
    with pytest.raises(InvalidModel, match="coverage: line 1: state '1', action '1': count must be a number"):
        model.with_coverage({**lines, "count": [2, np.nan]})
    with pytest.raises(InvalidArgument, match="coverage must have the columns state, action, next_state"):
        model.with_coverage({"state": [0], "action": [0]})
    with pytest.raises(InvalidArgument, match="coverage must have shape"):
        model.with_coverage(np.zeros(5))


def stays(states, **words):
    """Each state stays where it is and pays 10, 20, ...: worth twice that at discount 0.5."""
    count = len(states)
    lines = {"state": states, "action": [0] * count, "next_state": states, "probability": [1] * count}
    return Mdp.from_frame({**lines, "reward": 10.0 * np.arange(1, count + 1)}, discount=0.5, **words)


@pytest.mark.parametrize("start", [1, np.int64(1), np.array(1), "1", {1: 1.0}, {"1": 1.0}, [1, 0, 0]])
def test_integers_that_are_names_are_names(start):
    for model in (stays([1, 2, 3], start=start), stays([1, 2, 3]).with_start(start)):
        assert mindgap.solve(model).value_at_start == pytest.approx(20)
    if not isinstance(start, (dict, list)):
        assert stays([1, 2, 3]).to_env().reset(options={"state": start})[0] == 0  # the number of "1"


@pytest.mark.parametrize("start", [0, {0: 1.0}, 4, "4"])
def test_integers_that_are_no_names_are_refused(start):
    for call in (lambda: stays([1, 2, 3], start=start), lambda: stays([1, 2, 3]).with_start(start)):
        with pytest.raises(InvalidArgument, match="start names the state .*, which does not exist"):
            call()
    with pytest.raises(InvalidArgument, match=r"does not exist: integers are names here \(1, 2, 3\)"):
        stays([1, 2, 3]).to_env().reset(options={"state": 0})


@pytest.mark.parametrize(
    "states, start, number",
    [
        (["a", "b", "zone-3"], 2, 2),  # no name is an integer
        ([0, 1, 2], 2, 2),  # no names
        ([0, 1, "end"], 2, 2),  # names that are integers are their own numbers
        ([4, 2, "end"], 2, 1),
        ([4, 1, "end"], 2, None),  # not "end", which has the number 2
        (["a", "01", "b"], 1, 1),  # the text of 1 is "1"
    ],
)
def test_numbers_where_names_are_no_other_integers(states, start, number):
    if number is None:
        with pytest.raises(InvalidArgument, match="2, which does not exist"):
            stays(states, start=start)
    else:
        assert np.flatnonzero(stays(states, start=start).start).tolist() == [number]
        assert np.flatnonzero(stays(states).with_start(start).start).tolist() == [number]


GOOD = pandas.DataFrame({"state": ["a", "b"], "action": "x", "next_state": ["b", "b"], "probability": 1.0})
PAID = pandas.DataFrame({"state": ["a", "b"], "action": "x", "reward": [1.0, 0.0]})


@pytest.mark.parametrize(
    "tables, error, problem",
    [
        ((GOOD,), InvalidArgument, "rewards must be given, or transitions must have a column reward"),
        (
            (GOOD.drop(columns="probability"), PAID),
            InvalidArgument,
            "has not got probability; it has state, action",
        ),
        ((GOOD.to_numpy(), PAID), InvalidArgument, "pandas DataFrame or a table that speaks Arrow.*ndarray"),
        ((GOOD.assign(probability=["1", "x"]), PAID), InvalidArgument, "probability must hold numbers"),
        ((GOOD.assign(probability=[1, None]), PAID), InvalidModel, "state 'b', action 'x'.*nan"),
        ((GOOD.assign(probability=[1, 0.5]), PAID), InvalidModel, "state 'b', action 'x': .*sum to 1 .*0.5"),
        ((GOOD.assign(state=["a", None]), PAID), InvalidModel, "line 1 has no state"),
        ((GOOD.assign(state=[0.5, 1.5]), PAID), InvalidArgument, "texts or integers, but has 0.5"),
        ((GOOD, PAID[:1]), InvalidModel, "state 'b', action 'x': the pair has transitions but no reward"),
        (
            (GOOD, pandas.concat([PAID, PAID])),
            InvalidModel,
            "state 'a', action 'x': the pair has two rewards",
        ),
        ((GOOD, PAID.assign(state=["a", "c"])), InvalidModel, "names 'c', a state that does not exist"),
        ((GOOD.assign(next_state="c"), PAID), InvalidModel, "state 'c': the state has no available action"),
        (
            (GOOD, PAID, pandas.DataFrame({"name": ["a"]})),
            InvalidModel,
            "names 'b', a state that does not exist",
        ),
        (
            (GOOD, PAID, pandas.DataFrame({"name": ["a", "b", "a"]})),
            InvalidModel,
            "the state 'a' has two lines",
        ),
        ((GOOD[:0], PAID[:0]), InvalidModel, "no states"),
    ],
)
def test_tables_that_are_wrong(tables, error, problem):
    with pytest.raises(error, match=problem):
        Mdp.from_frame(*tables, discount=0.9)
    if all(isinstance(table, pandas.DataFrame) for table in tables) and "0.5, but" not in problem:
        try:
            arrow = [pyarrow.Table.from_pandas(table) for table in tables]
        except pyarrow.ArrowInvalid:
            return
        with pytest.raises((InvalidArgument, InvalidModel)):
            Mdp.from_frame(*arrow, discount=0.9)


def test_to_frame_wants_a_table_it_knows():
    model = mindgap.read_model(VANS)
    assert list(model.to_frame().columns) == ["state", "action", "next_state", "probability"]
    assert len(model.to_frame()) == model.nonzeros and len(model.to_frame("states")) == model.states
    with pytest.raises(InvalidArgument, match="'transitions', 'rewards' or 'states', but is 'prior'"):
        model.to_frame("prior")


def test_to_scipy():
    model = mindgap.read_model(VANS)
    matrix = model.to_scipy()
    assert matrix.shape == (model.pairs, model.states) and matrix.nnz == model.nonzeros
    np.testing.assert_allclose(matrix.sum(axis=1), 1, rtol=0, atol=1e-9)
    assert np.shares_memory(matrix.data, model.probability), "nothing is copied"
    back = Mdp.from_scipy(
        matrix, model.reward, model.discount, s_indices=model.pair_state, a_indices=model.pair_action
    )
    np.testing.assert_array_equal(back.probability, model.probability)
    np.testing.assert_array_equal(back.next_state, model.next_state)


ALL = {
    "state": [0, 1],
    "action": [0, 0],
    "next_state": [1, 0],
    "probability": [1.0, 1.0],
    "reward": [2.0, 3.0],
}


def test_dicts_of_columns_are_tables():
    model = Mdp.from_frame(ALL, discount=0.9)
    assert model == Mdp.from_frame(pandas.DataFrame(ALL), discount=0.9)
    counts = {"state": [1], "action": [0], "count": [5]}
    assert model.with_coverage(counts).coverage.tolist() == [0, 5]
    worth = {"state": np.arange(2), "action": [0, 0], "reward": [7.0, 8.0]}
    assert model.with_reward(worth).reward.tolist() == [7, 8]
    with pytest.raises(InvalidArgument, match="transitions must be a dict of columns of one length"):
        Mdp.from_frame({**ALL, "reward": [1.0]}, discount=0.9)
    with pytest.raises(InvalidArgument, match="transitions must have the columns .* not got probability"):
        Mdp.from_frame({name: ALL[name] for name in ALL if name != "probability"}, discount=0.9)


def test_columns_that_come_twice_are_refused():
    twice = pandas.DataFrame(ALL)
    twice.insert(0, "state", [0, 1], allow_duplicates=True)
    names = ["state", "state", "action", "next_state", "probability"]
    for table in (twice, pyarrow.table([[0], [0], [0], [0], [1.0]], names=names)):
        with pytest.raises(InvalidArgument, match="transitions must have one column state, but has two"):
            Mdp.from_frame(table, discount=0.9)
    paid = pandas.DataFrame(ALL)
    paid.insert(0, "reward", [0.0, 1.0], allow_duplicates=True)
    with pytest.raises(InvalidArgument, match="transitions must have one column reward, but has two"):
        Mdp.from_frame(paid, discount=0.9)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_probability_that_is_none_is_not_taken_for_a_reward(value):
    with pytest.raises(InvalidModel, match=f"state '1', action '0': .*probability.*{value}"):
        Mdp.from_frame({**ALL, "probability": [1.0, value]}, discount=0.9)
