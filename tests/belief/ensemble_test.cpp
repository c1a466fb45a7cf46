#include "mindgap/belief/ensemble.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "belief/calibration.h"
#include "belief/ensembles.h"
#include "mindgap/base/error.h"
#include "mindgap/belief/at_least.h"
#include "mindgap/belief/belief.h"

namespace mindgap::belief {
namespace ensemble_test {

using mdp::Censoring;
using mdp::Mdp;
using mdp::Observation;

const std::vector<Observation> kGoldenData = {
    {.pair = 0, .reward = .35, .next_state = 0}, {.pair = 0, .reward = .1, .next_state = 0},
    {.pair = 1, .reward = .9, .next_state = 1},  {.pair = 1, .reward = .4, .next_state = 1},
    {.pair = 1, .reward = .55, .next_state = 0}, {.pair = 3, .reward = .8, .next_state = 1}};

void observe_all(Ensemble& ensemble, const std::vector<Observation>& data) {
  for (const Observation& seen : data) ensemble.observe(seen);
}

// Computed apart, in Python, from the definitions: golden_shared_errors.json, `ensemble`.
TEST(Ensemble, GoldenNumbers) {
  Ensemble ensemble = golden_ensemble();
  observe_all(ensemble, kGoldenData);
  const std::vector<double> log_evidence = {-4.679484580753212, -6.458916625683699, -6.761924726458867};
  const std::vector<double> weights = {.8687412983221472, .08795169222959703, .04330700944825574};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(ensemble.log_evidence()[i], log_evidence[i], 1e-10);
    EXPECT_NEAR(ensemble.weights()[i], weights[i], 1e-10);
  }
  EXPECT_NEAR(ensemble.total_log_evidence(), -5.231921862840028, 1e-10);
  EXPECT_NEAR(ensemble.effective_members(), 1.3083483446562403, 1e-10);
  const std::vector<double> reward = {.2392743021071893, .5261332406896605, .14790524505969843,
                                      .8181991479827411};
  const std::vector<double> stay = {.8954270331090362, .3185397111523467, .5002675346666171,
                                    .1854768016796899};
  const std::vector<double> variance = {.03827044493961397, .03005343406726846, .06244358981459944,
                                        .06703476383985707};
  const Mdp mean = ensemble.mean();
  for (std::int32_t k = 0; k < 4; ++k) {
    EXPECT_NEAR(ensemble.reward_mean(k), reward[static_cast<std::size_t>(k)], 1e-10);
    EXPECT_NEAR(mean.reward()[k], reward[static_cast<std::size_t>(k)], 1e-10);
    EXPECT_NEAR(ensemble.reward_variance(k), variance[static_cast<std::size_t>(k)], 1e-10);
    EXPECT_NEAR(mean.row(k).probability[0], stay[static_cast<std::size_t>(k)], 1e-10);
  }
}

TEST(Ensemble, WithoutDataItIsThePrior) {
  const Ensemble ensemble = golden_ensemble();
  EXPECT_EQ(ensemble.total_log_evidence(), std::log(1.0));
  EXPECT_NEAR(ensemble.weights()[1], .3, 1e-15);
  EXPECT_TRUE(ensemble.data().empty());
  for (std::int32_t k = 0; k < 4; ++k)
    EXPECT_NEAR(ensemble.mean().reward()[k], golden_members().mean().reward()[k], 1e-15);
}

// The definition, one observation after the other: rewards N(mean, variance + v) and then the Gaussian
// update, moves alpha_j / alpha and then one more count.
double evidence_in_sequence(const Ensemble& prior, std::int32_t member,
                            const std::vector<Observation>& data) {
  const Members& members = prior.members();
  std::vector<Gaussian> reward;
  std::vector<std::vector<double>> alpha;
  for (std::int32_t k = 0; k < members.mean().pairs(); ++k) {
    reward.push_back(gaussian_from_sd(members.reward(member)[k], prior.prior().reward_sd[k]));
    alpha.emplace_back(members.mean().row(k).size());
    prior.law().row(member, k, alpha.back());
  }
  double sum = 0;
  for (const Observation& seen : data) {
    const double v = prior.observation_variance()[seen.pair];
    Gaussian& belief = reward[static_cast<std::size_t>(seen.pair)];
    const double variance = 1 / belief.precision + v, off = *seen.reward - belief.mean;
    sum += -.5 * std::log(2 * M_PI * variance) - off * off / (2 * variance);
    belief = update(belief, *seen.reward, v);
    std::vector<double>& row = alpha[static_cast<std::size_t>(seen.pair)];
    const std::size_t place = *members.mean().row(seen.pair).find(*seen.next_state);
    sum += std::log(row[place] / std::accumulate(row.begin(), row.end(), 0.0));
    row[place] += 1;
  }
  return sum;
}

std::vector<Observation> random_data(const Members& members, std::size_t size) {
  base::Stream stream({3, base::Purpose::test});
  std::vector<Observation> data;
  for (std::size_t i = 0; i < size; ++i) {
    const auto pair = static_cast<std::int32_t>(base::uniform_index(stream, members.mean().pairs()));
    const mdp::Row row = members.mean().row(pair);
    const std::int64_t place = base::uniform_index(stream, static_cast<std::int64_t>(row.size()));
    data.push_back({.pair = pair, .reward = base::normal(stream), .next_state = row.next_state[place]});
  }
  return data;
}

Ensemble differing_ensemble(std::size_t size = 4, std::int32_t states = 7) {
  const Members members(differing_models(8, size, states));
  return {members, {per_pair(members, .6), per_pair(members, 3)}, per_pair(members, .5)};
}

// Members that call some of the moves impossible included.
TEST(Ensemble, EvidenceIsTheProductOfPredictiveDensitiesInSequence) {
  const Ensemble prior = differing_ensemble();
  Ensemble ensemble = prior;
  const std::vector<Observation> data = random_data(prior.members(), 300);
  observe_all(ensemble, data);
  for (std::int32_t i = 0; i < prior.members().size(); ++i)
    EXPECT_NEAR(ensemble.log_evidence()[i], evidence_in_sequence(prior, i, data), 1e-9);
}

TEST(Ensemble, TheOrderOfObservationsDoesNotMatter) {
  Ensemble forward = differing_ensemble(), backward = forward;
  std::vector<Observation> data = random_data(forward.members(), 300);
  observe_all(forward, data);
  std::ranges::reverse(data);
  observe_all(backward, data);
  for (std::int32_t i = 0; i < forward.members().size(); ++i)
    EXPECT_NEAR(forward.log_evidence()[i], backward.log_evidence()[i], 1e-10);
  for (std::int32_t k = 0; k < forward.members().mean().pairs(); ++k) {
    EXPECT_NEAR(forward.reward_mean(k), backward.reward_mean(k), 1e-12);
    EXPECT_NEAR(forward.transition_strength(k), backward.transition_strength(k), 1e-10);
  }
}

// Half an observation twice is the observation, up to the density's norming constant of a Gaussian to a
// power.
TEST(Ensemble, WeightsCount) {
  Ensemble halves = golden_ensemble(), whole = golden_ensemble(), moves = golden_ensemble();
  for (Observation seen : kGoldenData) {
    whole.observe(seen);
    seen.weight = .5;
    halves.observe(seen);
    halves.observe(seen);
  }
  for (std::int32_t i = 0; i < 3; ++i) EXPECT_NEAR(halves.weights()[i], whole.weights()[i], 1e-13);
  for (std::int32_t k = 0; k < 4; ++k) EXPECT_NEAR(halves.reward_mean(k), whole.reward_mean(k), 1e-13);
  // Gamma(8)/Gamma(8.5) Gamma(7.2 + .5)/Gamma(7.2) in the first member
  moves.observe({.pair = 0, .next_state = 0, .weight = .5});
  EXPECT_NEAR(moves.log_evidence()[0],
              std::lgamma(8) - std::lgamma(8.5) + std::lgamma(7.7) - std::lgamma(7.2), 1e-13);
}

TEST(Ensemble, OneMemberIsTheBelief) {
  const Mdp model = mdp::random_mdp(5, {.states = 9});
  const Members members({model});
  const Prior prior{per_pair(members, .4), per_pair(members, 3)};
  const std::vector<double> variance = per_pair(members, .7);
  Belief belief(model, prior, variance);
  Ensemble ensemble(members, prior, variance);
  EXPECT_EQ(ensemble.mean(), belief.mean());
  std::vector<Observation> data = random_data(members, 200);
  for (std::size_t i = 0; i < data.size(); i += 10) data[i].censored = Censoring::at_least;
  for (std::size_t i = 5; i < data.size(); i += 10) data[i].censored = Censoring::at_most;
  for (std::size_t i = 3; i < data.size(); i += 10) data[i].reward.reset();
  for (std::size_t i = 4; i < data.size(); i += 10) data[i].weight = 1.5;
  for (const Observation& seen : data) {
    belief.observe(seen);
    ensemble.observe(seen);
  }
  EXPECT_EQ(ensemble.weights()[0], 1);
  EXPECT_EQ(ensemble.censored_rewards(), belief.censored_rewards());
  EXPECT_EQ(ensemble.mean(), belief.mean());
  EXPECT_EQ(ensemble.sample(7, 3), belief.sample(7, 3));
  EXPECT_EQ(ensemble.transition_strengths(), belief.transition_strengths());
  EXPECT_EQ(ensemble.reward_variances(), belief.reward_variances());
}

// By hand: before anything else, a reward of member i is at least x with probability Phi((r_i - x) / s),
// s^2 = .2^2 + .25; then the pair follows the update by a bound in every member.
TEST(Ensemble, BoundsWeighMembersAndAreFollowedInEach) {
  Ensemble ensemble = golden_ensemble();
  ensemble.observe({.pair = 0, .reward = .3, .censored = Censoring::at_least});
  const double s = std::sqrt(.04 + .25);
  const std::vector<double> r = {.2, .6, .4}, w = {.5, .3, .2};
  std::vector<double> evidence;
  double total = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    evidence.push_back(.5 * std::erfc((.3 - r[i]) / s / std::sqrt(2.0)));
    total += w[i] * evidence[i];
    EXPECT_NEAR(ensemble.log_evidence()[i], std::log(evidence[i]), 1e-13);
  }
  double mean = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(ensemble.weights()[i], w[i] * evidence[i] / total, 1e-13);
    mean += ensemble.weights()[i] * update_at_least({r[i], 25}, .3, .25).mean;
  }
  EXPECT_NEAR(ensemble.reward_mean(0), mean, 1e-13);
  EXPECT_EQ(ensemble.censored_rewards(), 1);
  // a reward after it, and the mirror image of a bound far out, where erfc is 0
  Ensemble more = ensemble, far = golden_ensemble();
  more.observe({.pair = 0, .reward = .5});
  const Gaussian then = update_at_least({r[0], 25}, .3, .25);
  const double variance = 1 / then.precision + .25;
  EXPECT_NEAR(more.log_evidence()[0] - ensemble.log_evidence()[0],
              -.5 * std::log(2 * M_PI * variance) - (.5 - then.mean) * (.5 - then.mean) / (2 * variance),
              1e-12);
  far.observe({.pair = 0, .reward = -40, .censored = Censoring::at_most});
  const double a = (40 + r[0]) / s;  // log P(Z >= a) = -a^2/2 - log(a sqrt(2 pi)) - 1/a^2 + O(a^-4)
  EXPECT_NEAR(far.log_evidence()[0], -.5 * a * a - std::log(a * std::sqrt(2 * M_PI)) - 1 / (a * a), 1e-6);
}

