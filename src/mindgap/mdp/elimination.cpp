#include "mindgap/mdp/elimination.h"

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>
#include <algorithm>
#include <utility>

#include "mindgap/base/check.h"
#include "mindgap/base/error.h"

namespace mindgap::mdp {
namespace {

using Edges = Eigen::SparseMatrix<char, Eigen::ColMajor, std::int32_t>;

// No order leaves less work than one multiplication for each successor that a state has at least.
double least_work(const Mdp& mdp) {
  double successors = 0;
  for (std::int32_t s = 0; s < mdp.states(); ++s) {
    std::int64_t most = 0;
    for (const std::int32_t k : mdp.pairs_of(s))
      most = std::max(most, mdp.row_begin()[k + 1] - mdp.row_begin()[k]);
    successors += static_cast<double>(most - 1);
  }
  return successors + static_cast<double>(mdp.nonzeros());
}

// Who can lead to whom, by any action.
Edges edges_of(const Mdp& mdp) {
  std::vector<Eigen::Triplet<char, std::int32_t>> each;
  each.reserve(static_cast<std::size_t>(mdp.nonzeros() + mdp.states()));
  for (std::int32_t s = 0; s < mdp.states(); ++s) {
    each.emplace_back(s, s, 1);
    for (const std::int64_t i : mdp.entries_of_state(s)) each.emplace_back(mdp.next_state()[i], s, 1);
  }
  Edges edges(mdp.states(), mdp.states());
  edges.setFromTriplets(each.begin(), each.end(), [](char one, char) { return one; });
  return edges;
}

bool leads_alike(const Mdp& mdp, std::int32_t state) {
  const auto successors = [&](std::int32_t pair) {
    const auto entries = mdp.entries_of(pair);
    return mdp.next_state().subspan(static_cast<std::size_t>(entries.first()), entries.size());
  };
  const auto first = successors(mdp.pairs_of(state).first());
  for (const std::int32_t k : mdp.pairs_of(state)) {
    if (!std::ranges::equal(successors(k), first)) return false;
  }
  return true;
}

}  // namespace

// The columns after the diagonal of a row are its own and those of the rows that it is the first to meet
// (George, Liu 1981, chapter 5, on the transitions and their reverses).
std::shared_ptr<const EliminationPlan> plan_elimination(const Mdp& mdp, double most_work) {
  if (!(mdp.discount() < 1)) throw InvalidArgument("Elimination: the discount is 1, but must be below 1");
  if (least_work(mdp) > most_work) return nullptr;
  const Edges edges = edges_of(mdp);
  const std::int32_t states = mdp.states();
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, std::int32_t> order;
  Eigen::AMDOrdering<std::int32_t>()(edges, order);
  const auto plan = std::make_shared<EliminationPlan>();
  plan->order.assign(order.indices().begin(), order.indices().end());
  std::vector<std::int32_t> place(plan->order.size());
  for (std::int32_t i = 0; i < states; ++i) place[plan->order[i]] = i;
  std::vector<std::vector<std::int32_t>> right(plan->order.size());  // some of them several times at first
  for (std::int32_t s = 0; s < states; ++s) {
    for (Edges::InnerIterator edge(edges, s); edge; ++edge) {
      const std::int32_t a = place[s], b = place[edge.index()];
      if (a != b) right[std::min(a, b)].push_back(std::max(a, b));
    }
  }
  plan->work = static_cast<double>(mdp.nonzeros());
  plan->left_begin.assign(plan->order.size() + 1, 0);
  plan->right_begin.assign(1, 0);
  for (std::vector<std::int32_t>& columns : right) {
    std::sort(columns.begin(), columns.end());
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
    const auto count = static_cast<double>(columns.size());
    plan->work += count * (count + 1);
    if (plan->work > most_work) return nullptr;
    if (!columns.empty()) {
      std::vector<std::int32_t>& meets = right[columns.front()];
      meets.insert(meets.end(), columns.begin() + 1, columns.end());
    }
    for (const std::int32_t j : columns) ++plan->left_begin[j + 1];
    plan->right.insert(plan->right.end(), columns.begin(), columns.end());
    plan->right_begin.push_back(static_cast<std::int64_t>(plan->right.size()));
  }
  plan->left.resize(plan->right.size());
  for (std::int32_t i = 0; i < states; ++i) plan->left_begin[i + 1] += plan->left_begin[i];
  std::vector<std::int64_t> end(plan->left_begin.begin(), plan->left_begin.end() - 1);
  for (std::int32_t i = 0; i < states; ++i) {
    for (const std::int32_t j : right[i]) plan->left[end[j]++] = i;
  }
  plan->joined.assign(plan->order.size(), 0);
  for (std::int32_t i = states - 1; i-- > 0;) {
    const auto& own = right[i];
    const bool joined = !own.empty() && own.front() == i + 1 && own.size() == right[i + 1].size() + 1;
    if (joined) plan->joined[i] = static_cast<std::uint8_t>(std::min(plan->joined[i + 1] + 1, 3));
  }
  for (const std::int32_t s : plan->order) plan->alike.push_back(leads_alike(mdp, s) ? 1 : 0);
  for (const std::int32_t s : mdp.next_state()) plan->column.push_back(place[s]);
  return plan;
}

Elimination::Elimination(std::shared_ptr<const EliminationPlan> plan)
    : plan_(std::move(plan)),
      right_(plan_->right.size()),
      inverse_(plan_->order.size()),
      x_(plan_->order.size()),
      row_(plan_->order.size()) {}

void Elimination::evaluate(const Numbers& model, std::span<const std::int32_t> pair_of_state,
                           std::span<double> value) {
  const EliminationPlan& plan = *plan_;
  const std::int32_t states = plan.states();
  base::check_size("Elimination::evaluate", "pair_of_state", pair_of_state.size(), plan.order.size());
  base::check_size("Elimination::evaluate", "value", value.size(), plan.order.size());
  const double g = model.shape.discount();
  double* row = row_.data();
  for (std::int32_t i = 0; i < states; ++i) {
    const std::int32_t k = pair_of_state[plan.order[i]];
    for (const std::int64_t e : model.shape.entries_of(k)) row[plan.column[e]] = -g * model.probability[e];
    row[i] += 1;
    double b = model.reward[k];
    for (std::int64_t l = plan.left_begin[i]; l < plan.left_begin[i + 1]; ++l) {
      const std::int32_t p = plan.left[l];
      if (row[p] == 0) continue;
      const double factor = row[p] * inverse_[p];
      row[p] = 0;
      for (std::int64_t u = plan.right_begin[p]; u < plan.right_begin[p + 1]; ++u)
        row[plan.right[u]] -= factor * right_[u];
      b -= factor * x_[p];
    }
    for (std::int64_t u = plan.right_begin[i]; u < plan.right_begin[i + 1]; ++u)
      right_[u] = std::exchange(row[plan.right[u]], 0.0);
    inverse_[i] = 1 / std::exchange(row[i], 0.0);
    x_[i] = b;
  }
  for (std::int32_t i = states; i-- > 0;) {
    double b = x_[i];
    for (std::int64_t u = plan.right_begin[i]; u < plan.right_begin[i + 1]; ++u)
      b -= right_[u] * x_[plan.right[u]];
    value[plan.order[i]] = x_[i] = b * inverse_[i];
  }
}

}  // namespace mindgap::mdp
