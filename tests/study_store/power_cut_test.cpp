#include "study_store/power_cut.h"

#include <gtest/gtest.h>

#include <map>
#include <optional>

#include "study/field.h"

// The power fails after every call that changes a file, and whatever was not synced may be there or not.
namespace mindgap::study {
namespace power_cut_test {

// One change, or that a verb had returned.
struct Moment {
  std::optional<VfsChange> change;
  std::size_t verbs = 0;  // that had returned
};

struct Mark {
  std::int64_t events = 0;
  std::string head;
};

class PowerCut : public StudyTest {
 protected:
  static void SetUpTestSuite() { step_through_vfs(); }

  // What a small field does, verb after verb. All of it is a function of what the log holds.
  static constexpr std::size_t kVerbs = 6;
  void do_verb(const std::filesystem::path& folder, std::size_t verb) const {
    const std::unique_ptr<Storage> storage = storage_at(folder);
    const auto results = [&] {
      const Assigned again = assign(*storage, {}, kWriter, 1);  // given out as they are stored
      EXPECT_EQ(again.added, 0);
      return truth().results(again);
    };
    switch (verb) {
      case 0:
        begin_study(*storage, row_of_places(), units_in(4, 4), {.horizon = 3}, kWriter, 1);
        return;
      case 1:
      case 3:
        assign(*storage, {}, kWriter, 1);
        return;
      case 2:
      case 4:
        record(*storage, text_file("results.csv", results()), {}, kWriter);
        return;
      default:
        stop(*storage, "enough", kWriter);
    }
  }

  static Mark mark_of(const std::filesystem::path& folder) {
    const Anchor anchor = study_anchor(*storage_at(folder), kWriter.time);
    return {anchor.events, anchor.head};
  }

  // All verbs without a power cut.
  void play_all() {
    std::size_t returned = 0;
    watch_vfs({.changed = [&](VfsChange change) { moments_.push_back({std::move(change), returned}); }});
    for (std::size_t verb = 0; verb < kVerbs; ++verb) {
      do_verb(path("s"), verb);
      moments_.push_back({std::nullopt, ++returned});
      marks_.push_back(mark_of(path("s")));
    }
    watch_vfs({});
  }

  // The study that is left in `folder`, of which the first `returned` verbs are acknowledged.
  std::string problem_of(const std::filesystem::path& folder, std::size_t returned, bool go_on) {
    try {
      std::size_t done = returned;
      if (returned == 0) {
        const auto storage = storage_at(folder);
        bool whole = false;
        try {
          whole = storage->exists() && mark_of(folder).events > 0;
        } catch (const Error&) {  // then it must be possible to begin
        }
        if (!whole) do_verb(folder, 0);
        done = 1;
      }
      const Mark found = mark_of(folder);
      if (done < kVerbs && found.events == marks_[done].events && found.head == marks_[done].head) ++done;
      if (found.events != marks_[done - 1].events || found.head != marks_[done - 1].head)
        return "there are " + std::to_string(found.events) + " events, head " + found.head;
      const Log log = storage_at(folder)->begin_reading()->read_log();
      if (static_cast<std::int64_t>(log.events.size()) != found.events) return "not all events are there";
      if (!go_on) return "";
      if (const Verification seen = verify(*storage_at(folder), 1); !seen.good)
        return "it does not verify: " + seen.problem;
      for (; done < kVerbs; ++done) do_verb(folder, done);
      if (mark_of(folder).head != marks_.back().head) return "it went on differently";
      if (const Verification seen = verify(*storage_at(folder), 1); !seen.good)
        return "it does not verify in the end: " + seen.problem;
    } catch (const std::exception& error) {
      return error.what();
    }
    return "";
  }

