#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "command.h"
#include "mindgap/command/files.h"

namespace mindgap::app {

/// "2/5". Throws InvalidArgument where it is something else.
command::Shard shard_from(const std::string& text);

/// The options of a command whose draws several processes may share.
class ShardOptions {
 public:
  void add_to(CLI::App& cli);

  /// Whether this process is one of several: then --out names their folder, and nothing else is written.
  bool is_shard() const { return !text_.empty(); }
  /// Who shares the draws: null where nobody does; for `merge` those who did. Throws InvalidArgument where a
  /// shard has no folder.
  std::shared_ptr<command::ShardFolder> workers(const CommonOptions& common, const std::string& out) const;
  /// What a shard says at its end.
  int finish(const CommonOptions& common, const command::ShardFolder& folder, const std::string& out) const;

 private:
  std::string text_;
};

/// Carries out the command of a folder of shards with the numbers that they computed.
int merge_shards(const std::string& folder, const std::string& out, const std::string& report,
                 const CommonOptions& common);

/// The program again, as if it had been called with these words; the numbers of its draws are read from a
/// folder of shards.
int run_again(const std::vector<std::string>& words, const std::string& shards);

}  // namespace mindgap::app