// Row 0: member 0 stays for certain, member 1 leaves with probability 1/2. Dirichlet parameters 4 p + .01/2.
TEST(Ensemble, NoMemberDiesOfOneMove) {
  const Members members(
      {two_by_two({0, 0, 0, 0}, {1, 1, .5, .5}), two_by_two({0, 0, 0, 0}, {.5, 1, .5, .5})});
  Ensemble ensemble(members, {per_pair(members, 1), per_pair(members, 4)}, per_pair(members, 1));
  ensemble.observe({.pair = 0, .next_state = 1});
  EXPECT_NEAR(ensemble.log_evidence()[0], std::log(.005 / 4.01), 1e-12);
  EXPECT_NEAR(ensemble.log_evidence()[1], std::log(2.005 / 4.01), 1e-12);
  const double first = .005 / 2.01;
  EXPECT_NEAR(ensemble.weights()[0], first, 1e-12);
  EXPECT_NEAR(ensemble.mean().row(0).probability[1], (first * 0 + (1 - first) * 2 + 1.005) / 5.01, 1e-12);
}

TEST(Ensemble, MovesThatNoMemberHasAreCountedApart) {
  const Members members({two_by_two({0, 0, 0, 0}, {1, 1, .5, .5}), two_by_two({1, 0, 0, 0}, {1, 1, .5, .5})});
  Ensemble ensemble(members, {per_pair(members, 1), per_pair(members, 4)}, per_pair(members, 1));
  ensemble.observe({.pair = 1, .next_state = 1});
  ensemble.observe({.pair = 1, .next_state = 1, .weight = .5});
  ASSERT_EQ(ensemble.off_support().size(), 1u);
  EXPECT_EQ(ensemble.off_support()[0].pair, 1);
  EXPECT_EQ(ensemble.off_support()[0].next_state, 1);
  EXPECT_EQ(ensemble.off_support()[0].count, 1.5);
  EXPECT_EQ(ensemble.weights()[0], .5);
  EXPECT_EQ(ensemble.log_evidence()[0], 0);
  EXPECT_EQ(ensemble.mean().row(1).size(), 1u);
}

