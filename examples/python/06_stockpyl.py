# %% [markdown]
# # A shop whose simulator somebody else wrote
# The simulator is [stockpyl](https://pypi.org/project/stockpyl), a package for inventories:
# `pip install -r examples/python/requirements.txt`. A shop orders every evening, the goods arrive next
# morning, and customers who find the shelf empty buy elsewhere. How many customers come is not known.
#
# stockpyl's simulation has no lost sales: whoever finds the shelf empty waits. We get lost sales from it by
# simulating one day at a time and forgetting those who wait at the end of it. The price of goods, which its
# simulation does not know either, is taken off here.

# %%
import contextlib
import importlib
import importlib.util
import multiprocessing
import sys
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import numpy as np
import pandas

import mindgap

if importlib.util.find_spec("stockpyl") is None:
    print("06_stockpyl.py wants stockpyl: pip install -r examples/python/requirements.txt", file=sys.stderr)
    sys.exit(2)
network_of: Any = importlib.import_module("stockpyl.supply_chain_network")
sim: Any = importlib.import_module("stockpyl.sim")

ROOM, PRICE, COST, KEEPING = 20, 5.0, 3.0, 0.2
ORDERS = [0, 3, 6, 9, 12]

# %% [markdown]
# ## A day of the program
# `step` puts stockpyl's network into a state, lets one day pass, and reads off what is left. All luck comes
# from `rng`, from which stockpyl's own generator is seeded.

# %%
network: Any = network_of.single_stage_system(
    holding_cost=KEEPING,
    stockout_cost=0,
    revenue=PRICE,
    demand_type="P",
    mean=5,
    policy_type="BS",
    base_stock_level=0,
    shipment_lead_time=1,
)
shop: Any = network.nodes[0]


def step(state: Any, order: int, theta: Mapping[str, float], rng: np.random.Generator) -> tuple[float, float]:
    """Tomorrow's stock, and what today earns."""
    shop.initial_inventory_level = float(state[0])
    shop.demand_source.mean = theta["customers"]
    sim.initialize(network, 1, rand_seed=int(rng.integers(2**32)))
    sim.step(network, order_quantity_override={shop.index: {None: {None: order}}}, consistency_checks="N")
    today, tomorrow = shop.state_vars[0], shop.state_vars[1]
    left = max(0.0, sum(today.inventory_level.values()))  # below zero are those who would wait
    coming = sum(pipeline[0] for pipeline in tomorrow.inbound_shipment_pipeline[None].values())
    return min(ROOM, left + coming), -today.total_cost_incurred - COST * order


rng = np.random.default_rng(1)
for _ in range(3):
    print("8 on the shelf, 6 ordered, 5 customers a day: tomorrow %g, earned %.1f" % step([8], 6, {"customers": 5.0}, rng))

# %% [markdown]
# ## The program, as tables
# The stock is a whole number from 0 to 20, and each is a point of the grid. No state lies between points, so
# the grid itself makes no error. The 60 samples of each row do: `discrepancy` says so. A day's earnings vary
# with a standard deviation of about 9, so the mean of 60 is known to about 1.2.

# %%
simulator = mindgap.Simulator(
    step,
    mindgap.Grid(0, ROOM, ROOM + 1, names=["stock"]),
    ORDERS,
    parameters={"customers": mindgap.Uniform(2, 10)},
    reset=[[0.0]],
    discount=0.97,
    samples=60,
    discrepancy={"reward_sd": 1.2, "transition_strength": 60, "reward_variance": 81},
    name="shop",
)
print(simulator)
calls = simulator.grid.corners * len(ORDERS) * simulator.samples
print(f"12 members are {12 * calls:,} days of stockpyl at about a millisecond each: half a minute on two idle cores")
on_linux = sys.platform == "linux"  # elsewhere processes start anew and cannot see a notebook's functions
pool: Any = contextlib.nullcontext()
if on_linux:
    pool = ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("fork"))
with pool as executor:
    ensemble = simulator.ensemble(members=12, executor=executor)
print(ensemble)
print("customers a day, by member:", ensemble.parameters["customers"].round(1))

# %% [markdown]
# ## What to order, if customers are as expected
# The owner expects five customers a day and would order by that.

# %%
expected = mindgap.solve(simulator.model({"customers": 5.0}))
print("orders by stock:", [ORDERS[action] for action in expected.policy])
print(f"promised: {expected.value_at_start:.0f}, discounted")

# %% [markdown]
# ## Deploy, learn, or experiment?
# One shop and a hundred days.

# %%
decision = mindgap.decide(ensemble, units=1, horizon=100, worlds=512)
print(decision.headline)
print(decision.reason)
plans = decision.plans[~decision.plans["screened"]]
print(plans[["name", "kind", "value", "standard_error"]].round(1).to_string(index=False))
decision

# %% [markdown]
# ## Thirty real days
# In truth eight customers come. The log shows sales only: on a day that sells out nobody knows how many
# customers went elsewhere. The tables know that, because they end at an empty shelf as well.

# %%
truth = {"customers": 8.0}


def days(policy: Any, count: int, seed: int) -> pandas.DataFrame:
    """Real days of a policy, one a row."""
    rng, stock, rows = np.random.default_rng(seed), 0.0, []
    for _ in range(count):
        order = policy.act([stock])
        next_stock, earned = step([stock], order, truth, rng)
        rows.append([stock, order, earned, next_stock])
        stock = next_stock
    return pandas.DataFrame(rows, columns=["stock", "action", "reward", "next_stock"])


as_tabulated = simulator.policy(expected, lookahead=False)  # one step ahead would be 300 days of stockpyl
log = days(as_tabulated, 30, seed=1)
weighed = ensemble.weigh(log)
customers = float(weighed.weights @ weighed.parameters["customers"])
sold_out = int((log["next_stock"] == log["action"]).sum())
print(log.head(5).to_string(index=False))
print(f"days that sold out: {sold_out} of {len(log)}")
print(f"members that explain the log: {weighed.effective_members:.1f} of {len(ensemble)}")
print(f"customers a day: {customers:.1f} (weighted mean of the members)")
print(f"surprise {float(ensemble.surprise(log)):.3f}: below 0.01 no member would explain the log")

# %% [markdown]
# ## The decision after the log, and the page to hand over
# Plans differ by less now: 512 sampled models leave it undecided, 2,048 settle it.

# %%
after = mindgap.decide(weighed, units=1, horizon=100, worlds=2048)
print(after.headline)
print(after.reason)
after.report("stockpyl.html")
after

# %% [markdown]
# ## What was the log worth?
# Twenty times a hundred days of the real shop, all with the same customers: ordering for the five expected,
# for what the log says, and for the eight who really come.

# %%
policies = {
    "expected": expected,
    "learnt": mindgap.solve(weighed),
    "true parameters": mindgap.solve(simulator.model(truth)),
}
earned = pandas.DataFrame(
    {
        name: [days(simulator.policy(made, lookahead=False), 100, seed)["reward"].mean() for seed in range(100, 120)]
        for name, made in policies.items()
    }
)
print("earned a day:")
print(pandas.DataFrame({"mean": earned.mean(), "standard error": earned.sem()}).round(2).to_string())
