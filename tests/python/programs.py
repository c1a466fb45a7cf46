"""Small programs to tabulate."""

import numpy as np

import mindgap

PI = np.pi


def pendulum(state, action, theta, rng):
    """Gymnasium's, for one state or for many, with a mass and a length."""
    state = np.asarray(state)
    angle, speed = state[..., 0], state[..., 1]
    mass, length, dt = theta.get("mass", 1.0), theta.get("length", 1.0), 0.05
    wrapped = (angle + PI) % (2 * PI) - PI
    cost = wrapped**2 + 0.1 * speed**2 + 0.001 * action**2
    push = 15 / length * np.sin(angle) + 3 / (mass * length**2) * action
    speed = np.clip(speed + push * dt, -8, 8)
    return np.stack([angle + speed * dt, speed], axis=-1), -cost


def pendulum_grid(points=26):
    return mindgap.Grid([-PI, -8], [PI, 8], [points, points], periodic=[True, False], names=["angle", "speed"])


def pendulum_simulator(points=26, **words):
    given = {"reset": [[PI, 0.0]], "discount": 0.95, "vectorized": True, **words}
    return mindgap.Simulator(pendulum, pendulum_grid(points), [-2.0, 0.0, 2.0], **given)


def walk(state, action, theta, rng):
    """On a line from 0 to 1; the end beyond 1."""
    x = state[0] + (0.07 if action == "right" else -0.07) * theta.get("pace", 1.0)
    return max(x, 0.0), float(state[0]), x > 1


def walk_simulator(points=11, **words):
    grid = mindgap.Grid(0, 1, points, names=["x"])
    return mindgap.Simulator(walk, grid, ["left", "right"], **{"discount": 0.9, **words})