// Known rewards and rewards without noise: only what can tell members apart counts.
TEST(Ensemble, NoDiscrepancyOrNoNoise) {
  const Members members(
      {two_by_two({0, 0, 1, 1}, {.5, .5, .5, .5}), two_by_two({1, 1, 1, 1}, {.5, .5, .5, .5})});
  Ensemble ensemble(members, {{0, .5, 0, 1}, per_pair(members, 4)}, {.25, 0, 0, 1});
  ensemble.observe({.pair = 2, .reward = 7});  // known in all members: nothing to learn
  EXPECT_EQ(ensemble.log_evidence()[0], 0);
  Ensemble known = ensemble, noiseless = ensemble;
  known.observe({.pair = 0, .reward = .3});  // N(r_i, .25)
  EXPECT_NEAR(known.log_evidence()[0] - known.log_evidence()[1], (.49 - .09) / .5, 1e-13);
  EXPECT_NEAR(known.reward_mean(0), known.weights()[1], 1e-15);
  noiseless.observe({.pair = 1, .reward = .3});  // N(r_i, .5^2), and the same again is no news
  const double once = noiseless.log_evidence()[0];
  EXPECT_NEAR(once, -.5 * std::log(2 * M_PI * .25) - .09 / .5, 1e-13);
  noiseless.observe({.pair = 1, .reward = .3});
  EXPECT_NEAR(noiseless.log_evidence()[0], once, 1e-13);
  EXPECT_NEAR(noiseless.reward_variance(1), 0, 1e-30);
  EXPECT_NEAR(noiseless.reward_mean(1), .3, 1e-15);  // weights sum to 1 up to rounding
}

