#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "mindgap/command/source.h"
#include "mindgap/mdp/model.h"

namespace mindgap::command {

using Shares = std::vector<std::pair<std::string, double>>;  // by group

/// An option that several commands take: its one home. The command line, Python's functions with their
/// documentation, and the checks of what is given are made from tables of these (limit_options(),
/// prior_options()).
template <typename Holder>
struct Option {
  std::string_view name;  // as in Python; the command line writes --min-share for min_share
  std::string_view help;  // one line; it names other options as the command line does
  std::variant<Shares Holder::*, std::optional<Source> Holder::*, std::optional<double> Holder::*,
               std::optional<mdp::RewardKind> Holder::*>
      member;                   // what it sets, which says what is given: shares, a table, a number, a word
  std::string_view needs = {};  // the option that is given whenever this one is, and the other way round
  bool nonnegative = false;     // of a number
};

/// What a member of an Option holds.
template <typename Holder, typename Member>
using ValueOf = std::remove_cvref_t<decltype(std::declval<Holder&>().*std::declval<Member>())>;

}  // namespace mindgap::command
