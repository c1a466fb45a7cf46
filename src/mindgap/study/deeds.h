#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mindgap/study/live.h"
#include "mindgap/study/place_result.h"

// What people do to a study that is open: each is one deed of LiveStudy::write(), and its event says who did
// it. Sent again with the same id a deed is not done again: it answers what it answered first. All throw
// Refused: `id_reused` where the id is of another deed, `ahead` where the author has seen more than there is.
namespace mindgap::study {

struct Done {
  std::int64_t event = 0;  // or 0: nothing was to be done
  bool repeated = false;   // it was done before
};

struct Taken : Done {
  Outcome outcome = Outcome::recorded;
  std::string reason;                      // of a conflict
  std::optional<ObservationRow> row = {};  // that was added now
};
Taken take_result(LiveWriting& writing, const FieldResult& result, const Author& author);

/// Throws Refused `not_found`, `settled`, and what settle_conflict() throws.
Done settle(LiveWriting& writing, std::int64_t conflict, Choice choice, const Author& author);

struct AssignedNow : Done {
  std::int64_t added = 0, finished = 0, waiting = 0;
  bool updated = false;
};
/// Throws Refused `stopped` and `invalid`.
AssignedNow assign_next(LiveWriting& writing, std::optional<std::int64_t> step, const Author& author,
                        int threads = 0);

/// Throws Refused `stopped` and `finished`.
Done redesign_now(LiveWriting& writing, bool explore, const Author& author, int threads = 0);
/// Throws Refused `stopped` and `why_missing`; the reason is the author's.
Done stop_now(LiveWriting& writing, const Author& author);

/// Writes down who takes part, where that is not what the log says.
Done note_people(LiveWriting& writing, const std::map<std::string, Person>& people, const Author& author);

}  // namespace mindgap::study
