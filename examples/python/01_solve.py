"""Builds a small model from arrays, solves it and prints the policy with its certificate: ../01_solve.cpp."""

import numpy as np

import mindgap

YOUNG, MIDDLE, OLD = range(3)
fire = 0.1  # takes the forest back
wait = [[fire, 1 - fire, 0], [fire, 0, 1 - fire], [fire, 0, 1 - fire]]
cut = [[1, 0, 0], [1, 0, 0], [1, 0, 0]]
forest = mindgap.Mdp.from_arrays(
    np.array([wait, cut]),
    [
        [0, 0],
        [0, 1],
        [4, 2],
    ],  # by age, then action: an old forest pays by standing, a younger one by its wood
    discount=0.9,
    layout="asS",
    state_names=["young", "middle", "old"],
    action_names=["wait", "cut"],
)
solution = mindgap.solve(forest)
for age in (YOUNG, MIDDLE, OLD):
    action = forest.action_names[solution.policy[age]]
    print(
        f"{forest.state_names[age]:6} -> {action:4}  {solution.value[age]:.3f} +- {solution.half_width:.0e}"
    )
