#include "mindgap/study/storage.h"

#include "mindgap/study/export.h"
#include "study/field.h"
#include "study/memory_storage.h"

namespace mindgap::study {
namespace {

class StorageTest : public StudyTest {
 protected:
  // A whole study, verb after verb.
  void play_through(const Storage& storage) {
    StudyOptions options;
    options.horizon = 8;
    options.update_every = 3;
    begin_study(storage, row_of_places(), units_in(12, 4), options, kWriter, 1);
    step(storage, 3);
    add_units(storage, text_file("more.csv", "unit,state\nlate,north\n"), kWriter);
    step(storage, 2);
    redesign(storage, true, kWriter, 1);
    step(storage, 1);
    stop(storage, "it is the end of the season", kWriter);
  }
  void step(const Storage& storage, int steps) {
    for (int i = 0; i < steps; ++i) {
      const Assigned assigned = assign(storage, {}, kWriter, 1);
      record(storage, text_file("results.csv", truth().results(assigned)), {}, kWriter);
    }
  }

  MemoryStorage memory_;
};

// What a study is does not depend on where it is kept.
TEST_F(StorageTest, TheSameStudyInMemoryAndInAFile) {
  const std::unique_ptr<Storage> file = at("s");
  play_through(*file);
  play_through(memory_);
  LogHashes in_file, in_memory;
  const Log log = file->begin_reading()->read_log(&in_file);
  EXPECT_GE(log.events.size(), 17u);
  EXPECT_EQ(log.events.size(), memory_.begin_reading()->read_log(&in_memory).events.size());
  EXPECT_EQ(in_file.events, in_memory.events);  // a hash covers everything before it
  EXPECT_EQ(in_file.units, in_memory.units);
  EXPECT_EQ(in_file.assignments, in_memory.assignments);
  EXPECT_EQ(in_file.observations, in_memory.observations);
  EXPECT_EQ(file->begin_reading()->head(), memory_.begin_reading()->head());
  EXPECT_EQ(export_json(*file), export_json(memory_));

  const Verification found = verify(memory_, 1), wanted = verify(*file, 1);
  EXPECT_TRUE(found.good) << found.problem;
  EXPECT_TRUE(wanted.good) << wanted.problem;
  EXPECT_EQ(found.head, wanted.head);
  EXPECT_EQ(found.designs, 2);
  EXPECT_EQ(look_json(study_status(memory_).summary), look_json(study_status(*file).summary));
}

// Somebody who knows the format changes the log and computes all hashes anew: what is then wrong with it is
// said, whoever reads it.
TEST_F(StorageTest, AForgedLogIsRefusedInWords) {
  play_through(memory_);
  const Log good = memory_.begin_reading()->read_log();
  const auto forged = [&](auto change) {
    Log log = good;
    change(log);
    MemoryStorage storage;
    const std::unique_ptr<Transaction> to = storage.begin(Access::create, {});
    for_each_event(log, [&](const Event& event, auto units, auto assignments, auto observations) {
      to->append(event, {units.begin(), units.end()}, {assignments.begin(), assignments.end()},
                 {observations.begin(), observations.end()});
    });
    to->commit();
    EXPECT_THROW(study_status(storage), StoreError);
    return verify(storage, 1).problem;
  };
  for (const std::int32_t unit : {-1, 13, 1 << 30})
    EXPECT_NE(forged([&](Log& log) { log.observations[0].unit = unit; }), "") << unit;
  // The first design is gone.
  EXPECT_NE(forged([](Log& log) { log.events.erase(log.events.begin() + 1); }), "");
  // The library that reads JSON would turn this into some whole number.
  EXPECT_NE(forged([](Log& log) {
              std::string& text = log.events[0].content;
              text.replace(text.find("\"horizon\":"), 10, "\"horizon\":1e300, \"was\":");
            }),
            "");
}

TEST_F(StorageTest, AnExportFromMemoryIsAStudyInAFile) {
  play_through(memory_);
  export_study(memory_, path("out"));
  const Verification found = verify(*at("out"), 1, verify(memory_, 1).head);
  EXPECT_TRUE(found.good) << found.problem;
  EXPECT_EQ(found.events_since, 0);
}

TEST_F(StorageTest, WhatIsNotCommittedNeverWas) {
  const std::unique_ptr<Storage> file = at("s");
  for (const Storage* storage : std::initializer_list<const Storage*>{&memory_, file.get()}) {
    EXPECT_NE(message([&] { study_status(*storage); }).find("there is no study"), std::string::npos);
    begin_study(*storage, row_of_places(), units_in(8, 4), {.horizon = 6}, kWriter, 1);
    EXPECT_NE(message([&] {
                begin_study(*storage, row_of_places(), units_in(8, 4), {.horizon = 6}, kWriter, 1);
              }).find("there is a study already"),
              std::string::npos);
    const Digest before = storage->begin_reading()->head();
    {
      const std::unique_ptr<Transaction> transaction = storage->begin(Access::write, kWriter);
      transaction->append({.kind = "units"}, units_in(1, 1), {}, {});
      EXPECT_NE(transaction->head(), before);
      EXPECT_EQ(transaction->read_log().units.size(), 9u);  // it sees its own
    }
    EXPECT_EQ(storage->begin_reading()->head(), before);
    EXPECT_TRUE(verify(*storage, 1).good);
  }
}

// The chain is checked above the storage, in whatever it keeps the rows.
TEST_F(StorageTest, AChangedRowIsFoundInAnyStorage) {
  play_through(memory_);
  memory_.content().log.observations[5].reward += 1e-9;
  EXPECT_NE(verify(memory_, 1).problem.find("observation 6 is not as it was written"), std::string::npos);
  EXPECT_THROW(study_status(memory_), StoreError);
}

TEST_F(StorageTest, WhoIsOvertakenLooksAgain) {
  play_through(memory_);
  memory_.overtakes = 2;
  EXPECT_TRUE(verify(memory_, 1).good);
  export_study(memory_, path("out"));
  EXPECT_EQ(export_json(*at("out")), export_json(memory_));
  memory_.overtakes = 1000;
  EXPECT_EQ(message([&] { study_status(memory_); }), "memory: it is being written to: try again");
}

}  // namespace
}  // namespace mindgap::study
