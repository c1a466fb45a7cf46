#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mindgap/base/run.h"
#include "mindgap/command/evidence.h"
#include "mindgap/command/limits.h"
#include "mindgap/report/page.h"
#include "mindgap/study/study.h"
#include "mindgap/study/verify.h"

// A field experiment, one call a verb. `folder` is the study's folder everywhere. Each call is one
// transaction and returns after the disk has it; the clock is the system's. What writes adds a line to
// heads.txt beside the study (study/anchor.h). Texts are for people, JSON for programs.
namespace mindgap::command {

struct StudyInitRequest {
  std::string folder = {};               // it is made
  std::optional<mdp::Model> model = {};  // none: read from model_path
  std::string model_path = {};           // where the model came from; "": where the plan says
  std::optional<Source> units = {};      // unit,state[,group]; none: those of the plan
  std::optional<Source> plan = {};       // of a decision or a design, to begin with
  std::optional<Source> coverage = {};   // how often history saw each pair
  belief::PriorOverrides prior = {};
  LimitsRequest limits = {};  // what explorers keep to
  std::int64_t horizon = 0;   // steps of every unit; 0: the plan's
  std::int64_t batch_steps = study::StudyOptions().batch_steps;
  std::int64_t update_every = study::StudyOptions().update_every;
  double control_share = study::StudyOptions().control_share;
  bool allow_new_states = false;  // that results name and the model does not have
  base::Run run = {};
  std::string key = {};  // the file of a key that signs what is written; "": nothing is signed
};
/// What a study begins with: arms and the first design.
struct StudyBegun {
  study::Begun begun;
  std::vector<std::string> warnings = {};

  std::string text() const;
  std::string json() const;
};
/// Begins a study. Throws InvalidArgument, InvalidModel and StoreError; then nothing is made.
StudyBegun study_init(const StudyInitRequest& request);

/// Throws StoreError where the folder holds no study.
void study_check(const std::string& folder);
/// Throws InvalidArgument where the study does not have one of these units.
void study_check_units(const std::string& folder, const std::vector<std::string>& units);

struct StudyUnitsRequest {
  std::string folder = {};
  Source units = {};  // unit,state[,group]
  base::Run run = {};
  std::string key = {};
};
/// Units that joined.
struct StudyJoined {
  study::Joined joined;
  std::vector<std::string> warnings = {};

  std::string text() const;
  std::string json() const;
};
StudyJoined study_add_units(const StudyUnitsRequest& request);

struct StudyAssignRequest {
  std::string folder = {};
  std::optional<std::int64_t> step = {};  // none: the next one of every unit
  base::Run run = {};
  std::string key = {};
};
/// Who does what next.
struct StudyAssigned {
  study::Assigned assigned;
  std::vector<std::string> warnings = {};

  std::string text() const;
  std::string json() const;
};
StudyAssigned study_assign(const StudyAssignRequest& request);

struct StudyRecordRequest {
  std::string folder = {};
  Source results = {};   // unit,step,state,action,reward,next_state[,censored][,status]
  bool correct = false;  // what contradicts the log replaces what it says
  base::Run run = {};
  std::string key = {};
};
/// What was taken of a file of results, or of a table.
struct StudyRecorded {
  study::Recorded recorded;           // its `lines` are rows where the results were a table
  std::vector<std::string> warnings;  // of results that are odd, by their lines or rows

  std::string text() const;
  std::string json() const;
};
StudyRecorded study_record(const StudyRecordRequest& request);

/// A verb that needs the study and nothing else.
struct StudyRequest {
  std::string folder = {};
  base::Run run = {};
};

/// How a study stands.
struct StudyStatus {
  study::Status status;

  /// Conflicts that nobody has settled, oldest first.
  std::vector<const study::Conflict*> open_conflicts() const;
  /// What a reader of the numbers should know, in sentences.
  std::vector<std::string> warnings() const;
  std::string text() const;
  std::string json() const;
  report::Page page() const;
};
StudyStatus study_status(const StudyRequest& request);

/// What a study believes by now.
struct StudyKnown {
  study::State state;
  mdp::Model mean;  // the mean of the belief, as a model
  belief::Belief belief;
  std::vector<std::int32_t> action;  // of each state: the policy in force
  std::vector<std::int64_t> seen;    // per pair: results that count
};
StudyKnown study_known(const StudyRequest& request);

struct StudyRedesignRequest {
  std::string folder = {};
  bool follow = false;  // no routes: everybody follows the policy that is best by now
  base::Run run = {};
  std::string key = {};
};
struct StudyStopRequest {
  std::string folder = {};
  std::string why = {};
  base::Run run = {};
  std::string key = {};
};
/// A new design, or the end, with the look it was decided on.
struct StudyRedesigned {
  study::Redesigned redesigned;
  std::vector<std::string> warnings = {};

  std::string text() const;
  std::string json() const;
};
StudyRedesigned study_redesign(const StudyRedesignRequest& request);
StudyRedesigned study_stop(const StudyStopRequest& request);

struct StudyVerifyRequest {
  std::string folder = {};
  std::optional<std::string> head = {};  // a hash that was noted earlier: its row must be there still
  bool sign = false;                     // where the whole log is good, signs the pages of the file anew
  base::Run run = {};
  std::optional<Source> anchors = {};  // lines that study_anchor() wrote: they must hold
  std::vector<std::string> keys = {};  // files of public keys: everything must be signed by one of these
  bool accept_loss = false;            // sign also without a head and without anchors
};
/// Whether everything follows from the log, bit for bit.
struct StudyVerification {
  study::Verification found;
  bool since_head = false;  // a noted hash was looked for

  std::string text() const;
  std::string json() const;
};
StudyVerification study_verify(const StudyVerifyRequest& request);

/// What the log is now, as one line to be published anywhere. With `out` it is added to that file.
struct StudyAnchored {
  study::Anchor anchor;

  std::string text() const;
  std::string json() const;
};
StudyAnchored study_anchor(const std::string& folder, const std::string& out = {});

/// A new key for signing: `file`, and `file`.pub for those who verify. Throws StoreError where one is there.
struct StudyKeyMade {
  std::string file, public_key;

  std::string text() const;
  std::string json() const;
};
StudyKeyMade study_key_new(const std::string& file);

/// CSV, JSON Lines and a copy of the study, as of one moment, into a folder (study/export.h).
/// `csv_safe`: names in tables that a spreadsheet would take for formulas get an apostrophe in front.
void study_export(const std::string& folder, const std::string& out, bool csv_safe = false);
/// Everything in the log as one JSON object, with a line end after it.
std::string study_export_json(const std::string& folder);

}  // namespace mindgap::command
