#include "mindgap/trial/results_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <map>
#include <optional>

#include "mindgap/base/error.h"
#include "mindgap/base/number.h"
#include "mindgap/files/csv.h"
#include "mindgap/files/output.h"
#include "mindgap/files/place.h"
#include "mindgap/files/text_file.h"

namespace mindgap::trial {
namespace {

namespace fs = std::filesystem;

constexpr const char* kHeader = "trial,planner,horizon,value,check\n";

// A checksum of the fields before it (FNV-1a): a digit that changed on the disk is not taken for a result.
std::string check_of(std::string_view row) {
  std::uint64_t sum = 0xcbf29ce484222325U;
  for (const char c : row) sum = (sum ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return fmt::format("{:016x}", sum);
}

void write_file(const fs::path& path, std::string_view text) {
  files::StagedFile staged(path);
  files::TextWriter writer(staged.temporary(), path.string());
  writer.text(text);
  writer.close();
  staged.commit();
}

void append_rows(const std::vector<std::string>& planners, const std::vector<std::int64_t>& horizons,
                 std::uint64_t trial, std::span<const double> values, std::string& text) {
  for (std::size_t p = 0; p < planners.size(); ++p) {
    for (std::size_t h = 0; h < horizons.size(); ++h) {
      const std::string row = fmt::format("{},{},{},{}", trial, planners[p], horizons[h],
                                          base::shortest(values[p * horizons.size() + h]));
      text += row + "," + check_of(row) + "\n";
    }
  }
}

template <typename Value>
std::size_t place_in(const std::vector<Value>& list, const auto& value) {
  return static_cast<std::size_t>(std::find(list.begin(), list.end(), value) - list.begin());
}

// The complete trials of a table; a last line without an end was cut off when the run was killed.
Results read_table(const fs::path& path, const RunDescription& run) {
  const files::TextFile file = files::open_text_file(path);
  const std::string_view text = file.text.substr(0, file.text.rfind('\n') + 1);
  Results results{run.planners, run.horizons, {}, {}};
  if (text.empty()) return results;
  const std::size_t block = run.planners.size() * run.horizons.size();
  std::map<std::uint64_t, std::vector<std::optional<double>>> found;
  files::CsvReader reader(text, path.string(), {"trial", "planner", "horizon", "value"}, {"check"});
  const std::optional<std::size_t> check = reader.find_column("check");  // older folders have none
  while (const std::size_t records = reader.next()) {
    for (std::size_t i = 0; i < records; ++i) {
      const auto text_of = [&](const char* column) { return reader.field(i, reader.column(column)); };
      if (check &&
          reader.field(i, *check) != check_of(fmt::format("{},{},{},{}", text_of("trial"), text_of("planner"),
                                                          text_of("horizon"), text_of("value"))))
        reader.fail(
            i,
            "the line does not match its checksum: it has changed since it was written; restore the file, "
            "or remove it and run again");
      const auto trial = static_cast<std::uint64_t>(reader.number(i, reader.column("trial"), "the trial"));
      const std::size_t planner = place_in(run.planners, reader.field(i, reader.column("planner")));
      const std::size_t horizon = place_in(
          run.horizons, static_cast<std::int64_t>(reader.number(i, reader.column("horizon"), "the horizon")));
      if (planner == run.planners.size() || horizon == run.horizons.size())
        reader.fail(i, "a planner or horizon that run.json does not list");
      auto& values = found[trial];
      values.resize(block);
      values[planner * run.horizons.size() + horizon] = reader.number(i, reader.column("value"), "the value");
    }
  }
  for (const auto& [trial, values] : found) {
    if (!std::all_of(values.begin(), values.end(), [](const auto& v) { return v.has_value(); })) continue;
    results.trials.push_back(trial);
    for (const auto& value : values) results.value.push_back(*value);
  }
  return results;
}

RunDescription read_description(const fs::path& folder) {
  const fs::path path = folder / "run.json";
  return parse_description(files::open_text_file(path).text, path.string());
}

// Anything but temporary files that a run left behind when it was killed within its first moment.
bool holds_something_else(const fs::path& folder) {
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.path().filename().string().find(".tmp-") == std::string::npos) return true;
  }
  return false;
}

}  // namespace

std::string results_csv(const Results& results) {
  std::string text = kHeader;
  const std::size_t block = results.planners.size() * results.horizons.size();
  for (std::size_t t = 0; t < results.trials.size(); ++t) {
    append_rows(results.planners, results.horizons, results.trials[t],
                std::span(results.value).subspan(t * block, block), text);
  }
  return text;
}

ResultsFolder::ResultsFolder(fs::path folder, const RunDescription& run)
    : folder_(std::move(folder)), run_(run), finished_{run.planners, run.horizons, {}, {}} {
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error || !files::is_folder(folder_))
    throw StoreError(fmt::format("{}: cannot make this folder: {}", folder_.string(), error.message()));
  if (files::is_there(folder_ / "run.json")) {
    load();
  } else if (holds_something_else(folder_)) {
    throw StoreError(
        fmt::format("{}: the folder holds something else; choose an empty or a new one", folder_.string()));
  }
  write_file(folder_ / "run.json", description_json(run_));
  start_journal();
}