// Members whose evidence is far apart: weights in logs, none is NaN.
TEST(Ensemble, EvidenceMayBeAnything) {
  Ensemble ensemble = golden_ensemble();
  for (int i = 0; i < 100000; ++i) ensemble.observe({.pair = 0, .reward = 100, .next_state = 0});
  EXPECT_TRUE(std::isfinite(ensemble.total_log_evidence()));
  EXPECT_NEAR(std::accumulate(ensemble.weights().begin(), ensemble.weights().end(), 0.0), 1, 1e-12);
  EXPECT_GE(ensemble.effective_members(), 1);
}

// Row of Dirichlet means q_i and strength a: sum_j Var = sum_i w_i ((1-|q_i|^2)/(a+1) + |q_i - q|^2), by hand
// for the first row of the golden ensemble: stay .9, .6, .8; a = 8.
TEST(Ensemble, TransitionStrengthHasTheTotalVariance) {
  const std::vector<double> q = {.9, .6, .8}, w = {.5, .3, .2};
  double mean = 0, variance = 0;
  for (std::size_t i = 0; i < 3; ++i) mean += w[i] * q[i];
  for (std::size_t i = 0; i < 3; ++i)
    variance += w[i] * (2 * q[i] * (1 - q[i]) / 9 + 2 * (q[i] - mean) * (q[i] - mean));
  EXPECT_NEAR(golden_ensemble().transition_strength(0), 2 * mean * (1 - mean) / variance - 1, 1e-12);
}

