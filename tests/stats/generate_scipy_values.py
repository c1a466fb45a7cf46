#!/usr/bin/env python3
"""Writes tests/stats/scipy_values.h: data and what SciPy and statsmodels make of them.

    pip install scipy statsmodels
    python tests/stats/generate_scipy_values.py > tests/stats/scipy_values.h
    tools/format
"""

from types import SimpleNamespace

import numpy as np
import scipy
import statsmodels
from scipy import stats
from statsmodels.stats.multitest import multipletests

HEAD = """#pragma once

#include <vector>

// Written by generate_scipy_values.py with SciPy {scipy}, statsmodels {statsmodels}, NumPy {numpy}.
namespace mindgap::stats::scipy {{
"""


def number(value):
    return repr(float(value)).removesuffix(".0")


def numbers(values):
    return "{" + ", ".join(number(v) for v in values) + "}"


def vector(name, values):
    print(f"inline const std::vector<double> {name}{numbers(values)};")


def signed_ranks(size, modulus, below):
    """At most 210 different sizes, out of order; positive where i^2 mod modulus is small."""
    return [(1 if i * i % modulus < below else -1) * (i * 89 % 211) for i in range(1, size + 1)]


def tied(size):
    """Whole numbers with many ties and some zeros, rather more positive than negative."""
    return [((i * 37) % 23 - 9) for i in range(size)]


def student_quantiles():
    print("struct Quantile { double degrees_of_freedom, level, t; };\n// P(|T| <= t) = level")
    print("inline const std::vector<Quantile> kStudentQuantiles{")
    for df in (1, 2, 5, 30, 1000):
        for level in (0.5, 0.9, 0.95, 0.999):
            print(f"  {{{df}, {level}, {number(stats.t.ppf((1 + level) / 2, df))}}},")
    print("};\n")


def t_tests():
    print("struct TTest { std::vector<double> data; double level, p_value, lower, upper; };")
    print("inline const std::vector<TTest> kTTests{")
    plain = [1.2, -0.7, 3.1, 0.4, 2.2, -1.9, 0.8, 1.5, 0.1, 2.7, -0.3, 0.6]
    far = [100.1, 99.7, 100.4, 100.2, 99.9, 100.3, 99.8, 100.0]
    for data, level in ((plain, 0.95), (plain, 0.99), (far, 0.95), ([0.5, -1.25], 0.9)):
        test = stats.ttest_1samp(data, 0)
        interval = test.confidence_interval(level)
        ends = f"{number(interval.low)}, {number(interval.high)}"
        print(f"  {{{numbers(data)}, {level}, {number(test.pvalue)}, {ends}}},")
    print("};\n")


def wilcoxons(name, comment, method, samples):
    print("// " + comment)
    print(f"inline const std::vector<SignedRankTest> {name}{{")
    for data in samples:
        # For a two-sided test SciPy gives the smaller of W+ and W-; for a one-sided one W+.
        plus = stats.wilcoxon(data, alternative="greater", method=method, correction=True).statistic
        test = stats.wilcoxon(data, method=method, correction=True)
        print(f"  {{{numbers(data)}, {number(plus)}, {number(test.pvalue)}}},")
    print("};\n")


def multiple_testing():
    p = [0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344,
         0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0]
    p = [p[(i * 4) % 15] for i in range(15)]
    print("// The p-values of Benjamini and Hochberg (1995), shuffled; false_discovery_control of SciPy, holm of")
    print("// statsmodels.")
    vector("kPValues", p)
    vector("kBenjaminiHochberg", stats.false_discovery_control(p))
    vector("kHolm", multipletests(p, method="holm")[1])
    print()


def bootstraps():
    data = [0.12, 0.31, 0.44, 0.58, 0.9, 1.03, 1.41, 2.2, 3.75, 6.1037]
    rng = np.random.default_rng(1)
    replicates = [round(float(np.mean(rng.choice(data, 10))), 3) for _ in range(80)]
    print("// Intervals of the mean of kRows from given replicates.")
    vector("kRows", data)
    vector("kReplicates", replicates)
    print("struct Intervals { double level, percentile_lower, percentile_upper, bca_lower, bca_upper; };")
    print("inline const std::vector<Intervals> kIntervals{")
    given = SimpleNamespace(bootstrap_distribution=np.array(replicates))
    for level in (0.5, 0.8, 0.95):
        ends = []
        for method in ("percentile", "BCa"):
            result = stats.bootstrap((data,), np.mean, n_resamples=0, bootstrap_result=given,
                                     confidence_level=level, method=method)
            ends += [result.confidence_interval.low, result.confidence_interval.high]
        print(f"  {{{level}, " + ", ".join(number(e) for e in ends) + "},")
    print("};\n")


print(HEAD.format(scipy=scipy.__version__, statsmodels=statsmodels.__version__, numpy=np.__version__))
student_quantiles()
t_tests()
print("struct SignedRankTest { std::vector<double> data; double statistic, p_value; };")
wilcoxons("kExactWithoutTies", "Neither ties nor zeros.", "exact",
          [signed_ranks(7, 5, 2), signed_ranks(25, 7, 3), signed_ranks(50, 11, 6), signed_ranks(120, 13, 9),
           signed_ranks(200, 13, 7), [*range(1, 41)],
           # SciPy takes the upper tail as 1 minus the lower one, so tails below 2^-53 only on the lower side.
           [i if i <= 20 else -i for i in range(1, 101)], [-i for i in range(1, 201)]])
wilcoxons("kApproximate", "Ties and zeros, more than 200 that are not 0; continuity correction.", "asymptotic",
          [tied(230), tied(400), signed_ranks(201, 13, 7), [*range(1, 251)]])
multiple_testing()
bootstraps()
print("}  // namespace mindgap::stats::scipy")
