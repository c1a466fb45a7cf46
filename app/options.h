#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "command.h"
#include "mindgap/command/evidence.h"
#include "mindgap/command/limits.h"
#include "mindgap/command/terms.h"

// Options that several commands take, from their tables in mindgap/command.
namespace mindgap::app {

/// The options of one table as the command line has them.
template <typename Holder>
class TableOptions {
 public:
  void add_to(CLI::App& cli, std::span<const command::Option<Holder>> table);
  /// What was given. Opens the files. Throws StoreError, and InvalidArgument where a share is none.
  Holder read() const;

 private:
  std::span<const command::Option<Holder>> table_;
  Holder given_ = {};  // what needs no more reading
  std::map<std::string_view, std::vector<std::string>> shares_;
  std::map<std::string_view, std::string> paths_;
};

/// What a pilot must keep to; the same wherever pilots are designed.
class LimitOptions : public TableOptions<command::LimitsRequest> {
 public:
  void add_to(CLI::App& cli) { TableOptions::add_to(cli, command::limit_options()); }
};

/// What is known beside the model; the same in every command that needs a belief.
class KnowledgeOptions {
 public:
  /// --coverage and the table of priors.
  void add_prior_to(CLI::App& cli);
  /// Those, --log, --allow-new-states and --estimate-variance.
  void add_to(CLI::App& cli);

  /// Opens the files. Throws StoreError.
  command::Evidence evidence() const;

 private:
  std::string coverage_, log_;
  bool allow_new_states_ = false, estimate_variance_ = false;
  TableOptions<belief::PriorOverrides> prior_;
};

}  // namespace mindgap::app