// Draws of many seeds have the posterior's moments, and draws of one seed fall on members as their weights
// say: of n draws within a few of n w.
TEST(Ensemble, DrawsHaveThePosteriorsMoments) {
  Ensemble ensemble = golden_ensemble();
  observe_all(ensemble, kGoldenData);
  constexpr int kDraws = 20000;
  const double mean = ensemble.reward_mean(2), variance = ensemble.reward_variance(2);
  const double stay = ensemble.mean().row(2).probability[0],
               row_variance = stay * (1 - stay) / (ensemble.transition_strength(2) + 1);
  double reward = 0, squares = 0, p = 0, p_squares = 0;
  for (std::uint64_t seed = 0; seed < kDraws; ++seed) {
    const Mdp model = ensemble.sample(seed, 0);
    const double off = model.reward()[2] - mean, off_p = model.row(2).probability[0] - stay;
    reward += off / kDraws;
    squares += off * off / kDraws;
    p += off_p / kDraws;
    p_squares += off_p * off_p / kDraws;
  }
  EXPECT_NEAR(reward, 0, 4 * std::sqrt(variance / kDraws));
  EXPECT_NEAR(squares, variance,
              8 * variance * std::sqrt(2.0 / kDraws));  // tails are heavier than a Gaussian's
  EXPECT_NEAR(p, 0, 4 * std::sqrt(row_variance / kDraws));
  EXPECT_NEAR(p_squares, row_variance, 8 * row_variance * std::sqrt(2.0 / kDraws));
  for (const int draws : {20, 100, 1000}) {
    std::vector<double> hits(3);
    for (int d = 0; d < draws; ++d)
      ++hits[static_cast<std::size_t>(ensemble.member_of_draw(11, static_cast<std::uint64_t>(d)))];
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(hits[i], draws * ensemble.weights()[i], 4);
  }
}

TEST(Ensemble, DrawsAreTheSameForAnyThreads) {
  const Ensemble ensemble = differing_ensemble(3, 5000);
  const base::Threads two(2);
  EXPECT_EQ(ensemble.sample(3, 1), ensemble.sample(3, 1, two));
  EXPECT_FALSE(ensemble.sample(3, 1) == ensemble.sample(3, 2));
  EXPECT_FALSE(ensemble.sample(3, 1) == ensemble.sample(4, 1));
}

// The truth is a member by its weight, with its discrepancy; two observations of each pair, then the
// posterior. Each draw has a seed of its own: those of one seed are spread more evenly than independent ones.
Replication replicate_ensemble(Ensemble ensemble, base::Stream& stream, int draws) {
  const Mdp truth = ensemble.sample(stream.next(), 0);
  observe_world(ensemble, truth, 2, stream);
  const auto quantities = [](const Mdp& model) {
    return std::vector<double>{model.reward()[0], model.reward()[2], model.row(0).probability[0],
                               model.row(3).probability[0]};
  };
  Replication replication{quantities(truth), {}};
  for (int i = 0; i < draws; ++i) replication.draws.push_back(quantities(ensemble.sample(stream.next(), 0)));
  return replication;
}

// Members that do not agree on where the first and the last pair can lead.
Ensemble disagreeing_ensemble() {
  const Members members(
      {two_by_two({0, 0, 0, 0}, {1, .5, .5, .2}), two_by_two({1, 0, .5, 0}, {.5, .5, .5, 1}),
       two_by_two({0, 0, 1, 0}, {.7, .5, .5, 0})},
      {.5, .25, .25});
  return {
      members, {per_pair(members, .4), per_pair(members, 3)}, per_pair(members, .5), {.unseen_strength = .5}};
}

