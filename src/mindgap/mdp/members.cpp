#include "mindgap/mdp/members.h"

#include <algorithm>
#include <limits>
#include <set>

#include "mindgap/base/check.h"
#include "mindgap/base/fingerprint.h"
#include "mindgap/mdp/mean_model.h"
#include "mindgap/mdp/without_rows.h"

namespace mindgap::mdp {
namespace {

std::vector<double> equal_weights(std::size_t size) {
  return std::vector<double>(size, 1 / static_cast<double>(size));
}

std::vector<double> checked_weights(std::vector<double> weights, std::size_t size) {
  if (weights.empty()) return equal_weights(size);
  base::check_size("Members", "weights", weights.size(), size);
  base::check_simplex("Members", "weights", weights);
  return weights;
}

// The model's probabilities at the places of the union's rows, 0 elsewhere. Both rows ascend.
void spread_over(const Mdp& all, const Mdp& model, std::span<double> probability) {
  for (std::int32_t k = 0; k < all.pairs(); ++k) {
    const Row row = model.row(k);
    std::int64_t at = all.row_begin()[k];
    for (std::size_t j = 0; j < row.size(); ++j, ++at) {
      while (all.next_state()[at] != row.next_state[j]) ++at;
      probability[static_cast<std::size_t>(at)] = row.probability[j];
    }
  }
}

// The model with other rewards and probabilities; moves of probability 0 are impossible.
Mdp with_rows(const Mdp& rows, std::span<const double> reward, std::span<const double> probability) {
  MdpArrays arrays = without_rows(rows);
  arrays.reward_max.reset();
  arrays.reward.assign(reward.begin(), reward.end());
  arrays.row_begin.assign(rows.row_begin().begin(), rows.row_begin().end());
  arrays.next_state.assign(rows.next_state().begin(), rows.next_state().end());
  arrays.probability.assign(probability.begin(), probability.end());
  return Mdp(std::move(arrays));
}

// out += w_i row_i for rows of the same length that lie one behind the other.
std::vector<double> weighted_sum(std::span<const double> rows, std::span<const double> weights) {
  const std::size_t size = rows.size() / weights.size();
  std::vector<double> sum(size);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] == 0) continue;
    const double* row = rows.data() + i * size;
    for (std::size_t j = 0; j < size; ++j) sum[j] += weights[i] * row[j];
  }
  return sum;
}

}  // namespace

Members::Members(const std::vector<Mdp>& models, std::vector<double> weights,
                 const std::vector<std::string>& names) {
  const NameTable table(names);
  if (!names.empty()) base::check_size("Members", "names", names.size(), models.size());
  check_same_pairs(models, table);
  // Equal weights, none of them 0: the union of all supports.
  const Mdp all = mean_model(models, equal_weights(models.size()));
  auto data = std::make_shared<Data>(
      Data{all, checked_weights(std::move(weights), models.size()), table, {}, {}, {}, {}});
  const auto pairs = static_cast<std::size_t>(all.pairs()),
             nonzeros = static_cast<std::size_t>(all.nonzeros());
  data->reward.reserve(models.size() * pairs);
  data->probability.resize(models.size() * nonzeros);
  data->same_support.assign(pairs, 1);
  for (std::size_t i = 0; i < models.size(); ++i) {
    data->reward.insert(data->reward.end(), models[i].reward().begin(), models[i].reward().end());
    spread_over(all, models[i], std::span(data->probability).subspan(i * nonzeros, nonzeros));
    for (std::int32_t k = 0; k < all.pairs(); ++k)
      if (models[i].row(k).size() < all.row(k).size()) data->same_support[static_cast<std::size_t>(k)] = 0;
  }
  std::vector<double> mean = weighted_sum(data->probability, data->weights);
  for (double& p : mean) p = std::max(p, std::numeric_limits<double>::min());
  data->mean = all.with_probability(std::move(mean)).with_reward(weighted_sum(data->reward, data->weights));
  data_ = std::move(data);
}

std::string Members::name(std::int32_t member) const {
  return name_or_number(data_->names, member);
}

std::int32_t Members::distinct() const {
  return data_->distinct.get([&] {
    std::set<std::string> different;
    for (std::int32_t i = 0; i < size(); ++i)
      different.insert(base::Fingerprint().add(reward(i)).add(probability(i)).text());
    return static_cast<std::int32_t>(different.size());
  });
}

std::span<const double> Members::reward(std::int32_t member) const {
  const auto pairs = static_cast<std::size_t>(mean().pairs());
  return std::span(data_->reward).subspan(static_cast<std::size_t>(member) * pairs, pairs);
}

std::span<const double> Members::probability(std::int32_t member) const {
  const auto nonzeros = static_cast<std::size_t>(mean().nonzeros());
  return std::span(data_->probability).subspan(static_cast<std::size_t>(member) * nonzeros, nonzeros);
}

Mdp Members::model(std::int32_t member) const {
  return with_rows(mean(), reward(member), probability(member));
}

Members Members::of_rows(const Mdp& rows, std::span<const double> reward, std::span<const double> probability,
                         std::vector<double> weights, const std::vector<std::string>& names) {
  const auto pairs = static_cast<std::size_t>(rows.pairs()),
             nonzeros = static_cast<std::size_t>(rows.nonzeros());
  base::check_size("Members", "rewards of members", reward.size(), weights.size() * pairs);
  base::check_size("Members", "probabilities of members", probability.size(), weights.size() * nonzeros);
  std::vector<Mdp> models;
  for (std::size_t i = 0; i < weights.size(); ++i)
    models.push_back(
        with_rows(rows, reward.subspan(i * pairs, pairs), probability.subspan(i * nonzeros, nonzeros)));
  return Members(models, std::move(weights), names);
}

bool Members::operator==(const Members& other) const {
  if (data_ == other.data_) return true;
  return data_->mean == other.data_->mean && data_->weights == other.data_->weights &&
         data_->names == other.data_->names && data_->reward == other.data_->reward &&
         data_->probability == other.data_->probability;
}

std::vector<double> Members::mean_reward(std::span<const double> weights) const {
  base::check_size("Members::mean_reward", "weights", weights.size(), data_->weights.size());
  return weighted_sum(data_->reward, weights);
}

std::vector<double> Members::mean_probability(std::span<const double> weights) const {
  base::check_size("Members::mean_probability", "weights", weights.size(), data_->weights.size());
  return weighted_sum(data_->probability, weights);
}

}  // namespace mindgap::mdp
