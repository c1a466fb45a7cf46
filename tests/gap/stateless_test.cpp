#include "mindgap/gap/stateless.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/constants/constants.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <limits>

#include "mindgap/base/distributions.h"
#include "mindgap/base/error.h"
#include "mindgap/base/random.h"

namespace mindgap::gap {
namespace stateless_test {

// The series below cancels to exp(-r^2/2) of its terms, 43 digits at r = 14.
using Wide = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<120>>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

StatelessProblem unit_problem(double discount, double prior_mean, std::int64_t units = 100) {
  return {units, discount, prior_mean, 1, 1};
}

// phi(r) - r Phi(-r) as it stands; Phi(-r) = 1/2 - phi(r) (r + r^3/3 + r^5/15 + ...) is summed in 120 digits,
// which is enough up to r = 14; beyond by Laplace's continued fraction for Phi(-r) / phi(r).
Wide wide_loss(double r) {
  const Wide x = r, density = exp(-x * x / 2) / boost::math::constants::root_two_pi<Wide>();
  if (r > 14) {
    Wide tail = x;
    for (int k = 6000; k > 0; --k) tail = x + k / tail;
    return density - x * density / tail;
  }
  Wide term = x, sum = 0;
  for (int k = 3; abs(term) > abs(sum) * 1e-119; k += 2) {
    sum += term;
    term *= x * x / k;
  }
  return density - x * (Wide(1) / 2 - density * sum);
}

// spec/tabular.md 1 and golden_tabular.json.
TEST(Stateless, GoldenLoss) {
  EXPECT_NEAR(unit_normal_loss(0), 0.3989422804014327, 1e-15);
  EXPECT_NEAR(unit_normal_loss(.5), 0.19779655740130603, 1e-15);
  EXPECT_NEAR(unit_normal_loss(1), 0.08331547058768629, 1e-15);
  EXPECT_NEAR(unit_normal_loss(2), 0.00849070261682966, 1e-16);
}

TEST(Stateless, LossHasSmallRelativeErrorEverywhere) {
  for (const double r : {1e-9, .3, 1.0, 1.9999, 2.0, 2.5, 4.0, 7.0, 10.0, 13.9, 20.0, 30.0, 37.0}) {
    const double error = static_cast<double>(abs(unit_normal_loss(r) / wide_loss(r) - 1));
    EXPECT_LT(error, 1e-13 + r * r * 1e-16) << r;
    EXPECT_NEAR(unit_normal_loss(-r), unit_normal_loss(r) + r, 1e-15 * (1 + r)) << r;
  }
  EXPECT_EQ(unit_normal_loss(kInfinity), 0);
  EXPECT_EQ(unit_normal_loss(-kInfinity), kInfinity);
  EXPECT_THROW(unit_normal_loss(std::nan("")), InvalidArgument);
}

// nu^2 = n_e/(4 + n_e) with unit variances: 12 units give 12/16.
TEST(Stateless, PreposteriorSd) {
  EXPECT_NEAR(preposterior_sd(unit_problem(1, .5), 12), std::sqrt(.75), 1e-15);
  EXPECT_EQ(preposterior_sd(unit_problem(1, .5), 0), 0);
  EXPECT_NEAR(preposterior_sd({100, 1, .5, 2, 3}, 1e15), 2, 1e-14);
  // s0^4 n_e / (4 s2 + s0^2 n_e) = 16 * 9 / (12 + 36) = 3
  EXPECT_NEAR(preposterior_sd({100, 1, .5, 2, 3}, 9), std::sqrt(3.0), 1e-15);
}

TEST(Stateless, GoldenValues) {
  EXPECT_NEAR(experiment_value(unit_problem(1, .25), 10), 21.431222923838366, 1e-12);
  EXPECT_NEAR(experiment_value(unit_problem(.9, .5), 10), 10.505860899803722, 1e-12);
  EXPECT_NEAR(experiment_value(unit_problem(1, .5), 20), 11.748444442116913, 1e-12);
  EXPECT_NEAR(experiment_value(unit_problem(.5, .1), 50), 14.29767447714427, 1e-12);
  EXPECT_NEAR(experiment_value(unit_problem(1, 1), 100), -42.133721616255315, 1e-12);
  EXPECT_EQ(experiment_value(unit_problem(1, 1), 0), 0);
  EXPECT_NEAR(regret_without_experiment(unit_problem(.9, .5)), 17.801690166118, 1e-11);
}

struct Golden {
  double discount, kappa, whole, value, real;
};

// golden_tabular.json, stateless.opt; n = 100, unit variances.
constexpr Golden kOptima[] = {
    {.5, .1, 25, 14.877745196939287, 25.221014813602586},
    {.5, .25, 15, 10.295438235170659, 14.605323803110684},
    {.5, .5, 9, 4.756659434469591, 8.676294315426466},
    {.5, .75, 5, 1.1933191255475317, 5.275312299026585},
    {.5, 1, 0, 0, 0},
    {.8, .1, 33, 24.65971014617866, 32.67335001067849},
    {.8, .25, 19, 17.723139322645633, 19.24689467006636},
    {.8, .5, 12, 9.122301453713474, 11.808169117834597},
    {.8, .75, 8, 3.339984688382092, 7.698376334700359},
    {.8, 1, 4, 0.010181666400491451, 4.197075692480246},
    {.9, .1, 35, 27.953061967850086, 34.83277750249776},
    {.9, .25, 21, 20.248992776206062, 20.592664361494236},
    {.9, .5, 13, 10.644798491172514, 12.71609626422758},
    {.9, .75, 8, 4.132482774429854, 8.393975470753483},
    {.9, 1, 5, 0.29349875303345074, 4.821640533755897},
    {1, .1, 37, 31.258019345883966, 36.87547650285458},
    {1, .25, 22, 22.794371267737628, 21.86591514969251},
    {1, .5, 14, 12.191150247299634, 13.575081548240146},
    {1, .75, 9, 4.960142960758123, 9.050537527663499},
    {1, 1, 5, 0.6038875033705007, 5.388518373919712},
};

TEST(Stateless, GoldenOptima) {
  for (const Golden& golden : kOptima) {
    const auto place = ::testing::Message() << "discount " << golden.discount << " kappa " << golden.kappa;
    const StatelessProblem problem = unit_problem(golden.discount, golden.kappa);
    const ExperimentSize whole = optimal_whole_experiment(problem), real = optimal_experiment(problem);
    EXPECT_EQ(whole.units, golden.whole) << place;
    EXPECT_NEAR(whole.value, golden.value, 1e-10) << place;
    EXPECT_NEAR(real.units, golden.real, 1e-6 * golden.real) << place;
    EXPECT_GE(real.value, whole.value) << place;
  }
  for (const double kappa : {1.5, 2.0, 5.0}) {
    EXPECT_EQ(optimal_whole_experiment(unit_problem(1, kappa)).units, 0);
    EXPECT_EQ(optimal_experiment(unit_problem(1, kappa)).units, 0);
  }
}

StatelessProblem random_problem(base::Stream& stream) {
  const auto between = [&](double low, double high) {
    return low * std::pow(high / low, base::uniform(stream));
  };
  StatelessProblem problem;
  problem.units = static_cast<std::int64_t>(between(1, 3000));
  problem.discount = between(.05, 1);
  problem.prior_sd = between(.1, 10);
  problem.prior_mean = problem.prior_sd * between(.01, 3);
  problem.observation_variance = between(.01, 100);
  return problem;
}

// Against every whole number, and a geometric grid for the real ones.
TEST(Stateless, OptimaAreGlobal) {
  base::Stream stream({7, base::Purpose::test});
  for (int trial = 0; trial < 200; ++trial) {
    const StatelessProblem problem = random_problem(stream);
    ExperimentSize best;
    for (std::int64_t units = 1; units <= problem.units; ++units) {
      const double value = experiment_value(problem, static_cast<double>(units));
      if (value > best.value) best = {static_cast<double>(units), value};
    }
    const ExperimentSize whole = optimal_whole_experiment(problem), real = optimal_experiment(problem);
    EXPECT_NEAR(whole.value, best.value, 1e-12 * best.value) << trial;
    EXPECT_EQ(whole.units, best.units) << trial;
    double on_grid = 0;
    const auto n = static_cast<double>(problem.units);
    for (double units = n; units > 1e-6; units /= 1.01) {
      on_grid = std::max(on_grid, experiment_value(problem, units));
    }
    EXPECT_GE(real.value, on_grid * (1 - 1e-12)) << trial;
    EXPECT_EQ(real.value > 0, real.units > 0) << trial;
  }
}

TEST(Stateless, WithoutAFavouriteEveryoneExperiments) {
  EXPECT_EQ(optimal_experiment(unit_problem(.9, 0)).units, 100);
  EXPECT_EQ(optimal_whole_experiment(unit_problem(.9, 0)).units, 100);
  EXPECT_EQ(optimal_experiment(unit_problem(0, 0)).units, 0);
  EXPECT_EQ(optimal_experiment(unit_problem(0, .5)).units, 0);
  EXPECT_EQ(optimal_whole_experiment(unit_problem(.9, 1e-200)).units, 100);
}

TEST(Stateless, GoldenFullExperimentThreshold) {
  EXPECT_NEAR(full_experiment_threshold(.5), 0.2760298047981437, 1e-14);
  EXPECT_NEAR(full_experiment_threshold(.8), 0.3799019954844697, 1e-14);
  EXPECT_NEAR(full_experiment_threshold(.9), 0.4091453027908809, 1e-14);
  EXPECT_NEAR(full_experiment_threshold(1), 0.4363265637936516, 1e-14);
  EXPECT_EQ(full_experiment_threshold(0), 0);
  EXPECT_THROW(full_experiment_threshold(1.1), InvalidArgument);
}

// spec/tabular.md 1: n = 100, unit variances.
TEST(Stateless, GoldenThreshold) {
  const double discount[] = {.5, .8, .9, 1}, real[] = {.88822, 1.00141, 1.03037, 1.05646};
  const double whole[] = {.8867, 1.0012, 1.0297, 1.0554};
  for (int i = 0; i < 4; ++i) {
    const StatelessProblem problem = unit_problem(discount[i], 0);
    EXPECT_NEAR(experiment_threshold(problem), real[i], 5e-6);
    EXPECT_NEAR(experiment_threshold(problem, ExperimentUnits::whole), whole[i], 5e-5);
  }
  EXPECT_EQ(experiment_threshold(unit_problem(0, 1)), 0);
}

TEST(Stateless, ThresholdParts) {
  base::Stream stream({8, base::Purpose::test});
  for (int trial = 0; trial < 50; ++trial) {
    StatelessProblem problem = random_problem(stream);
    for (const ExperimentUnits units : {ExperimentUnits::real, ExperimentUnits::whole}) {
      const bool is_whole = units == ExperimentUnits::whole;
      const double threshold = experiment_threshold(problem, units);
      const auto best = [&](double kappa) {
        problem.prior_mean = kappa * problem.prior_sd;
        return (is_whole ? optimal_whole_experiment(problem) : optimal_experiment(problem)).value;
      };
      // It is one of two neighbouring numbers, of which the lower pays and the upper does not.
      const double below = std::nextafter(threshold, 0), above = std::nextafter(threshold, 2 * threshold);
      EXPECT_TRUE(best(threshold) > 0 ? best(above) == 0 : best(below) > 0) << trial;
      EXPECT_GT(best(threshold * (1 - 1e-6)), 0) << trial;
      EXPECT_EQ(best(threshold * (1 + 1e-6)), 0) << trial;
    }
  }
}

// The error of A + correction vanishes like n^-1/2 and that of A alone tends to the correction.
TEST(Stateless, SquareRootLaw) {
  for (const double kappa : {.2, .7}) {
    double last = kInfinity;
    for (const std::int64_t units :
         {std::int64_t{10'000}, std::int64_t{1'000'000}, std::int64_t{100'000'000}}) {
      const StatelessProblem problem{units, .9, 2 * kappa, 2, 3};
      const SquareRootLaw law = square_root_law(problem);
      EXPECT_NEAR(law.correction, -(3 + kappa * kappa) * .75, 1e-14);
      const double error = std::abs(optimal_experiment(problem).units - law.leading - law.correction);
      EXPECT_LT(error, last / 8) << kappa << " " << units;  // in the limit a tenth
      last = error;
    }
    EXPECT_LT(last, .01) << kappa;
  }
  EXPECT_EQ(square_root_law(unit_problem(1, 0)).leading, kInfinity);
}

struct Estimate {
  double mean, standard_error;
};

// The model itself: draw Delta, give n_e/2 units each action, switch iff the posterior mean is negative. What
// is gained against everyone on the favoured action in both periods.
Estimate simulate(const StatelessProblem& problem, double experiment_units, std::int64_t draws) {
  base::Stream stream({42, base::Purpose::test});
  const double arm_sd = std::sqrt(problem.observation_variance / (experiment_units / 2));
  const double prior_precision = 1 / (problem.prior_sd * problem.prior_sd);
  const double data_precision = 1 / (2 * arm_sd * arm_sd);
  double sum = 0, squares = 0;
  for (std::int64_t i = 0; i < draws; ++i) {
    const double delta = problem.prior_mean + problem.prior_sd * base::normal(stream);
    const double favoured = delta + arm_sd * base::normal(stream), other = arm_sd * base::normal(stream);
    const double posterior = (prior_precision * problem.prior_mean + data_precision * (favoured - other)) /
                             (prior_precision + data_precision);
    const double later = posterior < 0 ? -problem.discount * static_cast<double>(problem.units) * delta : 0.0;
    const double gain = -experiment_units / 2 * delta + later;
    sum += gain;
    squares += gain * gain;
  }
  const auto count = static_cast<double>(draws);
  const double mean = sum / count;
  return {mean, std::sqrt((squares / count - mean * mean) / count)};
}

void compare_with_simulation(std::int64_t draws) {
  const StatelessProblem problems[] = {unit_problem(1, .25), unit_problem(.9, .5), {500, .8, .6, 2, 5}};
  for (const StatelessProblem& problem : problems) {
    for (const double units : {4.0, 20.0, 80.0}) {
      const Estimate estimate = simulate(problem, units, draws);
      EXPECT_NEAR(estimate.mean, experiment_value(problem, units), 3 * estimate.standard_error);
    }
  }
}

TEST(Stateless, ValueIsThatOfTheModel) {
  compare_with_simulation(100'000);
}
TEST(StatelessLong, ValueIsThatOfTheModel) {
  compare_with_simulation(1'000'000);
}

TEST(Stateless, BadArguments) {
  const StatelessProblem good = unit_problem(.9, .5);
  const auto bad = [&](auto change) {
    StatelessProblem problem = good;
    change(problem);
    EXPECT_THROW(problem.validate(), InvalidArgument);
    EXPECT_THROW(optimal_experiment(problem), InvalidArgument);
    EXPECT_THROW(optimal_whole_experiment(problem), InvalidArgument);
    EXPECT_THROW(experiment_threshold(problem), InvalidArgument);
    EXPECT_THROW(square_root_law(problem), InvalidArgument);
    EXPECT_THROW(regret_without_experiment(problem), InvalidArgument);
  };
  bad([](StatelessProblem& p) { p.units = 0; });
  bad([](StatelessProblem& p) { p.discount = 1.5; });
  bad([](StatelessProblem& p) { p.discount = std::nan(""); });
  bad([](StatelessProblem& p) { p.prior_mean = -.1; });
  bad([](StatelessProblem& p) { p.prior_sd = 0; });
  bad([](StatelessProblem& p) { p.observation_variance = 0; });
  bad([](StatelessProblem& p) { p.observation_variance = kInfinity; });
  EXPECT_THROW(experiment_value(good, -1), InvalidArgument);
  EXPECT_THROW(experiment_value(good, 101), InvalidArgument);
  EXPECT_THROW(preposterior_sd(good, -1), InvalidArgument);
}

}  // namespace stateless_test
}  // namespace mindgap::gap
