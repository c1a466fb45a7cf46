#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mindgap/files/text_file.h"
#include "mindgap/study/anchor.h"
#include "mindgap/study/results.h"
#include "mindgap/study/storage.h"
#include "mindgap/study/summary.h"

// A field experiment: what the commands do. Each call is one transaction; it returns after the disk has it.
// `after` in an answer is what the log is then. A writer with a key signs what it adds; a study that is
// signed takes nothing without a key (InvalidArgument).
namespace mindgap::study {

/// `unit,state[,group]`: every unit once.
std::vector<UnitRow> read_units(const files::TextFile& file, const mdp::Mdp& mdp);

/// Why explorers and controls can hardly be compared, whatever results will come.
enum class ArmsProblem {
  no_control,
  no_explorer,
  not_drawn,  // who explores follows from where units begin
  too_small,  // fewer than kFewest units in an arm: no interval
};

/// Begins a study: stores the model, the options and the units, draws the arms and makes the first design.
/// Throws StoreError where there is a study already; then nothing has changed.
struct Begun {
  State state;
  Anchor after;
  std::optional<ArmsProblem> problem;
};
Begun begin_study(const Storage& storage, const mdp::Model& model, std::vector<UnitRow> units,
                  StudyOptions options, const Writer& writer, int threads = 0);

/// What `assign` answers.
struct Assigned {
  State state;
  std::vector<std::int32_t> assignments;  // numbers in state.assignments, by unit
  std::int64_t added = 0;                 // of them are new
  bool updated = false;                   // the policy was found again before them
  std::vector<Waiting> waiting;
  std::int64_t finished = 0;  // units that have done all their steps
  Anchor after = {};
};
/// Without `step`: the next step of every unit whose last result is in. Those that the latest such call gave
/// out are given again as they are stored; older ones without a result are waiting. With `step`: everything
/// that is assigned for that step, and those who are not there yet. Where an update is due (assign.h) it goes
/// before the new ones, in the same transaction.
Assigned assign(const Storage& storage, std::optional<std::int64_t> step, const Writer& writer,
                int threads = 0);

/// Units that join a study that is going on. Their arms are drawn as those of the first ones were; explorers
/// enter the design in force by a route drawn for where they begin, and all have the study's whole horizon.
struct Joined {
  State state;        // after it
  std::size_t first;  // number of the first of them
  Anchor after;
};
/// All units of the file or none. Throws InvalidModel where one is in the study already or begins in a state
/// that is not there, InvalidArgument where the study was stopped.
Joined add_units(const Storage& storage, const files::TextFile& file, const Writer& writer);

struct Recorded {
  State state;  // after it
  Results results;
  Anchor after;
};
/// All rows of the file or none.
Recorded record(const Storage& storage, const files::TextFile& file, const ResultOptions& options,
                const Writer& writer);

/// A new design from what is known now; the look it was made on is kept with it.
struct Redesigned {
  State state;
  Summary look;
  Anchor after;
};
/// Without `explore`: a new policy for everybody.
Redesigned redesign(const Storage& storage, bool explore, const Writer& writer, int threads = 0);

/// Ends the study: nothing more is assigned; results that are still out are taken.
Redesigned stop(const Storage& storage, const std::string& why, const Writer& writer);

struct Status {
  State state;
  Summary summary;
  Anchor after;
};
Status study_status(const Storage& storage);

/// What the log is now, quickly.
Anchor study_anchor(const Storage& storage, const std::string& time);

/// The log folded, without the numbers of a status: quick.
State read_study(const Storage& storage);

/// What differs between the model at the path where the study's came from and the study's own, or "" where
/// nothing does or nothing is there any more.
std::string changed_model(const State& state);

/// Throws InvalidArgument where it did: what writes goes on only with the model that the study began with.
void refuse_changed_model(const State& state);

}  // namespace mindgap::study
