// The log of a study in which somebody who knows the format has changed contents, bytes, rows and the order
// of events, and has computed all hashes anew. Reading it, its status and its verification return, or throw
// an Error; none of them takes the hashes for a proof that the rest makes sense.
//
// Up to the first event that an input changes everything is as it was: most inputs are looked at from there
// on, only some as a whole, with their hashes. And to verify a design is to make it again, which takes longer
// than all the rest: a few inputs are about a study that designs, the others about one that has the other
// events.
#include <fuzzer/FuzzedDataProvider.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/small_study.h"
#include "mindgap/base/error.h"
#include "mindgap/study/check_event.h"
#include "mindgap/study/verify.h"

namespace {

using namespace mindgap::study;

const char* const kPieces[] = {"{",
                               "}",
                               "[",
                               "]",
                               ":",
                               ",",
                               "\"",
                               "null",
                               "true",
                               "-1",
                               "0",
                               "1e308",
                               "-1e999",
                               "1.5",
                               "\"u\"",
                               "\"step\"",
                               "9223372036854775807",
                               "-9223372036854775808",
                               "\"a\"",
                               "[]",
                               "{}",
                               "\\u0000",
                               "\xff"};

// A piece in place of some bytes; `wild`: any bytes.
void change(FuzzedDataProvider& from, std::string& text, bool wild) {
  const auto at = from.ConsumeIntegralInRange<std::size_t>(0, text.size());
  const auto gone = from.ConsumeIntegralInRange<std::size_t>(0, 8);
  const std::string piece = wild ? from.ConsumeBytesAsString(from.ConsumeIntegralInRange<std::size_t>(0, 8))
                                 : std::string(from.PickValueInArray(kPieces));
  text.replace(at, std::min(gone, text.size() - at), piece);
}

std::int32_t small(FuzzedDataProvider& from) {
  return from.ConsumeBool() ? from.ConsumeIntegralInRange(-2, 9) : from.ConsumeIntegral<std::int32_t>();
}

template <typename Row>
Row* any(FuzzedDataProvider& from, std::vector<Row>& rows) {
  return rows.empty() ? nullptr : &rows[from.ConsumeIntegralInRange<std::size_t>(0, rows.size() - 1)];
}

void change_row(FuzzedDataProvider& from, Log& log) {
  switch (from.ConsumeIntegralInRange(0, 2)) {
    case 0:
      if (UnitRow* row = any(from, log.units)) {
        from.ConsumeBool() ? change(from, row->name, true) : void(row->state = small(from));
      }
      break;
    case 1:
      if (AssignmentRow* row = any(from, log.assignments)) {
        std::int32_t* const fields[] = {&row->unit,   &row->step,  &row->state,
                                        &row->action, &row->batch, &row->route};
        *fields[from.ConsumeIntegralInRange(0, 5)] = small(from);
        if (from.ConsumeBool()) row->probability = from.ConsumeFloatingPoint<double>();
      }
      break;
    default:
      if (ObservationRow* row = any(from, log.observations)) {
        std::int32_t* const fields[] = {&row->unit, &row->step, &row->state, &row->action, &row->next_state};
        *fields[from.ConsumeIntegralInRange(0, 4)] = small(from);
        if (from.ConsumeBool()) row->reward = from.ConsumeFloatingPoint<double>();
        if (from.ConsumeBool()) row->replaces = small(from);
        row->is_void = from.ConsumeBool();
        row->censored = from.ConsumeBool();
      }
  }
}

void change_event(FuzzedDataProvider& from, Log& log) {
  static const char* const kinds[] = {"study",    "design", "update",    "assign",  "record",
                                      "redesign", "stop",   "units",     "migrate", "people",
                                      "conflict", "settle", "signature", "confirm", "?"};
  Event* const event = any(from, log.events);
  if (event == nullptr) return;
  switch (from.ConsumeIntegralInRange(0, 6)) {
    case 0:
      event->kind = from.PickValueInArray(kinds);
      break;
    case 1:
      change(from, event->data, true);
      break;
    case 2:
      event->assignments = small(from);
      break;
    case 3:
      event->number = small(from);
      break;
    case 4:
      std::swap(*event, *any(from, log.events));
      break;
    case 5:
      log.events.erase(log.events.begin() + (event - log.events.data()));
      break;
    default:
      change(from, event->content, false);
  }
}

MemoryStorage with_hashes(const Log& log) {
  MemoryStorage storage;
  const auto to = storage.begin(Access::create, {});
  for_each_event(log, [&](const Event& event, auto units, auto assignments, auto observations) {
    to->append(event, {units.begin(), units.end()}, {assignments.begin(), assignments.end()},
               {observations.begin(), observations.end()});
  });
  to->commit();
  return storage;
}

// A study and where it stood before each of its events but the first.
struct Walked {
  explicit Walked(Log from) : log(std::move(from)) {
    State state = begin(log.events.front());
    for_each_event(log, [&](const Event& event, auto... rows) {
      apply(state, event, rows...);
      after.push_back(state);
    });
  }
  Log log;
  std::vector<State> after;
};

bool same(const Event& a, const Event& b) {
  return a.kind == b.kind && a.content == b.content && a.data == b.data && a.units == b.units &&
         a.assignments == b.assignments && a.observations == b.observations;
}

// How many events at the beginning are as they were, with their rows.
std::size_t untouched(const Walked& study, const Log& log) {
  const auto alike = [](const auto& a, const auto& b, std::size_t& from, std::int64_t count) {
    const auto end = from + static_cast<std::size_t>(count);
    bool all = end <= b.size();
    for (; all && from < end; ++from) all = a[from] == b[from];
    return all;
  };
  std::size_t i = 0, unit = 0, assignment = 0, observation = 0;
  for (; i < log.events.size() && i < study.log.events.size(); ++i) {
    const Event& event = log.events[i];
    if (!same(event, study.log.events[i]) || !alike(study.log.units, log.units, unit, event.units) ||
        !alike(study.log.assignments, log.assignments, assignment, event.assignments) ||
        !alike(study.log.observations, log.observations, observation, event.observations))
      break;
  }
  return i;
}

// From the first event that was changed on.
void look_at_rest(const Walked& study, Log& log, bool check) {
  std::int64_t number = 0;
  for (Event& event : log.events) event.number = ++number;  // as every storage numbers them
  if (log.events.empty()) return;
  const std::size_t first = untouched(study, log);
  State state = first > 0 ? study.after[first - 1] : begin(log.events.front());
  EarlierStates earlier(log);
  for_each_event(log, [&](const Event& event, auto... rows) {
    const auto done = static_cast<std::size_t>(event.number);
    if (done > first) {
      if (check) check_event(state, event, rows..., earlier, 1);
      apply(state, event, rows...);
    }
    if (check) earlier.look(event.number, done > first ? state : study.after[done - 1]);
  });
  if (!check && !state.batches.empty()) summarise(state, log);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Walked quick(quick_log()), full(small_study().begin_reading()->read_log());
  // Which way an input is looked at depends on a hash of it, not on a byte of it: the fuzzer would keep the
  // byte that leads to more code, and soon most inputs would be slow ones.
  const std::size_t hash = std::hash<std::string_view>()({reinterpret_cast<const char*>(data), size});
  FuzzedDataProvider from(data, size);
  const Walked& study = hash % 1024 == 0 ? full : quick;
  Log log = study.log;
  while (from.remaining_bytes() > 0) from.ConsumeBool() ? change_event(from, log) : change_row(from, log);
  try {
    if (hash % 64 == 0) {
      const MemoryStorage storage = with_hashes(log);
      verify(storage, 1);
      study_status(storage);
    } else {
      look_at_rest(study, log, hash % 8 != 1);
    }
  } catch (const mindgap::Error&) {
  } catch (const nlohmann::json::exception&) {
    if (hash % 64 == 0 || hash % 8 == 1) throw;  // verify() tells of these, the others must not have them
  }
  return 0;
}