  // Cuts the power after every `stride`th change, with `random` random states of the disk beside the others;
  // every `thorough`th state is also verified and gone on with.
  std::int64_t cut_everywhere(std::size_t stride, int random, std::int64_t thorough) {
    play_all();
    Disk disk;
    std::int64_t states = 0;
    for (std::size_t i = 0; i < moments_.size(); ++i) {
      const Moment& moment = moments_[i];
      if (moment.change) disk.change(*moment.change);
      // A new study's folder is synced before the verb returns, which is not SQLite's doing.
      if (!moment.change && moment.verbs == 1) disk.sync_folder();
      if (i % stride != 0 && moment.change) continue;
      for (const Disk::Choice& choice : disk.choices(random)) {
        const std::filesystem::path folder = path("cut");
        std::filesystem::create_directories(folder);
        disk.write(folder, choice);
        const std::string problem = problem_of(folder, moment.verbs, states++ % thorough == 0);
        EXPECT_EQ(problem, "") << "after change " << i << " of " << moments_.size() << " ("
                               << (moment.change ? moment.change->file : std::string("a verb returned"))
                               << "), of what was not synced " << choice.shown() << ", " << moment.verbs
                               << " verbs had returned";
        std::filesystem::remove_all(folder);
        if (HasFailure()) return states;
      }
    }
    return states;
  }

  std::vector<Moment> moments_;
  std::vector<Mark> marks_;
};

// What the disk may hold, on four writes by hand.
TEST(Disk, HoldsWhatWasSyncedAndAnyPartOfTheRest) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("mindgap-disk-" + std::to_string(::getpid()));
  using What = VfsChange::What;
  Disk disk;
  const auto content = [&](const Disk::Choice& choice) {
    std::filesystem::create_directories(folder);
    disk.write(folder, choice);
    std::string text = "none";
    if (std::filesystem::exists(folder / "a")) {
      std::ifstream in(folder / "a", std::ios::binary);
      text.assign(std::istreambuf_iterator<char>(in), {});
    }
    std::filesystem::remove_all(folder);
    return text;
  };
  disk.change({What::made, "a", 0, {}});
  disk.change({What::written, "a", 0, {'1', '2', '3'}});
  EXPECT_EQ(content({Disk::Choice::Kind::none}), "");
  EXPECT_EQ(content({Disk::Choice::Kind::none, 0, true}), "none");
  disk.change({What::synced, "a", 0, {}});
  EXPECT_EQ(content({Disk::Choice::Kind::none}), "123");
  EXPECT_EQ(content({Disk::Choice::Kind::none, 0, true}), "none");  // its name is not
  disk.sync_folder();
  EXPECT_EQ(content({Disk::Choice::Kind::none, 0, true}), "123");
  disk.change({What::written, "a", 1, {'x'}});
  disk.change({What::written, "a", 4, {'y'}});
  disk.change({What::cut, "a", 2, {}});
  std::map<std::string, int> seen;
  for (const Disk::Choice& choice : disk.choices(64)) ++seen[content(choice)];
  const std::string hole("\0", 1);
  for (const std::string& wanted : {std::string("123"), std::string("1x3"), "1x3" + hole + "y",
                                    "123" + hole + "y", std::string("1x"), std::string("12")})
    EXPECT_GT(seen[wanted], 0) << wanted;
  EXPECT_EQ(seen.size(), 6u);
  disk.change({What::removed, "a", 0, {}});
  EXPECT_EQ(content({Disk::Choice::Kind::none}), "none");
  EXPECT_EQ(content({Disk::Choice::Kind::all, 0, true}), "1x");
  disk.change({What::removed, "a", 0, {}, true});
  EXPECT_EQ(content({Disk::Choice::Kind::all, 0, true}), "none");
}

TEST_F(PowerCut, NothingThatReturnedIsLost) {
  const std::int64_t states = cut_everywhere(7, 1, 100);
  EXPECT_GT(states, 100);
}

class PowerCutLong : public PowerCut {};

TEST_F(PowerCutLong, AfterEveryCallNothingThatReturnedIsLost) {
  const std::int64_t states = cut_everywhere(1, 24, 10);
  EXPECT_GT(states, 1000);
  RecordProperty("states", std::to_string(states));
}

}  // namespace power_cut_test
}  // namespace mindgap::study