void expect_calibrated_ensembles(const CalibrationOptions& options) {
  for (const Ensemble& prior : {golden_ensemble(), disagreeing_ensemble()}) {
    expect_calibrated(
        options, [&](base::Stream& stream, int draws) { return replicate_ensemble(prior, stream, draws); });
  }
}

TEST(EnsembleCalibration, RanksOfTheTruthAreUniform) {
  expect_calibrated_ensembles({});
}

TEST(EnsembleCalibrationLong, RanksOfTheTruthAreUniform) {
  expect_calibrated_ensembles({.replications = 40000, .draws = 39});
}

TEST(Ensemble, BadArguments) {
  const Members members = golden_members();
  const auto make = [&](const Prior& prior, const std::vector<double>& variance, double unseen = .01) {
    return Ensemble(members, prior, variance, {unseen});
  };
  const std::vector<double> ones = per_pair(members, 1);
  EXPECT_THROW(make({{1, 1}, ones}, ones), InvalidArgument);
  EXPECT_THROW(make({{1, 1, 1, -1}, ones}, ones), InvalidArgument);
  EXPECT_THROW(make({ones, {1, 1, 0, 1}}, ones), InvalidArgument);
  EXPECT_THROW(make({ones, ones}, {1, 1}), InvalidArgument);
  EXPECT_THROW(make({ones, ones}, {1, 1, 1, -1}), InvalidArgument);
  for (const double unseen : {0.0, -1.0, std::nan(""), HUGE_VAL})
    EXPECT_THROW(make({ones, ones}, ones, unseen), InvalidArgument);
  EXPECT_THROW(make({{0, 1, 1, 1}, ones}, {0, 1, 1, 1}), InvalidArgument);  // rewards differ there
  Ensemble ensemble = golden_ensemble();
  EXPECT_THROW(ensemble.observe({.pair = 4, .reward = 1}), InvalidArgument);
  EXPECT_THROW(ensemble.observe({.pair = -1, .reward = 1}), InvalidArgument);
  EXPECT_THROW(ensemble.observe({.pair = 0, .reward = std::nan("")}), InvalidArgument);
  EXPECT_THROW(ensemble.observe({.pair = 0, .reward = 1, .next_state = 2}), InvalidArgument);
  EXPECT_THROW(ensemble.observe({.pair = 0, .reward = 1, .next_state = -1}), InvalidArgument);
  for (const double weight : {0.0, -1.0, std::nan(""), HUGE_VAL})
    EXPECT_THROW(ensemble.observe({.pair = 0, .reward = 1, .weight = weight}), InvalidArgument);
  EXPECT_TRUE(ensemble.data().empty());  // nothing was learnt
  EXPECT_THROW(static_cast<void>(ensemble.reward_mean(4)), InvalidArgument);
  EXPECT_THROW(static_cast<void>(ensemble.reward_variance(-1)), InvalidArgument);
  EXPECT_THROW(static_cast<void>(ensemble.transition_strength(4)), InvalidArgument);
}

// A Belief whose simulator is an ensemble says what the ensemble says.
TEST(BeliefOfEnsemble, IsTheEnsemble) {
  Ensemble ensemble = golden_ensemble();
  const Members members = golden_members();
  Belief belief(members.mean(), ensemble.prior(), per_pair(members, .25), {.members = members});
  for (const auto& [pair, reward, next] :
       {std::tuple{0, .35, 0}, std::tuple{1, .9, 1}, std::tuple{1, .4, 1}, std::tuple{3, .8, 1}}) {
    ensemble.observe({.pair = pair, .reward = reward, .next_state = next});
    belief.observe(pair, reward, next);
  }
  ASSERT_NE(belief.ensemble(), nullptr);
  EXPECT_TRUE(belief.learns_jointly());
  EXPECT_EQ(belief.mean(), ensemble.mean());
  EXPECT_EQ(belief.sample(42, 3), ensemble.sample(42, 3));
  EXPECT_EQ(belief.reward_variances(), ensemble.reward_variances());
  EXPECT_EQ(belief.transition_strengths(), ensemble.transition_strengths());
  EXPECT_EQ(belief.rewards_seen()[1].count, 2);
  // Before any data a pair's error is that within members and that between them.
  const double between = .5 * .16 * .16 + .3 * .24 * .24 + .2 * .04 * .04;  // of .2, .6, .4 around .36
  EXPECT_NEAR(belief.prior_reward_sd(0), std::sqrt(.2 * .2 + between), 1e-14);
  const Belief wider = belief.with_prior({per_pair(members, .4), per_pair(members, 2)});
  Ensemble other(members, {per_pair(members, .4), per_pair(members, 2)}, per_pair(members, .25));
  for (const auto& [pair, reward, next] :
       {std::tuple{0, .35, 0}, std::tuple{1, .9, 1}, std::tuple{1, .4, 1}, std::tuple{3, .8, 1}})
    other.observe({.pair = pair, .reward = reward, .next_state = next});
  EXPECT_EQ(wider.mean(), other.mean());
}

