#include "mindgap/study/live.h"

#include <fmt/format.h>

#include "mindgap/base/error.h"
#include "mindgap/files/place.h"
#include "mindgap/study/study.h"

namespace mindgap::study {
namespace {

LiveLog live_log(const Log& log) {
  if (log.events.empty()) throw StoreError("the study is damaged: there is nothing in it");
  LiveLog live{.state = begin(log.events.front()), .entries = {}, .after = {}};
  for_each_event(log, [&](const Event& event, auto units, auto assignments, auto observations) {
    live.add(event, units, assignments, observations);
  });
  return live;
}

}  // namespace

void LiveLog::add(const Event& event, std::span<const UnitRow> units,
                  std::span<const AssignmentRow> assignments, std::span<const ObservationRow> observations) {
  Entry entry{event, state.units.size(), state.assignments.size(), state.observations.size()};
  entry.event.data = {};
  entry.event.units = static_cast<std::int64_t>(units.size());
  entry.event.assignments = static_cast<std::int64_t>(assignments.size());
  entry.event.observations = static_cast<std::int64_t>(observations.size());
  apply(state, event, units, assignments, observations);
  entries.push_back(std::move(entry));
}

std::int64_t LiveWriting::append(Event event, const std::vector<UnitRow>& units,
                                 const std::vector<AssignmentRow>& assignments,
                                 const std::vector<ObservationRow>& observations) {
  event.time = utc_now();
  event.program = writer_.program;
  transaction_.append(event, units, assignments, observations);
  event.number = transaction_.events();
  log_.add(event, units, assignments, observations);
  added_.push_back({std::move(event), units, assignments, observations});
  return added_.back().event.number;
}

LiveStudy::LiveStudy(const std::filesystem::path& folder, const std::string& program,
                     std::shared_ptr<const SigningKey> key, const std::string& where)
    : folder_(files::is_file(folder) ? folder.parent_path() : folder),
      writer_{program, utc_now(), std::move(key), true},
      storage_(storage_at(folder)) {
  storage_->check_there();
  lock_ = std::make_unique<ServingLock>(storage_->serving_file(), where);
  load();
  if (!work_->state.keys.empty() && !writer_.key)
    throw InvalidArgument("the study is signed: say which key signs what is added (--key)");
  refuse_changed_model(work_->state);
}

LiveStudy::~LiveStudy() = default;

void LiveStudy::load() {
  // To write: an older study is brought forward, and whoever was writing is waited for.
  const std::unique_ptr<Transaction> transaction = storage_->begin(Access::write, writer_);
  work_ = live_log(transaction->read_log());
  work_->after = {work_->state.id, transaction->events(), hex(transaction->head()),
                  work_->state.times.back()};
  const std::unique_lock lock(mutex_);
  shown_ = work_;
}

std::vector<std::exception_ptr> LiveStudy::write(std::span<const Deed> deeds) {
  std::vector<std::exception_ptr> failures(deeds.size());
  try {
    writer_.time = utc_now();
    std::unique_ptr<Transaction> transaction = storage_->begin(Access::write, writer_);
    if (hex(transaction->head()) != work_->after.head) {  // a writer that had begun before the server
      transaction.reset();
      load();
      transaction = storage_->begin(Access::write, writer_);
    }
    LiveWriting writing(*work_, *transaction, writer_);
    for (std::size_t i = 0; i < deeds.size(); ++i) {
      const std::size_t before = writing.added_.size();
      try {
        deeds[i](writing);
      } catch (...) {
        if (writing.added_.size() != before) throw;
        failures[i] = std::current_exception();
      }
    }
    if (writing.added_.empty()) return failures;
    if (writer_.key) {
      writing.append(
          {.kind = "signature",
           .content = signature_content(*writer_.key, hex(transaction->head()), transaction->events())});
    }
    const Anchor after{work_->state.id, transaction->events(), hex(transaction->head()), utc_now()};
    transaction->commit();
    work_->after = after;
    is_noted_ = false;
    const std::unique_lock lock(mutex_);
    shown_->after = after;
    for (const auto& added : writing.added_)
      shown_->add(added.event, added.units, added.assignments, added.observations);
  } catch (...) {
    failures.assign(deeds.size(), std::current_exception());
    try {
      load();                 // whatever was added in memory alone is forgotten
    } catch (const Error&) {  // the next one to write finds that the head is another one
      work_->after.head.clear();
    }
  }
  return failures;
}

void LiveStudy::note_head() {
  if (is_noted_) return;
  note_anchor(folder_ / kHeadsFile, work_->after);
  is_noted_ = true;
}

}  // namespace mindgap::study
