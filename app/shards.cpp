#include "shards.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "mindgap/base/error.h"
#include "mindgap/command/files.h"

namespace mindgap::app {
namespace {

namespace fs = std::filesystem;

constexpr const char* kProgram = "mindgap " MINDGAP_VERSION;

// The words of a command without options that may differ between shards, and what follows them.
std::vector<std::string> shared_words(const std::vector<std::string>& words) {
  std::vector<std::string> kept;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string name = words[i].substr(0, words[i].find('='));
    if (name == "--quiet" || name == "-q") continue;
    if (name == "--shard" || name == "--out" || name == "--threads" || name == "--format") {
      if (name == words[i]) ++i;
      continue;
    }
    kept.push_back(words[i]);
  }
  return kept;
}

}  // namespace

command::Shard shard_from(const std::string& text) {
  int used = 0;
  long long shard = 0, shards = 0;
  if (std::sscanf(text.c_str(), "%lld/%lld%n", &shard, &shards, &used) != 2 ||
      static_cast<std::size_t>(used) != text.size() || shard < 1 || shards < shard) {
    throw InvalidArgument(
        fmt::format("--shard is '{}', but must be I/N: the I-th of N, as in 1/8, counting from 1",
                    base::printable(text)));
  }
  return {shard, shards};
}

void ShardOptions::add_to(CLI::App& cli) {
  const bool limited = cli.get_option_no_throw("--time-limit") != nullptr;
  cli.add_option("--shard", text_,
                 std::string("I/N: this process is the I-th of N that share the work through the folder "
                             "--out, to which all of them can write. Then mindgap merge DIR gives the "
                             "result") +
                     (limited ? ". --time-limit is ignored" : ""));
}

std::shared_ptr<command::ShardFolder> ShardOptions::workers(const CommonOptions& common,
                                                            const std::string& out) const {
  using command::ShardFolder;
  if (!common.shards.empty()) {
    const command::ShardRun run = command::read_shard_run(common.shards);
    return std::make_shared<ShardFolder>(common.shards,
                                         command::ShardRun{kProgram, run.command, run.folder, run.shards},
                                         command::Shard{1, run.shards}, ShardFolder::Missing::refuse);
  }
  if (!is_shard()) return nullptr;
  const command::Shard shard = shard_from(text_);
  if (out.empty()) throw InvalidArgument("--shard needs --out: the folder that all shards share");
  return std::make_shared<ShardFolder>(out,
                                       command::ShardRun{kProgram, shared_words(common.words),
                                                         command::absolute_path(".").string(), shard.shards},
                                       shard, ShardFolder::Missing::compute);
}

int ShardOptions::finish(const CommonOptions& common, const command::ShardFolder& folder,
                         const std::string& out) const {
  const std::string text =
      fmt::format("shard {}: computed {} of {} blocks; every stage is complete: mindgap merge {}\n", text_,
                  folder.computed(), folder.blocks(), out);
  const Json json = {
      {"shard", text_}, {"computed", folder.computed()}, {"blocks", folder.blocks()}, {"folder", out}};
  print_result(common, text, json);
  return kDone;
}

int merge_shards(const std::string& folder, const std::string& out, const std::string& report,
                 const CommonOptions& common) {
  const command::ShardRun run = command::read_shard_run(folder);
  std::vector<std::string> words = run.command;
  const auto add = [&](const char* option, const std::string& path) {
    if (path.empty()) return;
    words.emplace_back(option);
    words.push_back(command::absolute_path(path).string());
  };
  if (!report.empty()) {
    const auto given = std::find(words.begin(), words.end(), "--report");
    if (given != words.end() && std::next(given) != words.end()) words.erase(given, given + 2);
  }
  add("--out", out);
  add("--report", report);
  if (common.json) words.insert(words.end(), {"--format", "json"});
  if (common.quiet) words.emplace_back("--quiet");
  const std::string place = command::absolute_path(folder).string();
  std::error_code error;
  fs::current_path(run.folder, error);  // the words may name files from there
  if (error)
    throw StoreError(fmt::format("{}: the folder from which the shards were called is not here: {}",
                                 run.folder, error.message()));
  return run_again(words, place);
}

}  // namespace mindgap::app