// What the mean will be after observations is spread, on average, around what it is now.
TEST(BeliefOfEnsemble, AfterObservations) {
  const Ensemble now = golden_ensemble();
  const std::vector<double> n{3, 0, 2.5, 0};
  constexpr int kDraws = 4000;
  std::vector<double> reward(4), probability(8);
  for (int i = 0; i < kDraws; ++i) {
    base::Stream stream({5, base::Purpose::test, static_cast<std::uint64_t>(i)});
    const mdp::Mdp later = now.after(now.sample(9, static_cast<std::uint64_t>(i)), n, stream).mean();
    for (std::size_t k = 0; k < 4; ++k) reward[k] += later.reward()[k] / kDraws;
    for (std::size_t j = 0; j < 8; ++j) probability[j] += later.probability()[j] / kDraws;
  }
  // Standard errors are below .3 / sqrt(4000) = .005.
  for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(reward[k], now.mean().reward()[k], .02) << k;
  for (std::size_t j = 0; j < 8; ++j) EXPECT_NEAR(probability[j], now.mean().probability()[j], .02) << j;
}

TEST(BeliefOfEnsemble, BadInput) {
  const Members members = golden_members();
  const Prior prior{per_pair(members, .2), per_pair(members, 8)};
  const std::vector<double> variance = per_pair(members, .25);
  EXPECT_THROW(Belief(members.mean(), prior, variance,
                      {.rewards = RewardModel::estimated_variance, .members = members}),
               InvalidArgument);
  EXPECT_THROW(Belief(members.mean(), prior, variance, {.bounds = {-5, 5}, .members = members}),
               InvalidArgument);
  EXPECT_THROW(Belief(members.model(0), prior, variance, {.members = members}), InvalidArgument);
}

// Means and variances of the ensemble from those of its members: the law of total variance.
TEST(Ensemble, MeansOfMembers) {
  Ensemble ensemble = golden_ensemble();
  observe_all(ensemble, kGoldenData);
  ensemble.observe({.pair = 2, .reward = .3, .censored = Censoring::at_least});
  const Mdp mean = ensemble.mean();
  for (std::int32_t k = 0; k < 4; ++k) {
    double reward = 0, squares = 0, stay = 0;
    for (std::int32_t i = 0; i < 3; ++i) {
      const Mdp member = ensemble.member_mean(i);
      reward += ensemble.weights()[i] * member.reward()[k];
      squares += ensemble.weights()[i] * member.reward()[k] * member.reward()[k];
      stay += ensemble.weights()[i] * member.row(k).probability[0];
    }
    EXPECT_NEAR(reward, mean.reward()[k], 1e-14);
    EXPECT_NEAR(stay, mean.row(k).probability[0], 1e-14);
    EXPECT_NEAR(ensemble.reward_variance_within(k) + squares - reward * reward, ensemble.reward_variance(k),
                1e-14);
  }
  EXPECT_EQ(ensemble.transition_strength_within(1), 8 + 3);
  EXPECT_THROW(ensemble.member_mean(3), InvalidArgument);
}

}  // namespace ensemble_test
}  // namespace mindgap::belief
