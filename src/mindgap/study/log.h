#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mindgap/study/bytes.h"
#include "mindgap/study/sha256.h"

// What a study's file holds: rows that are only ever added. Everything else is computed from them.
namespace mindgap::study {

/// Studies of this version are written; older ones are brought forward, newer ones refused.
constexpr std::int64_t kLogVersion = 2;

enum class Arm : std::uint8_t {
  explore = 0,  // follows the design's routes
  control = 1,  // follows the current policy
};
const char* to_string(Arm arm);

/// What a command did. The rows it added follow it in the log: units, then assignments, then observations.
struct Event {
  std::int64_t number = 0;  // from 1
  std::string time;         // the writer's clock, UTC; for people, nothing is computed from it
  std::string program;
  std::string kind;     // study, design, update, assign, record, redesign, stop, units, migrate, signature
  std::string content;  // JSON
  std::string
      data;  // bytes: the model of `study`, the design of `design` and `redesign`, the policy of `update`
  std::int64_t units = 0, assignments = 0, observations = 0;
};

struct UnitRow {
  std::string name;
  std::int32_t state = 0;  // where it begins
  std::string group;       // or empty
  Arm arm = Arm::explore;  // for the whole study

  bool operator==(const UnitRow&) const = default;
};

struct AssignmentRow {
  std::int32_t unit = 0;
  std::int32_t step = 0;
  std::int32_t state = 0;
  std::int32_t action = 0;
  std::int32_t batch = 0;  // which design it follows, from 0
  Arm arm = Arm::explore;
  std::int32_t route = -1;      // of the design, or -1: the current policy
  double draw_probability = 1;  // of this arm and route, when the unit entered the design
  double probability = 1;       // of this action, given the arm and the unit's observed path under the design

  bool operator==(const AssignmentRow&) const = default;
};

struct ObservationRow {
  std::int32_t unit = 0;
  std::int32_t step = 0;
  std::int32_t state = 0;
  std::int32_t action = 0;       // that was taken
  bool has_reward = false;       // else not known (yet)
  double reward = 0;             // a bound where censored
  std::int32_t next_state = -1;  // -1: not known (yet)
  bool censored = false;
  bool at_most = false;        // censored: the reward is an upper bound, else a lower one
  bool is_void = false;        // says nothing but where the unit is
  bool deviation = false;      // another action than assigned
  std::int64_t replaces = -1;  // the observation (from 0) that this one corrects or completes, or -1

  bool operator==(const ObservationRow&) const = default;
};

struct Log {
  std::vector<Event> events;
  std::vector<UnitRow> units;
  std::vector<AssignmentRow> assignments;
  std::vector<ObservationRow> observations;
};

/// The hashes as stored, one per row of a Log.
struct LogHashes {
  std::vector<Digest> events, units, assignments, observations;
};

/// Each row's hash is SHA-256 of the hash before it and the row's content, in the order of the log: an event,
/// then its rows. Before the first row it is all zeros.
class Chain {
 public:
  explicit Chain(const Digest& head = {}) : head_(head) {}
  const Digest& add(const Event& event);
  const Digest& add(const UnitRow& row);
  const Digest& add(const AssignmentRow& row);
  const Digest& add(const ObservationRow& row);
  const Digest& head() const { return head_; }
  void continue_from(const Digest& head) { head_ = head; }

 private:
  const Digest& add_written();
  ByteWriter out_;  // a row's content, to be hashed
  Sha256 hash_;
  Digest head_;
};

/// The hash of the last row. Throws StoreError for the first row whose hash does not follow from what is
/// before it.
Digest check_chain(const Log& log, const LogHashes& hashes);

}  // namespace mindgap::study
