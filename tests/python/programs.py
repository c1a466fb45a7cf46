"""Small programs to tabulate."""

import gymnasium
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


class Hidden(gymnasium.Env):
    """A line from 0 to 1 whose place nobody can set: action 1 moves on, action 0 stays."""

    observation_space = gymnasium.spaces.Box(0, 1, (1,))
    action_space = gymnasium.spaces.Discrete(2)

    def __init__(self):
        self.place = np.zeros(1)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place = np.zeros(1)
        return self.place, {}

    def step(self, action):
        self.place = np.clip(self.place + 0.05 * action, 0, 1)
        return self.place, float(self.place[0]), False, False, {}


def returns(env_id, solution, episodes=20):
    """Of the policy in the environment itself, from its own resets, undiscounted and with its time limit."""
    env, found = gymnasium.make(env_id), []
    for episode in range(episodes):
        shown, _ = env.reset(seed=episode)
        found.append(0.0)
        over = False
        while not over:
            shown, reward, terminated, truncated, _ = env.step(solution.act(shown))
            found[-1] += float(reward)
            over = terminated or truncated
    return np.array(found)
