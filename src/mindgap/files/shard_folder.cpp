#include "mindgap/files/shard_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <fstream>
#include <sstream>
#include <thread>

#include "mindgap/base/clock.h"
#include "mindgap/base/error.h"
#include "mindgap/base/fingerprint.h"
#include "mindgap/base/listener.h"
#include "mindgap/files/output.h"
#include "mindgap/files/place.h"

namespace mindgap::files {
namespace {

namespace fs = std::filesystem;

constexpr const char* kShardsFormat = "mindgap-shards/1";
constexpr std::int64_t kBlocksOfShard =
    16;  // of a stage: what one shard waits for the others is a part of that
constexpr std::chrono::milliseconds kPause{20};

// A word of a command on a line of its own.
std::string escaped(const std::string& text) {
  std::string line;
  for (const char c : text) line += c == '\n' ? "\\n" : c == '\\' ? "\\\\" : std::string(1, c);
  return line;
}

std::string unescaped(const std::string& line) {
  std::string text;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool special = line[i] == '\\' && i + 1 < line.size();
    text += !special ? line[i] : line[++i] == 'n' ? '\n' : line[i];
  }
  return text;
}

std::string text_of(const ShardRun& run) {
  std::string text = fmt::format("format {}\nprogram {}\nshards {}\nfolder {}\n", kShardsFormat,
                                 escaped(run.program), run.shards, escaped(run.folder));
  for (const std::string& word : run.command) text += "word " + escaped(word) + "\n";
  return text;
}

std::string read_text(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) throw StoreError(fmt::format("{}: cannot be read", path.string()));
  return text.str();
}

// Written by whoever comes first; true where that is us. What is there already stays.
bool write_once(const fs::path& path, const std::string& text) {
  const fs::path own = fmt::format("{}.{}.tmp-{:x}", path.string(), ::getpid(),
                                   std::chrono::steady_clock::now().time_since_epoch().count());
  write_file(own, text);
  const bool first = ::link(own.c_str(), path.c_str()) == 0;
  const int reason = errno;
  std::error_code ignored;
  fs::remove(own, ignored);
  if (!first && reason != EEXIST && !is_there(path)) {
    // A file system without hard links: the file is put in place whole, and whoever comes later compares it.
    write_file(path, text);
    return true;
  }
  return first;
}

std::string checked(std::string_view bytes, const std::string& inputs) {
  return base::Fingerprint().add(bytes).add(inputs).text();
}

void write_numbers(const fs::path& path, const std::string& inputs, const std::vector<double>& numbers) {
  std::string bytes(numbers.size() * sizeof(double), '\0');
  if (!numbers.empty()) std::memcpy(bytes.data(), numbers.data(), bytes.size());
  write_file(path, bytes + checked(bytes, inputs));
}

std::vector<double> read_numbers(const fs::path& path, const std::string& inputs) {
  const std::string text = read_text(path);
  constexpr std::size_t kCheck = 16;
  if (text.size() < kCheck || (text.size() - kCheck) % sizeof(double) != 0 ||
      checked(std::string_view(text).substr(0, text.size() - kCheck), inputs) !=
          text.substr(text.size() - kCheck)) {
    throw InvalidArgument(fmt::format(
        "{}: the file does not match its checksum: it has changed since it was written; remove it "
        "and run the shard again",
        path.string()));
  }
  std::vector<double> numbers((text.size() - kCheck) / sizeof(double));
  if (!numbers.empty()) std::memcpy(numbers.data(), text.data(), numbers.size() * sizeof(double));
  return numbers;
}

std::string in_words(const std::vector<std::string>& command) {
  std::string text;
  for (const std::string& word : command) text += (text.empty() ? "" : " ") + word;
  return text;
}

void refuse_others(const fs::path& folder, const ShardRun& before, const ShardRun& now) {
  const auto refuse = [&](const char* what, const std::string& was, const std::string& is) {
    throw InvalidArgument(
        fmt::format("{}: the folder belongs to another computation: {} was '{}', now '{}'; "
                    "choose another folder",
                    folder.string(), what, base::printable(was, 1000), base::printable(is, 1000)));
  };
  if (before.program != now.program) refuse("the program", before.program, now.program);
  if (before.command != now.command) refuse("the command", in_words(before.command), in_words(now.command));
  if (before.shards != now.shards)
    refuse("the number of shards", std::to_string(before.shards), std::to_string(now.shards));
}

}  // namespace

bool is_shard_folder(const fs::path& folder) {
  return is_there(folder / "shards.txt");
}

ShardRun read_shard_run(const fs::path& folder) {
  const fs::path path = folder / "shards.txt";
  std::istringstream text(read_text(path));
  ShardRun run;
  bool known = false;
  for (std::string line; std::getline(text, line);) {
    const std::size_t space = line.find(' ');
    const std::string key = line.substr(0, space);
    const std::string value = space == std::string::npos ? "" : unescaped(line.substr(space + 1));
    if (key == "format") known = value == kShardsFormat;
    if (key == "program") run.program = value;
    if (key == "folder") run.folder = value;
    if (key == "word") run.command.push_back(value);
    if (key == "shards") run.shards = std::strtoll(value.c_str(), nullptr, 10);
  }
  if (!known || run.shards < 1 || run.command.empty())
    throw InvalidArgument(fmt::format("{}: not a description of shards ({})", path.string(), kShardsFormat));
  return run;
}

