#include "mindgap/study/model_blob.h"

#include <fmt/format.h>

#include "mindgap/base/number.h"
#include "mindgap/study/bytes.h"

namespace mindgap::study {
namespace {

using mdp::Mdp;
using mdp::Model;
using mdp::NameTable;

constexpr std::string_view kBlobFormat = "mindgap-study-model/1";

void write_names(ByteWriter& out, const NameTable& names) {
  out.whole(names.size());
  for (std::int32_t i = 0; i < names.size(); ++i) out.text(names[i]);
}

NameTable read_names(ByteReader& in) {
  std::vector<std::string> names;
  for (std::int64_t left = in.whole(); left > 0; --left) names.push_back(in.text());
  return NameTable(names);
}

void write_mdp(ByteWriter& out, const Mdp& mdp) {
  out.number(mdp.discount()).number(mdp.reward_max()).whole(mdp.actions());
  out.list(mdp.pair_begin()).list(mdp.pair_action()).list(mdp.row_begin()).list(mdp.next_state());
  out.list(mdp.probability()).list(mdp.reward()).list(mdp.start());
  const mdp::Labels& labels = mdp.labels();
  write_names(out, labels.states);
  write_names(out, labels.actions);
  write_names(out, labels.groups);
  out.list(std::span<const std::int32_t>(labels.group_of_state));
  out.list(std::span<const double>(labels.x)).list(std::span<const double>(labels.y));
}

Mdp read_mdp(ByteReader& in) {
  mdp::MdpArrays arrays;
  arrays.discount = in.number();
  arrays.reward_max = in.number();
  arrays.actions = static_cast<std::int32_t>(in.whole());
  arrays.pair_begin = in.list<std::int32_t>();
  arrays.pair_action = in.list<std::int32_t>();
  arrays.row_begin = in.list<std::int64_t>();
  arrays.next_state = in.list<std::int32_t>();
  arrays.probability = in.list<double>();
  arrays.reward = in.list<double>();
  arrays.start = in.list<double>();
  arrays.labels.states = read_names(in);
  arrays.labels.actions = read_names(in);
  arrays.labels.groups = read_names(in);
  arrays.labels.group_of_state = in.list<std::int32_t>();
  arrays.labels.x = in.list<double>();
  arrays.labels.y = in.list<double>();
  return Mdp(std::move(arrays));
}

std::string two(double other, double study) {
  return fmt::format("{}, in the study {}", base::shortest(other), base::shortest(study));
}

std::string pair_name(const Mdp& mdp, std::int32_t pair) {
  return fmt::format("state '{}', action '{}'", base::printable(mdp.state_name(mdp.state_of_pair(pair))),
                     base::printable(mdp.action_name_of_pair(pair)));
}

std::string structure_difference(const Mdp& a, const Mdp& b) {
  if (a.states() != b.states())
    return fmt::format("it has {} states, in the study {}", b.states(), a.states());
  for (std::int32_t s = 0; s < a.states(); ++s) {
    if (a.state_name(s) != b.state_name(s))
      return fmt::format("state {} is '{}', in the study '{}'", s + 1, base::printable(b.state_name(s)),
                         base::printable(a.state_name(s)));
  }
  if (a.actions() != b.actions())
    return fmt::format("it has {} actions, in the study {}", b.actions(), a.actions());
  for (std::int32_t i = 0; i < a.actions(); ++i) {
    if (a.action_name(i) != b.action_name(i))
      return fmt::format("action {} is '{}', in the study '{}'", i + 1, base::printable(b.action_name(i)),
                         base::printable(a.action_name(i)));
  }
  for (std::int32_t s = 0; s < a.states(); ++s) {
    for (std::int32_t i = 0; i < a.actions(); ++i) {
      const bool here = a.find_pair(s, i) >= 0, there = b.find_pair(s, i) >= 0;
      if (here == there) continue;
      return fmt::format("action '{}' is {}available in state '{}', in the study it is{}",
                         base::printable(a.action_name(i)), there ? "" : "not ",
                         base::printable(a.state_name(s)), here ? "" : " not");
    }
  }
  return "";
}

std::string number_difference(const Mdp& a, const Mdp& b) {
  if (a.discount() != b.discount()) return "the discount is " + two(b.discount(), a.discount());
  for (std::int32_t k = 0; k < a.pairs(); ++k) {
    if (a.reward()[k] != b.reward()[k])
      return pair_name(a, k) + ": the reward is " + two(b.reward()[k], a.reward()[k]);
  }
  for (std::int32_t k = 0; k < a.pairs(); ++k) {
    const auto [next_a, p_a] = a.row(k);
    const auto [next_b, p_b] = b.row(k);
    if (!std::equal(next_a.begin(), next_a.end(), next_b.begin(), next_b.end()))
      return pair_name(a, k) + ": other states can follow than in the study";
    for (std::size_t i = 0; i < p_a.size(); ++i) {
      if (p_a[i] != p_b[i])
        return fmt::format("{}: the probability of '{}' is {}", pair_name(a, k),
                           base::printable(a.state_name(next_a[i])), two(p_b[i], p_a[i]));
    }
  }
  for (std::int32_t s = 0; s < a.states(); ++s) {
    if (a.start()[s] != b.start()[s])
      return fmt::format("the start of '{}' is {}", base::printable(a.state_name(s)),
                         two(b.start()[s], a.start()[s]));
  }
  return "";
}

void write_shared(ByteWriter& out, const mdp::SharedSpec& shared) {
  out.text("shared").optional(shared.group_sd).list(std::span<const double>(shared.group_sds));
  const mdp::KernelSpec kernel = shared.kernel.value_or(mdp::KernelSpec{});
  out.whole(shared.kernel ? 1 : 0).number(kernel.sd).number(kernel.length).text(to_string(kernel.over));
  out.whole(static_cast<std::int64_t>(shared.factors.size()));
  for (const std::string& name : shared.factors) out.text(name);
  std::vector<std::int32_t> pairs, factors;
  std::vector<double> loadings;
  for (const mdp::Loading& one : shared.loadings) {
    pairs.push_back(one.pair);
    factors.push_back(one.factor);
    loadings.push_back(one.loading);
  }
  out.list(std::span<const std::int32_t>(pairs)).list(std::span<const std::int32_t>(factors));
  out.list(std::span<const double>(loadings));
}

mdp::SharedSpec read_shared(ByteReader& in) {
  mdp::SharedSpec shared{.group_sd = in.optional(), .group_sds = in.list<double>()};
  const bool has_kernel = in.whole() != 0;
  mdp::KernelSpec kernel{.sd = in.number(), .length = in.number()};
  const std::optional<mdp::KernelOver> over = mdp::kernel_over_from(in.text());
  if (!over) throw StoreError("the study's model has a kind of kernel that this version does not know");
  kernel.over = *over;
  if (has_kernel) shared.kernel = kernel;
  for (std::int64_t left = in.whole(); left > 0; --left) shared.factors.push_back(in.text());
  const std::vector<std::int32_t> pairs = in.list<std::int32_t>(), factors = in.list<std::int32_t>();
  const std::vector<double> loadings = in.list<double>();
  if (pairs.size() != loadings.size() || factors.size() != loadings.size())
    throw StoreError("the study's model has loadings of different lengths");
  for (std::size_t i = 0; i < loadings.size(); ++i)
    shared.loadings.push_back({pairs[i], factors[i], loadings[i]});
  return shared;
}

void write_members(ByteWriter& out, const Model& model) {
  const mdp::Members& members = *model.members;
  std::vector<double> reward, probability;
  out.text("members").whole(members.size());
  for (std::int32_t i = 0; i < members.size(); ++i) {
    out.text(members.name(i));
    const std::span<const double> r = members.reward(i), p = members.probability(i);
    reward.insert(reward.end(), r.begin(), r.end());
    probability.insert(probability.end(), p.begin(), p.end());
  }
  out.list(members.weights())
      .list(std::span<const double>(reward))
      .list(std::span<const double>(probability));
  out.whole(static_cast<std::int64_t>(model.parameters.size()));
  for (const mdp::Parameter& one : model.parameters)
    out.text(one.name).list(std::span<const double>(one.value));
}

void read_members(ByteReader& in, Model& model) {
  std::vector<std::string> names;
  for (std::int64_t left = in.whole(); left > 0; --left) names.push_back(in.text());
  const std::vector<double> weights = in.list<double>(), reward = in.list<double>();
  const std::vector<double> probability = in.list<double>();
  model.members = mdp::Members::of_rows(model.mdp, reward, probability, weights, names);
  model.mdp = model.members->mean();
  for (std::int64_t left = in.whole(); left > 0; --left) {
    std::string name = in.text();
    model.parameters.push_back({std::move(name), in.list<double>()});
  }
}

// What was added to the format later stands at the end, each under its name.
void read_addition(ByteReader& in, Model& model, mdp::PriorSpec& prior) {
  const std::string name = in.text();
  if (name == "rewards") {
    prior.reward_min = in.optional();
    prior.reward_max = in.optional();
    const std::optional<mdp::RewardKind> kind = mdp::reward_kind_from(in.text());
    if (!kind) throw StoreError("the study's model has a kind of rewards that this version does not know");
    prior.rewards = *kind;
  } else if (name == "unseen") {
    prior.unseen = in.optional();
    prior.unseen_strength = in.number();
  } else if (name == "states") {
    model.ends = in.list<std::int32_t>();
    model.added = in.list<std::int32_t>();
  } else if (name == "shared") {
    prior.shared = read_shared(in);
  } else if (name == "sampled") {
    model.coverage_is_sampled = true;
  } else if (name == "members") {
    read_members(in, model);
  } else {
    throw StoreError("the study's model is in a format this version does not know");
  }
}

}  // namespace

std::string encode_model(const Model& model) {
  ByteWriter out;
  out.text(kBlobFormat).text(model.name);
  write_mdp(out, model.mdp);
  out.list(std::span<const double>(model.variance)).optional(model.reward_variance);
  out.whole(model.prior ? 1 : 0);
  const mdp::PriorSpec prior = model.prior.value_or(mdp::PriorSpec{});
  out.optional(prior.reward_sd).optional(prior.transition_strength);
  out.list(std::span<const double>(prior.pair_reward_sd));
  out.list(std::span<const double>(prior.pair_transition_strength));
  out.number(prior.odds).number(prior.drift_sd).list(std::span<const double>(model.coverage));
  // Added later: models without them keep their bytes and so their hash.
  if (prior.reward_min || prior.reward_max || prior.rewards != mdp::RewardKind::gaussian) {
    out.text("rewards").optional(prior.reward_min).optional(prior.reward_max);
    out.text(to_string(prior.rewards));
  }
  if (prior.unseen || prior.unseen_strength != 1)
    out.text("unseen").optional(prior.unseen).number(prior.unseen_strength);
  if (prior.shared.any()) write_shared(out, prior.shared);
  if (model.coverage_is_sampled) out.text("sampled");
  if (model.members) write_members(out, model);
  if (!model.ends.empty() || !model.added.empty()) {
    out.text("states").list(std::span<const std::int32_t>(model.ends));
    out.list(std::span<const std::int32_t>(model.added));
  }
  return out.bytes();
}

Model decode_model(std::string_view bytes) {
  ByteReader in(bytes, "the study's model");
  if (in.text() != kBlobFormat)
    throw StoreError("the study's model is in a format this version does not know");
  std::string name = in.text();
  Model model{.name = std::move(name), .mdp = read_mdp(in)};
  model.variance = in.list<double>();
  model.reward_variance = in.optional();
  const bool has_prior = in.whole() != 0;
  mdp::PriorSpec prior;
  prior.reward_sd = in.optional();
  prior.transition_strength = in.optional();
  prior.pair_reward_sd = in.list<double>();
  prior.pair_transition_strength = in.list<double>();
  prior.odds = in.number();
  prior.drift_sd = in.number();
  model.coverage = in.list<double>();
  while (!in.at_end()) read_addition(in, model, prior);
  if (has_prior) model.prior = std::move(prior);
  in.expect_end();
  mdp::check_model(model);
  return model;
}

std::string model_difference(const Model& study, const Model& other) {
  if (encode_model(study) == encode_model(other)) return "";
  if (study.name != other.name)
    return fmt::format("it is called '{}', in the study '{}'", base::printable(other.name),
                       base::printable(study.name));
  std::string found = structure_difference(study.mdp, other.mdp);
  if (found.empty()) found = number_difference(study.mdp, other.mdp);
  if (!found.empty()) return found;
  if (study.variance != other.variance || study.reward_variance != other.reward_variance)
    return "the variance of one observed reward is another one";
  if (study.prior != other.prior) return "its prior is another one";
  if (study.coverage != other.coverage || study.coverage_is_sampled != other.coverage_is_sampled)
    return "its coverage is another one";
  return "its labels (groups, coordinates) or reward_max differ";
}

}  // namespace mindgap::study
