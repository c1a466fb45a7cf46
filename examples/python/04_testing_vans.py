# %% [markdown]
# # Eight testing vans
# A city of 40 zones, history dense in region A and none in region B. Where could the simulator be wrong, is
# it worth finding out, and where should the vans go?
#
# The C++ twin, `examples/04_testing_vans.cpp`, says the same but for the last comparison, where it has its
# own luck and the noise of region A in all of the city.

# %%
from pathlib import Path

import mindgap

here = Path(globals().get("__file__", "")).resolve()  # a notebook has no file, but runs in its folder
places = [place / "examples/vans" for place in [here, *here.parents]]
folder = next((place for place in places if (place / "model.toml").is_file()), None)
if folder is None:
    raise SystemExit(f"no examples/vans in a folder above {here}: run this inside a copy of the repository")
vans = mindgap.read_model(folder)
print(mindgap.solve(vans))

# %% [markdown]
# ## Where could it be wrong?
# `coverage.csv` says how often history saw each pair. What the vans' optimal policy never visits, waiting
# will never show.

# %%
diagnosis = mindgap.diagnose(vans, coverage=folder / "coverage.csv", odds=2, top=5)
print(diagnosis)
diagnosis

# %% [markdown]
# ## Deploy, learn, or experiment?
# In a notebook, `decision` by itself, at the end of a cell, shows pictures; `decision.report("vans.html")`
# writes the page to hand over.

# %%
decision = mindgap.decide(vans, units=8, horizon=100, coverage=folder / "coverage.csv", worlds=128)
print(decision.headline)
print(decision.reason)
plans = decision.plans[~decision.plans["screened"]]  # other plans were tried at first, and left out
print(plans[["name", "kind", "value", "standard_error"]].round(1).to_string(index=False))
decision

# %% [markdown]
# ## Where the vans go

# %%
design = mindgap.design(vans, units=8, steps=10, coverage=folder / "coverage.csv")
print(design)
design

# %% [markdown]
# ## How would it have gone?
# We do not know the city. But we can draw one from what we believe and let the planners loose in it.

# %%
belief = mindgap.planners.Belief(vans.with_coverage(None))
city = belief.sample(seed=7, draw=0)
best = mindgap.solve(city).value_at_start
print(f"the best policy of the drawn city earns {best:.3f} per van, discounted")
comparison = mindgap.compare(
    world=lambda: city.to_env(noise=True),
    simulator=vans,
    oracle=city,
    planners=["oracle", "sop", "asop", "thompson", "fisher"],
    units=8,
    horizons=[20, 100],
    trials=20,
)
print(comparison)
comparison
