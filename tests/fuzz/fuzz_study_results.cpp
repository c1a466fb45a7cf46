// The bytes are a file of results for a study that waits for three; the first one says whether they may
// correct what is recorded. The reader returns or throws an Error, and what it returns can be recorded.
#include <cstddef>
#include <cstdint>
#include <string>

#include "fuzz/small_study.h"
#include "mindgap/base/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace mindgap::study;
  if (size == 0) return 0;
  static const State state = read_study(small_study());
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const ResultOptions options{.correct = (data[0] & 1) != 0};
  try {
    const Results results = check_results(state, text_of("results.csv", text), options);
    if (results.rows.empty()) return 0;
  } catch (const mindgap::Error&) {
    return 0;
  }
  // Rows that were found good are taken. A copy shares its content, and each transaction works on its own:
  // without a commit the small study stays as it is.
  MemoryStorage storage;
  const auto from = small_study().begin_reading();
  LogHashes hashes;
  const Log log = from->read_log(&hashes);
  {
    const auto to = storage.begin(Access::create, {});
    for_each_event(log, [&](const Event& event, auto units, auto assignments, auto observations) {
      to->append(event, {units.begin(), units.end()}, {assignments.begin(), assignments.end()},
                 {observations.begin(), observations.end()});
    });
    to->commit();
  }
  record(storage, text_of("results.csv", text), options, {"fuzz", "2026-03-01T09:00:00Z"});
  study_status(storage);
  return 0;
}
