# %% [markdown]
# # A shop, from a plain function
# Every evening a shop orders up to four of something for tomorrow. It has room for ten. What it knows is a
# function that simulates a day, with customers as they were last year.
#
# The C++ twin, `examples/03_inventory.cpp`, has the law of a day where this one samples it, and finds the
# same orders. Other numbers differ by what 400 samples leave open, and by luck.

# %%
from functools import partial

import numpy as np
from numpy.typing import NDArray

import mindgap

Whole = NDArray[np.int32]
ROOM, MOST, PRICE, COST, KEEPING = 10, 4, 5.0, 3.0, 0.1


def day(stock: int, order: int, generator: np.random.Generator, *, customers: float) -> tuple[float, int]:
    """What a day earns, and what is left in the evening."""
    stock = min(ROOM, stock + order)
    sold = min(stock, int(generator.poisson(customers)))
    return PRICE * sold - COST * order - KEEPING * (stock - sold), stock - sold


last_year = partial(day, customers=0.5)
this_year = partial(day, customers=2.5)  # which nobody knows yet

# %% [markdown]
# ## The simulator, as a model
# Every pair of stock and order is simulated 400 times. How often we asked the simulator says nothing about
# the shop of this year, so the counts are taken off again; instead we say what we really know: a day may
# earn one more or less than simulated, and the simulated customers are worth three days of looking.

# %%
simulator = mindgap.Mdp.from_function(
    last_year,
    states=range(ROOM + 1),
    actions=range(MOST + 1),
    discount=0.95,
    samples=400,
    start=0,
    name="shop",
)
simulator = simulator.with_coverage(None).with_prior(reward_sd=1.0, transition_strength=3.0)
print(simulator)
solution = mindgap.solve(simulator)
print("orders by stock, as simulated:", solution.policy)
print(f"promised: {solution.value_at_start:.2f}, discounted")

# %% [markdown]
# ## Trust it, learn as we go, or experiment?

# %%
decision = mindgap.decide(simulator, units=3, horizon=100, worlds=64)
print(decision.headline)
plans = decision.plans[~decision.plans["screened"]]  # other pilots were tried at first, and left out
print(plans[["name", "kind", "value", "standard_error"]].round(1).to_string(index=False))
decision

# %% [markdown]
# ## Three shops in this year's world
# The truth is the same function with this year's customers. A planner of our own comes along: order whatever
# was sold yesterday.


# %%
class Replace:
    """Orders what was sold the day before."""

    name = "replace"

    def __init__(self, setting: mindgap.planners.Setting) -> None:
        self.sold = np.ones(setting.units, dtype=np.int32)

    def choose(self, step: int, states: Whole) -> Whole:
        return np.minimum(self.sold, MOST).astype(np.int32)

    def observe(
        self, step: int, states: Whole, actions: Whole, rewards: NDArray[np.float64], next_states: Whole
    ) -> None:
        self.sold = np.minimum(states + actions, ROOM) - next_states


truth = mindgap.Mdp.from_function(
    this_year, states=range(ROOM + 1), actions=range(MOST + 1), discount=0.95, samples=2000, start=0
)
comparison = mindgap.compare(
    world=mindgap.worlds.from_function(this_year, simulator=simulator, start=0),
    simulator=simulator,
    oracle=truth,
    planners=["oracle", "sop", "asop", "thompson", "fisher", Replace],
    units=3,
    horizons=[25, 100],
    trials=40,
)
print(comparison)
comparison
