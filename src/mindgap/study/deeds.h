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

/// A decision that was computed beside the log, which may have grown meanwhile: nobody is kept from writing
/// by what takes long.
struct Draft {
  std::int64_t as_of = 0;  // the event up to which the log was known
  State state;             // as it was there
  Event event = {};
};

struct AssignedNow : Done {
  std::int64_t added = 0, finished = 0, waiting = 0;
  bool updated = false;
};
/// The update of the policy that the next assignments need, if they do.
std::optional<Draft> draft_update(const LiveStudy& study, std::optional<std::int64_t> step, int threads = 0);
/// Where an update is due it is the one that was drafted, or, if that does not hold any more, computed here.
/// Throws Refused `stopped` and `invalid`.
AssignedNow assign_next(LiveWriting& writing, std::optional<std::int64_t> step, const Author& author,
                        int threads = 0, const std::optional<Draft>& update = {});

/// What the owner orders: a new design, or the end of the study.
struct Order {
  enum class Kind { redesign, stop } kind = Kind::redesign;
  Author author = {};   // with the reason of a stop
  bool explore = true;  // in a new design
};
/// Decides on a copy of what is there. None: it was done before. Throws Refused `stopped` and `finished`.
std::optional<Draft> draft(const LiveStudy& study, const Order& order, int threads = 0);
/// Adds what was drafted, or says what was done before. None: the log moved on in a way that matters (see
/// still_holds()), so it is to be drafted again.
std::optional<Done> carry_out(LiveWriting& writing, const Order& order, const std::optional<Draft>& draft);
/// Both in one, while nobody else writes.
Done carry_out_now(LiveWriting& writing, const Order& order, int threads = 0);

/// Writes down who takes part, where that is not what the log says.
Done note_people(LiveWriting& writing, const std::map<std::string, Person>& people, const Author& author);

}  // namespace mindgap::study
