# %% [markdown]
# # Whom to test in an epidemic
# The simulator is [starsim](https://pypi.org/project/starsim), an agent-based model of epidemics:
# `pip install -r examples/python/requirements.txt` (Python 3.11 or newer; about 1 GB with what it needs).
# A district has 1,000 young and 1,000 old people and 200 tests a week. How fast the infection spreads in
# each group is not known. Should the tests go to the young, to the old, or to both, and is it worth finding
# out first?

# %%
import contextlib
import importlib
import importlib.util
import multiprocessing
import os
import sys
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import numpy as np
import pandas

import mindgap

if importlib.util.find_spec("starsim") is None:
    print("07_epidemic.py wants starsim: pip install -r examples/python/requirements.txt", file=sys.stderr)
    sys.exit(2)
os.environ.setdefault("STARSIM_INSTALL_FONTS", "0")
ss: Any = importlib.import_module("starsim")
ss.options(verbose=0)

PEOPLE, WEEKS = 1000, 4  # of each group; of one step
YOUNG, OLD = ss.uids(np.arange(PEOPLE)), ss.uids(np.arange(PEOPLE, 2 * PEOPLE))
TESTS = {"young": (200, 0), "both": (100, 100), "old": (0, 200)}  # a week

# %% [markdown]
# ## Four weeks of the program
# The state is the share of infected people in each group. `step` starts a small simulation from it, lets
# four weeks pass and looks again. Infections last five weeks on average and leave no immunity; a test that
# finds one ends it. Recovery does not depend on how long somebody has been infected, so the two shares are
# all that the future depends on. The reward is minus the new infections per 1,000 people.


# %%
class Testing(ss.Intervention):  # type: ignore[misc]
    """Tests some people of each group every week; whoever is found is cured."""

    def __init__(self, tests: tuple[int, int]) -> None:
        super().__init__()
        self.tests = tests
        self.choose = [ss.choose_n(n=n) for n in tests]

    def step(self) -> None:
        disease = self.sim.diseases.sis
        for group, tests, choose in zip((YOUNG, OLD), self.tests, self.choose):
            if tests == 0:
                continue
            tested = choose.filter(group)
            found = tested[disease.infected[tested]]
            disease.infected[found] = False
            disease.susceptible[found] = True


def step(
    state: Any, action: str, theta: Mapping[str, float], rng: np.random.Generator
) -> tuple[tuple[float, float], float]:
    """The shares after four weeks, and minus the new infections per 1,000 people."""
    first = np.rint(np.asarray(state) * PEOPLE)

    def infected(module: Any, sim: Any, uids: Any) -> Any:
        number = np.asarray(uids) % PEOPLE  # within the group
        return (number < np.where(np.asarray(uids) < PEOPLE, *first)).astype(float)

    def mixing(name: str, source: Any, target: Any, rate: float) -> Any:
        return ss.MixingPool(name=name, src=source, dst=target, beta=rate, n_contacts=ss.constant(1))

    sim = ss.Sim(
        n_agents=2 * PEOPLE,
        diseases=ss.SIS(
            beta=ss.probperweek(1.0),
            init_prev=ss.bernoulli(p=infected),
            dur_inf=ss.expon(ss.weeks(5)),
            imm_boost=0,
        ),
        networks=[
            mixing("among the young", YOUNG, YOUNG, theta["young"]),
            mixing("among the old", OLD, OLD, theta["old"]),
            mixing("young to old", YOUNG, OLD, 0.02),
            mixing("old to young", OLD, YOUNG, 0.02),
        ],
        interventions=Testing(TESTS[action]),
        dt=ss.weeks(1),
        dur=ss.weeks(WEEKS - 1),  # it counts the first week, too
        rand_seed=int(rng.integers(2**31)),
    )
    sim.run()
    disease = sim.diseases.sis
    now = np.asarray(disease.infected.values, dtype=float)
    new = float(np.sum(disease.results.new_infections)) / (2 * PEOPLE / 1000)
    return (float(now[:PEOPLE].mean()), float(now[PEOPLE:].mean())), -new


theta = {"young": 0.3, "old": 0.3}
for action in TESTS:
    (young, old), reward = step([0.2, 0.2], action, theta, np.random.default_rng(1))
    print(f"20 % infected, test {action}: then {young:.1%} of the young, {old:.1%} of the old; reward {reward:.0f}")

# %% [markdown]
# ## The program, on a grid
# `young` and `old` are the chance that somebody catches the infection in a week if everybody of the group
# has it. Without tests a group's infections go on for ever above 0.2, and die out below. Two samples of each
# row leave an error of about 5 infections per 1,000 in the mean reward: `discrepancy` says so.