ShardFolder::ShardFolder(fs::path folder, const ShardRun& run, Shard shard, Missing missing)
    : folder_(std::move(folder)), shard_(shard), missing_(missing) {
  if (missing_ == Missing::compute) {
    std::error_code error;
    fs::create_directories(folder_, error);
    if (error)
      throw StoreError(fmt::format("{}: cannot make this folder: {}", folder_.string(), error.message()));
    bool empty = true;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder_))
      empty = empty && entry.path().filename().string().find(".tmp-") != std::string::npos;
    if (!empty && !is_shard_folder(folder_))
      throw StoreError(
          fmt::format("{}: the folder holds something else; choose an empty or a new one", folder_.string()));
    write_once(folder_ / "shards.txt", text_of(run));
  }
  refuse_others(folder_, read_shard_run(folder_), run);
}

void ShardFolder::begin(const std::string& inputs) {
  inputs_ = inputs;
  const fs::path path = folder_ / "inputs.txt";
  if (missing_ == Missing::compute) write_once(path, inputs + "\n");
  if (!is_there(path))
    throw InvalidArgument(fmt::format("{}: no shard has begun yet; run them first", folder_.string()));
  const std::string theirs = read_text(path);
  if (theirs != inputs + "\n") {
    throw InvalidArgument(fmt::format(
        "{}: other shards were given other inputs: the fingerprint of model, tables and options is {} "
        "here and {} there",
        folder_.string(), inputs, base::printable(theirs.substr(0, theirs.find('\n')))));
  }
}

std::vector<ShardFolder::Block> ShardFolder::blocks_of(const base::Stage& stage) {
  const std::int64_t grains = (stage.last - stage.first + stage.grain - 1) / stage.grain;
  const std::int64_t wanted = kBlocksOfShard * shard_.shards;
  const std::int64_t each = std::max<std::int64_t>(1, (grains + wanted - 1) / wanted) * stage.grain;
  const fs::path place = folder_ / fmt::format("stage-{:04}-{}", stages_++, stage.name);
  std::vector<Block> blocks;
  for (std::int64_t begin = stage.first; begin < stage.last; begin += each) {
    const auto number = static_cast<std::int64_t>(blocks.size());
    const std::int64_t end = std::min(begin + each, stage.last);
    const std::string name = fmt::format("{}-{}", begin, end);
    blocks.push_back({number, begin, end, place / (name + ".numbers"), place / (name + ".claim")});
  }
  if (missing_ == Missing::compute) fs::create_directories(place);
  return blocks;
}

bool ShardFolder::claim(const Block& block) const {
  const int file = ::open(block.claim.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file < 0) return false;
  ::close(file);
  return true;
}

void ShardFolder::compute(const Block& block, const Here& here) {
  base::interruption_point();
  const base::Clock clock;
  write_numbers(block.file, inputs_, here(block.first, block.last));
  longest_ = std::max(longest_, clock.seconds());
  ++computed_;
  std::error_code ignored;
  fs::remove(block.claim, ignored);
}

// First what is ours, then what nobody has begun.
void ShardFolder::compute_open(const std::vector<Block>& blocks, const Here& here) {
  for (const bool ours : {true, false}) {
    for (const Block& block : blocks) {
      if ((block.number % shard_.shards == shard_.shard - 1) != ours || is_there(block.file)) continue;
      if (!claim(block)) continue;
      // Whoever finished it in between has taken the claim away.
      if (is_there(block.file)) {
        std::error_code ignored;
        fs::remove(block.claim, ignored);
        continue;
      }
      compute(block, here);
    }
  }
}

// Whoever claimed a block and does not finish it in several times what one takes here is taken to be dead.
void ShardFolder::wait_for_others(const std::vector<Block>& blocks, const Here& here) {
  const base::Clock clock;
  for (const Block& block : blocks) {
    while (!is_there(block.file)) {
      const double patience = std::max(shard_.patience, 5 * longest_);
      if (!is_there(block.claim) || clock.seconds() > patience) {
        if (!is_there(block.file)) compute(block, here);
        break;
      }
      base::interruption_point();
      std::this_thread::sleep_for(kPause);
    }
  }
}

void ShardFolder::run(const base::Stage& stage, const Here& here, const Take& take) {
  const std::vector<Block> blocks = blocks_of(stage);
  blocks_ += static_cast<std::int64_t>(blocks.size());
  if (missing_ == Missing::compute) {
    compute_open(blocks, here);
    wait_for_others(blocks, here);
  }
  for (const Block& block : blocks) {
    if (!is_there(block.file)) {
      const auto left = std::count_if(blocks.begin(), blocks.end(),
                                      [](const Block& other) { return !is_there(other.file); });
      throw InvalidArgument(fmt::format(
          "{}: {} of {} blocks of stage {} ({}) are still to be computed: a shard has not come to its "
          "end; run any of them again with the same folder",
          folder_.string(), left, blocks.size(), stages_ - 1, stage.name));
    }
    if (!take(block.first, block.last, read_numbers(block.file, inputs_))) return;
  }
}

}  // namespace mindgap::files
