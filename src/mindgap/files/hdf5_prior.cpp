#include "mindgap/files/hdf5_model.h"

#include <fmt/format.h>

#include <optional>

#include "mindgap/base/error.h"
#include "mindgap/files/text_file.h"

namespace mindgap::files {

using namespace mdp;  // what these files hold
namespace {

void read_group_sds(const Hdf5Reader& file, const Mdp& mdp, const std::vector<double>& values,
                    SharedSpec& shared) {
  const NameTable& groups = mdp.labels().groups;
  shared.group_sds.assign(static_cast<std::size_t>(groups.size()), 0.0);
  std::size_t i = 0;
  file.strings(file.get("shared_group_names"), [&](std::string_view name) {
    const std::int32_t group = groups.find(name);
    if (group < 0 || i == values.size())
      file.fail("'shared_group_names' must name groups of the states, one for each 'shared_group_sd'",
                excerpt(name));
    shared.group_sds[static_cast<std::size_t>(group)] = values[i++];
  });
}

SharedSpec read_shared(const Hdf5Reader& file, const RowOrder& order, const Mdp& mdp) {
  SharedSpec shared;
  if (const std::optional<Hdf5Dataset> sds = file.find("shared_group_sd")) {
    const std::vector<double> values = file.numbers(*sds);
    if (sds->scalar) {
      shared.group_sd = values.front();
    } else {
      read_group_sds(file, mdp, values, shared);
    }
  }
  if (const std::optional<double> sd = file.number_attribute("shared_kernel_sd")) {
    KernelSpec& kernel = shared.kernel.emplace();
    kernel.sd = *sd;
    kernel.length = file.number_attribute("shared_kernel_length").value_or(0);
    const std::string name = file.text_attribute("shared_kernel_over").value_or("place");
    const std::optional<KernelOver> over = kernel_over_from(name);
    if (!over)
      file.fail(
          fmt::format("{}; the attribute 'shared_kernel_over' is '{}'", kKernelOverWanted, excerpt(name)));
    kernel.over = *over;
  }
  if (const std::optional<Hdf5Dataset> loading = file.find("loading")) {
    const std::vector<double> values = file.numbers(*loading);
    const std::vector<std::int32_t> pairs = file.int32s(file.get("loading_pair"));
    const std::vector<std::int32_t> factors = file.int32s(file.get("loading_factor"));
    file.strings(file.get("shared_factors"),
                 [&](std::string_view name) { shared.factors.emplace_back(name); });
    if (pairs.size() != values.size() || factors.size() != values.size())
      file.fail("'loading', 'loading_pair' and 'loading_factor' must have the same length");
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (pairs[i] < 0 || static_cast<std::size_t>(pairs[i]) >= order.rows())
        file.fail(fmt::format("'loading_pair' at {} is {}, but must be from 0 to {}", i, pairs[i],
                              order.rows() - 1));
      shared.loadings.push_back({order.pair(static_cast<std::size_t>(pairs[i])), factors[i], values[i]});
    }
  }
  return shared;
}

void write_shared(const Mdp& mdp, const SharedSpec& shared, Hdf5Writer& out) {
  if (shared.group_sd) out.scalar("shared_group_sd", *shared.group_sd);
  if (!shared.group_sds.empty()) {
    const NameTable& groups = mdp.labels().groups;
    out.numbers("shared_group_sd", shared.group_sds);
    out.strings("shared_group_names", shared.group_sds.size(),
                [&](std::size_t g) { return std::string_view(groups[static_cast<std::int32_t>(g)]); });
  }
  if (shared.kernel) {
    out.number_attribute("shared_kernel_sd", shared.kernel->sd);
    out.number_attribute("shared_kernel_length", shared.kernel->length);
    out.text_attribute("shared_kernel_over", to_string(shared.kernel->over));
  }
  if (shared.loadings.empty()) return;
  std::vector<std::int32_t> pairs, factors;
  std::vector<double> values;
  for (const Loading& one : shared.loadings) {
    pairs.push_back(one.pair);
    factors.push_back(one.factor);
    values.push_back(one.loading);
  }
  out.strings("shared_factors", shared.factors.size(),
              [&](std::size_t i) { return std::string_view(shared.factors[i]); });
  out.int32s("loading_pair", pairs);
  out.int32s("loading_factor", factors);
  out.numbers("loading", values);
}

}  // namespace

void read_prior(const Hdf5Reader& file, const RowOrder& order, Model& model) {
  PriorSpec prior;
  bool any = false;
  const auto read_numbers = [&](const char* name, std::optional<double>& one, std::vector<double>& each) {
    const std::optional<Hdf5Dataset> dataset = file.find(name);
    if (!dataset) return;
    any = true;
    if (dataset->scalar) {
      one = file.numbers(*dataset).front();
    } else {
      each = read_per_pair(file, *dataset, order);
    }
  };
  const auto read_attribute = [&](const char* name, double& value) {
    const std::optional<double> stated = file.number_attribute(name);
    any = any || stated;
    value = stated.value_or(value);
  };
  read_numbers("reward_sd", prior.reward_sd, prior.pair_reward_sd);
  read_numbers("transition_strength", prior.transition_strength, prior.pair_transition_strength);
  read_attribute("odds", prior.odds);
  read_attribute("drift_sd", prior.drift_sd);
  prior.unseen = file.number_attribute("unseen");
  any = any || prior.unseen;
  read_attribute("unseen_strength", prior.unseen_strength);
  prior.reward_min = file.number_attribute("prior_reward_min");
  prior.reward_max = file.number_attribute("prior_reward_max");
  any = any || prior.reward_min || prior.reward_max;
  if (const std::optional<std::string> name = file.text_attribute("prior_rewards")) {
    const std::optional<RewardKind> kind = reward_kind_from(*name);
    if (!kind)
      file.fail(
          fmt::format("{}; the attribute 'prior_rewards' is '{}'", reward_kind_wanted(), excerpt(*name)));
    prior.rewards = *kind;
    any = true;
  }
  prior.shared = read_shared(file, order, model.mdp);
  if (any || prior.shared.any()) model.prior = std::move(prior);
}

void write_prior(const Mdp& mdp, const PriorSpec& prior, Hdf5Writer& out) {
  out.number_attribute("odds", prior.odds);
  out.number_attribute("drift_sd", prior.drift_sd);
  if (prior.unseen) out.number_attribute("unseen", *prior.unseen);
  if (prior.unseen_strength != 1) out.number_attribute("unseen_strength", prior.unseen_strength);
  if (prior.reward_min) out.number_attribute("prior_reward_min", *prior.reward_min);
  if (prior.reward_max) out.number_attribute("prior_reward_max", *prior.reward_max);
  if (prior.rewards != RewardKind::gaussian) out.text_attribute("prior_rewards", to_string(prior.rewards));
  if (prior.reward_sd) out.scalar("reward_sd", *prior.reward_sd);
  if (!prior.pair_reward_sd.empty()) out.numbers("reward_sd", prior.pair_reward_sd);
  if (prior.transition_strength) out.scalar("transition_strength", *prior.transition_strength);
  if (!prior.pair_transition_strength.empty()) {
    out.numbers("transition_strength", prior.pair_transition_strength);
  }
  write_shared(mdp, prior.shared, out);
}

}  // namespace mindgap::files
