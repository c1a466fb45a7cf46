#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mindgap/study/anchor.h"
#include "mindgap/study/storage.h"

namespace mindgap::study {

struct Verification {
  bool good = false;
  std::string problem;  // the first one, where it is not
  std::int64_t events = 0, units = 0, assignments = 0, observations = 0, designs = 0;
  std::string head;  // hash of the last row: who noted it earlier can tell that nothing before it changed
  std::optional<std::int64_t> events_since;  // events after the row that was noted, where one was asked for
  std::int64_t anchors = 0;                  // of those that were given, of this study
  std::int64_t signatures = 0;               // in the log, all good
  std::vector<std::string> keys;             // whose
};

/// What somebody kept outside the study, against which it is held.
struct Proofs {
  Proofs() = default;
  Proofs(std::string noted) : head(std::move(noted)) {}  // NOLINT: a hash alone is the usual case
  std::optional<std::string> head;  // a hash (64 hexadecimal digits) that must be of a row in the log
  std::vector<Anchor> anchors;      // those of this study must hold, and at least one must be of it
  std::vector<std::string> keys;    // public keys: all of the log must be signed, by these and no others
};

/// Recomputes a study from its log alone: what the storage finds damaged (in a file: the checksum of every
/// page, SQLite's own check, the layout with its triggers), the chain of hashes, then event by event the
/// arms, every design, every assignment with its probabilities, what results were taken for, and the look
/// that each decision was made on. Every bit must match, so it must run with the version (and on a machine)
/// that computes the same floating point.
///
/// A log that was cut off at the end of an event is a good log, and so is one that somebody made anew with
/// all its hashes: only who kept a hash, an anchor or a public key can tell.
///
/// Throws StoreError only where there is no file to look at, InvalidArgument where the head is no hash.
Verification verify(const Storage& storage, int threads = 0, const Proofs& proofs = {});

/// Another SQLite program that has the file open, even to read, may write pages, which then have wrong
/// checksums. Checks all the rest as verify does, signs the pages anew where that is good, and verifies.
/// Nobody else may have the study open.
Verification verify_and_sign(const Storage& storage, int threads = 0, const Proofs& proofs = {});

}  // namespace mindgap::study
