// The log of a study in which somebody who knows the format has changed contents, bytes, rows and the order
// of events, and has computed all hashes anew. Reading it, its status and its verification return, or throw
// an Error; none of them takes the hashes for a proof that the rest makes sense.
#include <fuzzer/FuzzedDataProvider.h>

#include <algorithm>
#include <string>
#include <vector>

#include "fuzz/small_study.h"
#include "mindgap/base/error.h"
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
  static const char* const kinds[] = {"study", "design",  "update", "assign",   "record", "redesign",  "stop",
                                      "units", "migrate", "people", "conflict", "settle", "signature", "?"};
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

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Log untouched = small_study().begin_reading()->read_log();
  FuzzedDataProvider from(data, size);
  Log log = untouched;
  while (from.remaining_bytes() > 0) from.ConsumeBool() ? change_event(from, log) : change_row(from, log);
  try {
    const MemoryStorage storage = with_hashes(log);
    verify(storage, 1);
    study_status(storage);
  } catch (const mindgap::Error&) {
  }
  return 0;
}
