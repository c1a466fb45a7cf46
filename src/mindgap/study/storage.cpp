#include "mindgap/study/storage.h"

#include <fmt/format.h>

#include <ctime>

#include "mindgap/base/option_name.h"
#include "mindgap/study/sqlite_storage.h"

namespace mindgap::study {

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

Log Transaction::read_log(LogHashes* hashes) {
  LogHashes found;
  Log log = steadily([&] {
    Log rows;
    found = {};
    read(rows, found);
    const Digest head = check_chain(rows, found);
    end_ = {static_cast<std::int64_t>(rows.events.size()), head};
    return rows;
  });
  if (hashes != nullptr) *hashes = std::move(found);
  return log;
}

const Transaction::End& Transaction::end() {
  if (!end_) end_ = read_end();
  return *end_;
}

Digest Transaction::head() {
  return end().head;
}

std::int64_t Transaction::events() {
  return end().events;
}

void Transaction::append(Event event, const std::vector<UnitRow>& units,
                         const std::vector<AssignmentRow>& assignments,
                         const std::vector<ObservationRow>& observations) {
  event.number = end().events + 1;
  event.units = static_cast<std::int64_t>(units.size());
  event.assignments = static_cast<std::int64_t>(assignments.size());
  event.observations = static_cast<std::int64_t>(observations.size());
  Chain chain(end().head);
  LogHashes hashes;
  hashes.events.push_back(chain.add(event));
  const auto add = [&chain](const auto& rows, std::vector<Digest>& digests) {
    digests.reserve(rows.size());
    for (const auto& row : rows) digests.push_back(chain.add(row));
  };
  add(units, hashes.units);
  add(assignments, hashes.assignments);
  add(observations, hashes.observations);
  write(event, units, assignments, observations, hashes);
  end_ = {event.number, chain.head()};
}

void Storage::check_there() const {
  if (!exists())
    throw StoreError(fmt::format("{}: there is no study; {} begins one", name(),
                                 base::told("study init", "Study.init()")));
}

std::unique_ptr<Storage> storage_at(const std::filesystem::path& path) {
  return std::make_unique<SqliteStorage>(path);
}

}  // namespace mindgap::study
