"""Models come and go without a trace."""

import gc
import os
import subprocess
import sys

import numpy as np
import pytest
from scipy import sparse

from mindgap import InvalidModel, Mdp


def resident():
    """Bytes of memory this process holds."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def growth(work, times, warm_up):
    for _ in range(warm_up):
        work()
    gc.collect()
    before = resident()
    for _ in range(times):
        work()
    gc.collect()
    return resident() - before


P = np.full((4, 40, 40), 1 / 40)
R = np.zeros((40, 4))
CSR = sparse.csr_array(np.full((160, 40), 1 / 40))


def make_all():
    """Some 80 kB each."""
    model = Mdp.from_arrays(P, R, 0.9, state_names=[f"s{i}" for i in range(40)])
    other = Mdp.from_scipy(CSR, R, 0.9).with_discount(0.5).with_variance(R + 1)
    assert model.probability is not other.probability
    try:
        Mdp.from_arrays(P * 0.5, R, 0.9)
    except InvalidModel:
        pass


def test_no_leak():
    # A leak of one model would be 1000 * 80 kB.
    assert growth(make_all, times=1000, warm_up=100) < 8e6


@pytest.mark.long
def test_no_leak_over_1e5_creations():
    small, worth = P[:, :4, :4] * 10, R[:4]
    # A leak of 100 bytes each would be 10 MB.
    assert growth(lambda: Mdp.from_arrays(small, worth, 0.9, layout="asS"), times=100_000, warm_up=1000) < 5e6


def test_views_keep_their_model_and_nothing_else_does():
    code = (
        "import numpy as np, mindgap\n"
        "m = mindgap.Mdp.from_arrays(np.full((2, 3, 3), 1 / 3), np.zeros((3, 2)), 0.9)\n"
        "p, c = m.probability, m.with_coverage(1).coverage\n"
        "del m\n"
        "assert p.sum() > 0 and c.sum() == 6\n"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stderr == "", "nanobind says at the end what was never freed"