# %%
points = [0, 0.08, 0.2, 0.4, 0.6]
simulator = mindgap.Simulator(
    step,
    mindgap.Grid([0, 0], [0.6, 0.6], [points, points], names=["share_young", "share_old"]),
    list(TESTS),
    parameters={"young": mindgap.Uniform(0.1, 0.5), "old": mindgap.Uniform(0.1, 0.5)},
    reset=[[0.2, 0.2]],
    discount=0.95,
    samples=2,
    discrepancy={"reward_sd": 5, "transition_strength": 100, "reward_variance": 50},
    name="epidemic",
)
MEMBERS = 12
calls = simulator.grid.corners * len(TESTS) * simulator.samples
print(f"one table is {calls} simulations of four weeks; {MEMBERS} members and what follows are {15 * calls:,}")

# %% [markdown]
# At 0.1 s each, that takes about three minutes on two idle cores. `simulator.check` would ask for some
# thousand simulations more, so it is left out here. It should not be for a decision of weight: 5 x 5 points
# are coarse, and with every second of them the value below changes by about half.

# %%
expected = mindgap.solve(simulator.model(theta))
print(f"with 0.3 in both groups: {-expected.value_at_start:.0f} infections per 1,000 people, discounted")

# %% [markdown]
# ## What is not known

# %%
pool: Any = contextlib.nullcontext()
if sys.platform == "linux":  # elsewhere processes start anew and cannot see a notebook's functions
    pool = ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("fork"))
with pool as executor:
    ensemble = simulator.ensemble(members=MEMBERS, executor=executor)
print(ensemble)
print(pandas.DataFrame(ensemble.parameters).round(2).to_string())

# %% [markdown]
# ## Deploy, learn, or experiment?
# Four districts of this kind and two years: 26 steps of four weeks.

# %%
decision = mindgap.decide(ensemble, units=4, horizon=26, worlds=512)
print(decision.headline)
print(decision.reason)
plans = decision.plans[~decision.plans["screened"]]
print(plans[["name", "kind", "value", "standard_error"]].round(0).to_string(index=False))
decision

# %% [markdown]
# ## A real district
# Reality is played by starsim with 0.2 among the young and 0.4 among the old. For a year, 13 steps, tests go
# where the policy for 0.3 and 0.3 sends them.

# %%
truth = {"young": 0.2, "old": 0.4}


def district(solution: Any, steps: int, seed: int) -> pandas.DataFrame:
    """Real steps of a policy, one a row."""
    policy = simulator.policy(solution, lookahead=False)  # one step ahead would be six simulations more
    rng, state, rows = np.random.default_rng(seed), (0.2, 0.2), []
    for _ in range(steps):
        action = policy.act(state)
        after, reward = step(state, action, truth, rng)
        rows.append([*state, action, reward, *after])
        state = after
    names = ["share_young", "share_old", "action", "reward", "next_share_young", "next_share_old"]
    return pandas.DataFrame(rows, columns=names)


log = district(expected, 13, seed=1)
weighed = ensemble.weigh(log)
surprise = ensemble.surprise(log)
print(log.head(4).round(3).to_string(index=False))
print(f"members that explain the log: {weighed.effective_members:.1f} of {len(ensemble)}")
for name, values in weighed.parameters.items():
    print(f"transmission among the {name}: {weighed.weights @ values:.2f} a week (weighted mean of the members)")
print(f"surprise {float(surprise):.3f}: below 0.01 no member would explain the log")

# %% [markdown]
# The log does two things. It points to the member that is nearest to the truth. And its surprise says
# whether that member is near enough: below 0.01, none of twelve members on a coarse grid describes the
# district well. An owner would then add members and points before trusting the numbers below.
#
# ## The decision after the log, and the page to hand over

# %%
after = mindgap.decide(weighed, units=4, horizon=26, worlds=512)
print(after.headline)
print(after.reason)
after.report("epidemic.html")
after

# %% [markdown]
# ## What was the log worth?
# A year of the real district, five times, with the policy for 0.3 and 0.3, the policy of the weighed
# ensemble, and the policy made with the true transmission.

# %%
policies = {
    "expected": expected,
    "learnt": mindgap.solve(weighed),
    "true parameters": mindgap.solve(simulator.model(truth)),
}
infections = pandas.DataFrame(
    {name: [-district(made, 13, seed)["reward"].sum() for seed in range(100, 105)] for name, made in policies.items()}
)
print("new infections per 1,000 people in a year:")
print(pandas.DataFrame({"mean": infections.mean(), "standard error": infections.sem()}).round(0).to_string())
