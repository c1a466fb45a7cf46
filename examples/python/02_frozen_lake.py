# %% [markdown]
# # A frozen lake and a simulator that is wrong about it
# Gymnasium's FrozenLake: cross the ice from the start to the goal and do not fall into a hole. Our simulator
# believes that a step goes where it is meant to nine times out of ten. On the real lake it does so once in
# three. Whoever arrives or falls in begins again.
#
# The C++ twin, `examples/02_frozen_lake.cpp`, says the same of the lake's table. Its simulator is the law
# that this one samples: everything else differs by what 50,000 steps leave open, and by luck.

# %%
from typing import Any

import gymnasium
import numpy as np

import mindgap


class Again(gymnasium.Wrapper[Any, Any, Any, Any]):
    """An episode that ends begins anew."""

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        state, reward, terminated, truncated, info = self.env.step(action)
        if terminated:
            state, info = self.env.reset()
        return state, reward, False, truncated, info


def lake(success_rate: float) -> Again:
    return Again(gymnasium.make("FrozenLake-v1", success_rate=success_rate, max_episode_steps=-1))


# %%
table = mindgap.Mdp.from_gymnasium(gymnasium.make("FrozenLake-v1", success_rate=1 / 3), discount=0.99)
print(f"the real lake, from its table: {mindgap.solve(table).value_at_start:.6f} crossings, discounted")

# %% [markdown]
# ## The simulator, as a model
# Rollouts of the environment become a model. (Without `steps` its table would, which knows nothing of
# beginning again.) How often we asked the simulator says nothing about the lake, so its counts are taken
# off; instead we say how sure we are of it: a row of transitions is worth two observations, and rewards are
# in doubt only where the goal is near.

# %%
simulator = mindgap.Mdp.from_gymnasium(lake(0.9), discount=0.99, steps=50_000, name="the lake, as simulated")
simulator = simulator.with_coverage(None).with_variance(0.1)
doubt = np.where(simulator.reward > 0, 0.3, 0.0)
simulator = simulator.with_prior(reward_sd=doubt, transition_strength=2.0)
solution = mindgap.solve(simulator)
print(simulator)
print(f"promised: {solution.value_at_start:.2f} crossings, discounted")

# %% [markdown]
# ## Where could it be wrong?

# %%
diagnosis = mindgap.diagnose(simulator, top=5)
print(diagnosis)
diagnosis

# %% [markdown]
# ## Is it worth finding out?
# Five walkers and 200 steps: trust the simulator, learn on the way, or experiment first?

# %%
decision = mindgap.decide(simulator, units=5, horizon=200, worlds=64)
print(decision.headline)
plans = decision.plans[~decision.plans["screened"]]  # other pilots were tried at first, and left out
print(plans[["name", "kind", "value", "standard_error"]].round(2).to_string(index=False))
decision

# %% [markdown]
# ## On the real lake
# Here we know the truth, so we can look: planners that begin with the wrong simulator, in the real
# environment, all with common random numbers. The oracle is told the truth.

# %%
truth = mindgap.Mdp.from_gymnasium(lake(1 / 3), discount=0.99, steps=50_000)
comparison = mindgap.compare(
    world=lambda: lake(1 / 3),
    simulator=simulator,
    oracle=truth,
    planners=["oracle", "sop", "asop", "thompson", "fisher"],
    units=5,
    horizons=[100, 400],
    trials=20,
)
print(comparison)
comparison

# %% [markdown]
# ## A planner in a loop of your own
# The same planners act wherever you let them. States and actions are the environment's, also where the
# model leaves out what it never saw.

# %%
env = lake(1 / 3)
planner = mindgap.planners.make("thompson", simulator=simulator, horizon=2000)
state, info = env.reset(seed=1)
crossings = []
for step in range(2000):
    action = planner.act(state)
    next_state, reward, ended, cut, info = env.step(action)
    planner.observe(state, action, float(reward), next_state)
    crossings.append(float(reward))
    state = next_state
print("one walker, crossings in each 500 steps:", np.add.reduceat(crossings, range(0, 2000, 500)))
