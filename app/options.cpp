#include "options.h"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>

#include "mindgap/base/error.h"
#include "mindgap/base/number.h"
#include "ranges.h"

namespace mindgap::app {
namespace {

// GROUP=SHARE as in "B=0.3". Throws InvalidArgument where it is none, or the share is not in [0, 1].
std::pair<std::string, double> share_from(const std::string& text) {
  const std::size_t at = text.rfind('=');
  double value = 0;
  if (at == std::string::npos || at == 0 ||
      base::parse_number(std::string_view(text).substr(at + 1), value) != base::NumberStatus::ok ||
      !(value >= 0) || !(value <= 1)) {
    throw InvalidArgument(
        fmt::format("'{}' is no share of a group: expected GROUP=SHARE, with a share from 0 to 1",
                    base::printable(text)));
  }
  return {text.substr(0, at), value};
}

std::string dashed(std::string_view name) {
  std::string option = "--" + std::string(name);
  std::replace(option.begin(), option.end(), '_', '-');
  return option;
}

void add_number(CLI::App& cli, const std::string& name, std::optional<double>& value, const std::string& help,
                bool nonnegative) {
  CLI::Option* option = cli.add_option(name, value, help);
  if (nonnegative) option->check(finite_number(true));
}

void add_reward_kind(CLI::App& cli, const std::string& name, std::optional<mdp::RewardKind>& value,
                     const std::string& help) {
  std::map<std::string, mdp::RewardKind> kinds;
  std::string names;
  for (const mdp::RewardKindName& kind : mdp::reward_kinds()) {
    kinds.emplace(kind.name, kind.kind);
    names += (names.empty() ? "" : ",") + std::string(kind.name);
  }
  cli.add_option(name, value, help)
      ->transform(CLI::CheckedTransformer(kinds).description(""))
      ->type_name("{" + names + "}");
}

}  // namespace

template <typename Holder>
void TableOptions<Holder>::add_to(CLI::App& cli, std::span<const command::Option<Holder>> table) {
  table_ = table;
  for (const command::Option<Holder>& option : table) {
    const std::string name = dashed(option.name), help(option.help);
    std::visit(
        [&](auto member) {
          using Value = command::ValueOf<Holder, decltype(member)>;
          if constexpr (std::is_same_v<Value, command::Shares>) {
            cli.add_option(name, shares_[option.name], help)
                ->allow_extra_args(false)
                ->type_name("GROUP=SHARE");
          } else if constexpr (std::is_same_v<Value, std::optional<command::Source>>) {
            cli.add_option(name, paths_[option.name], help)->type_name("FILE");
          } else if constexpr (std::is_same_v<Value, std::optional<double>>) {
            add_number(cli, name, given_.*member, help, option.nonnegative);
          } else {
            add_reward_kind(cli, name, given_.*member, help);
          }
        },
        option.member);
  }
  for (const command::Option<Holder>& option : table) {
    if (!option.needs.empty())
      cli.get_option(dashed(option.name))->needs(cli.get_option(dashed(option.needs)));
  }
}

template <typename Holder>
Holder TableOptions<Holder>::read() const {
  Holder all = given_;
  for (const command::Option<Holder>& option : table_) {
    std::visit(
        [&](auto member) {
          using Value = command::ValueOf<Holder, decltype(member)>;
          if constexpr (std::is_same_v<Value, command::Shares>) {
            for (const std::string& text : shares_.at(option.name)) (all.*member).push_back(share_from(text));
          } else if constexpr (std::is_same_v<Value, std::optional<command::Source>>) {
            all.*member = command::source_of(paths_.at(option.name));
          }
        },
        option.member);
  }
  return all;
}

template class TableOptions<command::LimitsRequest>;
template class TableOptions<belief::PriorOverrides>;
template class TableOptions<command::TermsRequest>;

void KnowledgeOptions::add_prior_to(CLI::App& cli) {
  cli.add_option("--coverage", coverage_,
                 "how often each state-action pair occurs in the historical data: state,action,count, or a "
                 "log of these data; the prior is derived from it")
      ->type_name("FILE");
  prior_.add_to(cli, command::prior_options());
}

void KnowledgeOptions::add_to(CLI::App& cli) {
  add_prior_to(cli);
  cli.add_option("--log", log_,
                 "observations of a pilot: unit,step,state,action,reward,next_state[,probability][,censored]")
      ->type_name("FILE");
  cli.add_flag("--allow-new-states", allow_new_states_,
               "add states that the log or the coverage names and the simulator does not have, with a wide "
               "prior; without this option they are an error");
  cli.add_flag("--estimate-variance", estimate_variance_,
               "treat the stated variance of one reward as a guess and correct it by the rewards in the log");
}

command::Evidence KnowledgeOptions::evidence() const {
  command::Evidence all{command::source_of(coverage_), command::source_of(log_), allow_new_states_,
                        prior_.read()};
  all.prior.estimate_variance = estimate_variance_;
  return all;
}

}  // namespace mindgap::app
