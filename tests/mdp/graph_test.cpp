#include "mindgap/mdp/graph.h"

#include <gtest/gtest.h>

#include "mdp/random_models.h"
#include "mindgap/base/error.h"

namespace mindgap::mdp {
namespace graph_test {

// Reachability by Floyd and Warshall's closure: the slow oracle.
std::vector<std::vector<bool>> closure(const Mdp& mdp, const Policy* policy = nullptr) {
  const int n = mdp.states();
  const std::vector<double> probability =
      policy ? policy->probability_of_pair(mdp) : std::vector<double>(mdp.pairs(), 1);
  std::vector<std::vector<bool>> reach(n, std::vector<bool>(n, false));
  for (int s = 0; s < n; ++s) {
    reach[s][s] = true;
    for (auto k = mdp.pair_begin()[s]; k < mdp.pair_begin()[s + 1]; ++k) {
      if (!(probability[k] > 0)) continue;
      for (auto i = mdp.row_begin()[k]; i < mdp.row_begin()[k + 1]; ++i) reach[s][mdp.next_state()[i]] = true;
    }
  }
  for (int k = 0; k < n; ++k) {
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) reach[i][j] = reach[i][j] || (reach[i][k] && reach[k][j]);
    }
  }
  return reach;
}

void compare_with_closure(const Mdp& mdp, const Policy* policy) {
  const auto reach = closure(mdp, policy);
  const int n = mdp.states();
  const Components components = strongly_connected_components(mdp, policy);
  for (int i = 0; i < n; ++i) {
    const std::vector<std::int32_t> source{i};
    const auto reached = reachable(mdp, source, policy);
    bool leaves = false;
    for (int j = 0; j < n; ++j) {
      ASSERT_EQ(reached[j] != 0, reach[i][j]);
      ASSERT_EQ(components.of_state[i] == components.of_state[j], reach[i][j] && reach[j][i]);
      if (reach[i][j]) {
        ASSERT_LE(components.of_state[j], components.of_state[i]);
      }
      leaves = leaves || (reach[i][j] && !reach[j][i]);
    }
    ASSERT_EQ(components.closed[components.of_state[i]] != 0, !leaves);
  }
}

TEST(Graph, AgreesWithTheTransitiveClosure) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Mdp mdp =
        random_mdp(seed, {.states = 2 + static_cast<int>(seed % 15), .actions = 2, .successors = 1});
    compare_with_closure(mdp, nullptr);
    const Policy first = Policy::deterministic(
        mdp, std::vector<std::int32_t>(mdp.pair_begin().begin(), mdp.pair_begin().end() - 1));
    compare_with_closure(mdp, &first);
  }
}

TEST(Graph, ReverseSearchOrdersByDistance) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const Mdp mdp = random_mdp(seed, {.states = 12, .actions = 2, .successors = 1});
    const std::vector<std::int32_t> target{3};
    const ReverseSearch search = search_towards(mdp, target);
    const auto reach = closure(mdp);
    EXPECT_EQ(search.order.front(), 3);
    std::vector<int> distance(12, -1);  // Bellman-Ford on unit lengths
    distance[3] = 0;
    for (int round = 0; round < 12; ++round) {
      for (int s = 0; s < 12; ++s) {
        for (auto i = mdp.row_begin()[mdp.pair_begin()[s]]; i < mdp.row_begin()[mdp.pair_begin()[s + 1]];
             ++i) {
          const int next = distance[mdp.next_state()[i]];
          if (next >= 0 && (distance[s] < 0 || next + 1 < distance[s])) distance[s] = next + 1;
        }
      }
    }
    int last = 0;
    for (const std::int32_t s : search.order) {
      EXPECT_GE(distance[s], last);
      last = distance[s];
    }
    EXPECT_EQ(search.levels, last);
    for (int s = 0; s < 12; ++s) {
      const bool found = std::find(search.order.begin(), search.order.end(), s) != search.order.end();
      EXPECT_EQ(found, reach[s][3]);
    }
  }
}

TEST(Graph, FindsAbsorbingStates) {
  MdpArrays arrays;
  arrays.discount = 0.5;
  arrays.pair_begin = {0, 1, 3, 4};
  arrays.pair_action = {0, 0, 1, 0};
  arrays.row_begin = {0, 2, 3, 4, 5};
  arrays.next_state = {0, 1, 1, 2, 2};
  arrays.probability = {0.5, 0.5, 1, 1, 1};
  arrays.reward = {0, 0, 0, 0};
  EXPECT_EQ(absorbing_states(Mdp(arrays)), (std::vector<std::int32_t>{2}));
}

TEST(Graph, RefusesStatesThatDoNotExist) {
  const Mdp mdp = random_mdp(1);
  const std::vector<std::int32_t> bad{5};
  EXPECT_THROW(reachable(mdp, bad), InvalidArgument);
  EXPECT_THROW(search_towards(mdp, bad), InvalidArgument);
}

}  // namespace graph_test
}  // namespace mindgap::mdp