ResultsFolder::~ResultsFolder() {
  if (journal_ >= 0) ::close(journal_);
}

void ResultsFolder::load() {
  const RunDescription before = read_description(folder_);
  std::string difference = first_difference(before, run_, false);
  if (difference.empty() && run_.trials < before.trials)
    difference = fmt::format("trials was {}, now {}", before.trials, run_.trials);
  if (!difference.empty()) {
    throw InvalidArgument(
        fmt::format("{}: the folder holds results of other options: {}; choose another folder",
                    folder_.string(), difference));
  }
  for (const char* name : {"finished.csv", "results.csv"}) {
    if (!files::is_there(folder_ / name)) continue;
    Results kept = read_table(folder_ / name, run_);
    if (kept.trials.size() > finished_.trials.size()) finished_ = std::move(kept);
  }
}

// Begun anew with what is known to be whole, so that nothing is ever appended to half a line.
void ResultsFolder::start_journal() {
  const fs::path path = folder_ / "finished.csv";
  write_file(path, results_csv(finished_));
  journal_ = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (journal_ < 0) throw StoreError(fmt::format("{}: {}", path.string(), std::strerror(errno)));
  journal_size_ = static_cast<std::int64_t>(fs::file_size(path));
}

void ResultsFolder::keep(std::uint64_t trial, std::span<const double> values) {
  std::string text;
  append_rows(run_.planners, run_.horizons, trial, values, text);
  const std::lock_guard lock(mutex_);
  for (std::string_view left = text; !left.empty();) {
    const ssize_t written = ::write(journal_, left.data(), left.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      const int reason = errno;
      // Nothing may ever be appended to half a trial: it goes, or the journal takes no more.
      if (::ftruncate(journal_, journal_size_) != 0) {
        ::close(journal_);
        journal_ = -1;
      }
      throw StoreError(fmt::format("{}: {}; the trials finished before are kept, the same command goes on",
                                   (folder_ / "finished.csv").string(), std::strerror(reason)));
    }
    left.remove_prefix(static_cast<std::size_t>(written));
  }
  journal_size_ += static_cast<std::int64_t>(text.size());
}

void ResultsFolder::complete(const Results& results, const std::string& summary) {
  write_file(folder_ / "results.csv", results_csv(results));
  write_file(folder_ / "summary.json", summary);
  std::error_code ignored;
  fs::remove(folder_ / "finished.csv", ignored);
}

Merged merge(const std::vector<fs::path>& folders) {
  if (folders.empty()) throw InvalidArgument("merge: there is no folder to merge");
  std::map<std::int64_t, fs::path> by_shard;
  std::map<std::uint64_t, std::vector<double>> rows;
  RunDescription first = read_description(folders.front());
  for (const fs::path& folder : folders) {
    const RunDescription run = read_description(folder);
    std::string difference = first_difference(first, run, true);
    if (difference.empty() && run.trials != first.trials)
      difference = fmt::format("trials was {}, now {}", first.trials, run.trials);
    if (!difference.empty())
      throw InvalidArgument(fmt::format("{}: not of the same run as {}: {}", folder.string(),
                                        folders.front().string(), difference));
    if (const auto [it, is_new] = by_shard.emplace(run.shard, folder); !is_new)
      throw InvalidArgument(
          fmt::format("{}: shard {} again, as in {}", folder.string(), run.shard, it->second.string()));
    const Results part =
        files::is_there(folder / "results.csv") ? read_table(folder / "results.csv", run) : Results{};
    if (part.trials != trials_of(sweep_options(run)))
      throw InvalidArgument(
          fmt::format("{}: the shard is not complete; run it again into the same folder", folder.string()));
    const std::size_t block = run.planners.size() * run.horizons.size();
    for (std::size_t t = 0; t < part.trials.size(); ++t) {
      const auto from = part.value.begin() + static_cast<std::ptrdiff_t>(t * block);
      rows.emplace(part.trials[t], std::vector<double>(from, from + static_cast<std::ptrdiff_t>(block)));
    }
  }
  for (std::int64_t shard = 1; shard <= first.shards; ++shard) {
    if (!by_shard.contains(shard))
      throw InvalidArgument(fmt::format("merge: shard {} of {} is missing", shard, first.shards));
  }
  first.shard = first.shards = 1;
  Results results{first.planners, first.horizons, {}, {}};
  for (const auto& [trial, values] : rows) {
    results.trials.push_back(trial);
    results.value.insert(results.value.end(), values.begin(), values.end());
  }
  return {std::move(first), std::move(results)};
}

}  // namespace mindgap::trial
