# %% [markdown]
# # A pendulum of unknown mass and length
# Gymnasium's Pendulum-v1: a weak motor swings a rod up and holds it there. The simulator is a program, not a
# table, and its states are numbers: an angle and a speed. Its owner knows the mass and the length of the
# real rod only roughly. Five steps lead from the program to a verdict and a report: a grid, a check of the
# grid, an ensemble of parameters, a log of real steps, and a decision.

# %%
from typing import Any

import gymnasium
import numpy as np
import pandas

import mindgap

TORQUES = [-2.0, 0.0, 2.0]
STEPS = 200  # of an episode: ten seconds


def pendulum(theta: Any) -> Any:
    env = gymnasium.make("Pendulum-v1")
    inner: Any = env.unwrapped
    inner.m, inner.l = theta["mass"], theta["length"]
    return env


# %% [markdown]
# ## The program, on a grid
# The grid is over the environment's state, (angle, speed). It must be able to put the environment into a
# state; Gymnasium's classic control can.

# %%
grid = mindgap.Grid([-np.pi, -8], [np.pi, 8], [41, 41], periodic=[True, False], names=["angle", "speed"])
simulator = mindgap.Simulator.from_gymnasium(
    pendulum,
    grid,
    actions=TORQUES,
    parameters={"mass": mindgap.Uniform(0.5, 2.0), "length": mindgap.Uniform(0.7, 1.4)},
    discount=0.97,
)
nominal = {"mass": 1.0, "length": 1.0}
solution = mindgap.solve(simulator.model(nominal))
print(simulator)
print(f"with mass 1 kg and length 1 m it promises {solution.value_at_start:.1f} (minus the cost, discounted)")

# %% [markdown]
# ## Is the grid fine enough?
# The policy is followed in the program itself, and the table is made again with every second point.

# %%
print(simulator.check(solution, episodes=20))

# %% [markdown]
# ## What is not known
# Each member is the table of one mass and length, spread evenly over what the owner thinks possible: 24
# members of 41 x 41 corners and 3 torques are 121,032 steps of the environment, a few seconds.
# 21 x 21 corners would do for acting, but not for weighing: with them (and 5 torques, 30 members) such a
# log spoke for 1.2 kg and 1 m, which is wrong. `weigh` warns where a grid is too coarse for it.

# %%
ensemble = simulator.ensemble(members=24)
print(ensemble)

# %% [markdown]
# ## A log of real steps
# Reality is played by a rod of 1.6 kg and 0.85 m. It hangs at rest; the policy for 1 kg and 1 m tries to
# swing it up for 200 steps, and we write down what happens: states, torques, rewards.

# %%
truth = {"mass": 1.6, "length": 0.85}


def episode(policy: Any, seed: int | None = None) -> pandas.DataFrame:
    """Steps of a policy with the real rod, one a row; without a seed from hanging at rest."""
    env = pendulum(truth)
    shown, _ = env.reset(seed=seed)
    if seed is None:
        env.unwrapped.state, shown = np.array([np.pi, 0.0]), [-1.0, 0.0, 0.0]
    rows = []
    for _ in range(STEPS):
        state = np.array(env.unwrapped.state)
        action = policy.act(shown)
        shown, reward, *_ = env.step(action)
        rows.append([*state, float(action[0]), float(reward), *env.unwrapped.state])
    return pandas.DataFrame(rows, columns=["angle", "speed", "action", "reward", "next_angle", "next_speed"])


log = episode(solution)
weighed = ensemble.weigh(log)
surprise = ensemble.surprise(log)
found = {name: float(weighed.weights @ values) for name, values in weighed.parameters.items()}
print(log.head(3).round(3).to_string(index=False))
print(f"members that explain {len(log)} steps: {weighed.effective_members:.1f} of {len(ensemble)}")
print(f"mass {found['mass']:.2f} kg, length {found['length']:.2f} m (weighted mean of the members)")
print(f"surprise {float(surprise):.3f}: below 0.01 no member would explain the log")

# %% [markdown]
# ## Deploy, learn, or experiment?
# Another 200 steps are ahead. Is the policy of today's knowledge good enough, should it be updated on the
# way, or is it worth trying torques out to learn more? Each plan is followed in 64 sampled models. It stays
# undecided: the log has left one or two members, and from there on all plans earn the same within a standard
# error or two. More models would tell smaller differences apart, none of which is worth waiting for; whoever
# must choose takes the simplest. `report` writes the page to hand over.

# %%
plans = ["sop", "average", "asop", "thompson"]
decision = mindgap.decide(weighed, units=1, horizon=STEPS, plans=plans, worlds=64, replan_every=50)
print(decision.headline)
print(decision.reason)
print(decision.plans[["name", "kind", "value", "standard_error"]].round(1).to_string(index=False))
decision.report("pendulum.html")
decision

# %% [markdown]
# ## What was the log worth?
# Here we know the truth, so we can look. Three policies swing the real rod in 20 episodes that start alike:
# the one for 1 kg and 1 m, the one of the weighed ensemble, and the one made with the true mass and length.

# %%
policies = {
    "nominal": solution,
    "learnt": mindgap.solve(weighed),
    "true parameters": mindgap.solve(simulator.model(truth)),
}
returns = pandas.DataFrame(
    {name: [episode(policy, seed)["reward"].sum() for seed in range(100, 120)] for name, policy in policies.items()}
)
table = pandas.DataFrame({"mean return": returns.mean(), "standard error": returns.sem()})
print(table.round(1).to_string())
lost = returns.sub(returns["true parameters"], axis=0)
print("less than with the true parameters, mean of 20 episodes:")
print(pandas.DataFrame({"difference": lost.mean(), "standard error": lost.sem()}).round(1).to_string())
