#include "mindgap/mdp/ahead.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "mdp/random_models.h"

namespace mindgap::mdp {
namespace {

std::vector<std::int32_t> sorted(std::span<const std::int32_t> states) {
  std::vector<std::int32_t> all(states.begin(), states.end());
  std::sort(all.begin(), all.end());
  return all;
}

// The largest discounted product of a path from `from` to each state, by Bellman and Ford: as many rounds as
// there are states.
std::vector<double> largest_products(const Mdp& mdp, std::span<const std::int32_t> from,
                                     std::span<const std::int32_t> pick) {
  std::vector<double> product(static_cast<std::size_t>(mdp.states()));
  for (const std::int32_t s : from) product[s] = 1;
  for (std::int32_t round = 0; round < mdp.states(); ++round) {
    for (std::int32_t s = 0; s < mdp.states(); ++s) {
      for (const std::int64_t j : mdp.entries_of(pick[s])) {
        double& to = product[mdp.next_state()[j]];
        to = std::max(to, mdp.discount() * product[s] * mdp.probability()[j]);
      }
    }
  }
  return product;
}

TEST(Ahead, FindsThePathsThatAreLikelyEnough) {
  Ahead ahead;  // the same one: nothing stays behind
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const Mdp mdp = random_mdp(seed, {.states = 25, .successors = 1 + static_cast<std::int32_t>(seed % 4)});
    std::vector<std::int32_t> pick;
    pick.reserve(25);
    for (std::int32_t s = 0; s < mdp.states(); ++s) pick.push_back(mdp.pairs_of(s).last() - 1);
    const std::vector<std::int32_t> from = {static_cast<std::int32_t>(seed % 25), 3, 3};
    const std::vector<double> product = largest_products(mdp, from, pick);
    for (const double least : {1.0, .3, .01, 1e-6}) {
      std::vector<std::int32_t> expected;
      for (std::int32_t s = 0; s < mdp.states(); ++s) {
        if (product[s] >= least) expected.push_back(s);
      }
      ahead.find(from, mdp, pick, least);
      ASSERT_EQ(sorted(ahead.states()), expected) << seed << ", " << least;
    }
  }
}

}  // namespace
}  // namespace mindgap::mdp
