#include "study_store/interleaving.h"

#include <gtest/gtest.h>

#include <set>

#include "study/field.h"
#include "study_store/power_cut.h"

// Two who write and one who reads, whatever the order of their calls of the system layer.
namespace mindgap::study {
namespace interleaving_test {

using Choices = Interleaving::Choices;
using Step = Interleaving::Step;

// Without SQLite: two threads of two steps each.
TEST(Interleaving, MakesEveryRun) {
  std::set<std::string> runs;
  const auto count = [&](int interruptions) {
    runs.clear();
    return Interleaving::explore(interruptions, 1000, [&](const Choices& choices) {
      // Who has the turn, by the choices alone: each thread takes three of them, its start and two calls.
      std::vector<Step> steps;
      std::string run;
      int left[] = {3, 3};
      int turn = -1;
      while (left[0] + left[1] > 0) {
        Step step{0, {}, turn < 0 || left[turn] == 0, static_cast<std::uint8_t>(std::max(turn, 0))};
        for (const int i : {0, 1})
          if (left[i] > 0) step.able.push_back(static_cast<std::uint8_t>(i));
        step.chosen = steps.size() < choices.size() ? choices[steps.size()]
                      : step.free                   ? step.able.front()
                                                    : static_cast<std::uint8_t>(turn);
        turn = step.chosen;
        --left[turn];
        run += static_cast<char>('a' + turn);
        steps.push_back(step);
      }
      runs.insert(run);
      return steps;
    });
  };
  EXPECT_EQ(count(0), 2);
  EXPECT_EQ(runs, (std::set<std::string>{"aaabbb", "bbbaaa"}));
  EXPECT_EQ(count(1), 6);  // and a|bbb|aa, aa|bbb|a, and the same of b
  EXPECT_EQ(runs.size(), 6u);
  EXPECT_EQ(count(9), 20);  // 6 over 3
  EXPECT_EQ(runs.size(), 20u);
}

class TwoWritersOneReader : public StudyTest {
 protected:
  static void SetUpTestSuite() { step_through_vfs(); }

  static Event event_of(const std::string& who) {
    return {.time = kWriter.time, .program = "test", .kind = "note", .content = "\"" + who + "\""};
  }

  void SetUp() override {
    const std::unique_ptr<Transaction> begun = at("base")->begin(Access::create, kWriter);
    begun->append(event_of("first"), {}, {}, {});
    begun->commit();
  }

  // What the three saw in one run.
  struct Seen {
    std::string problem;
    std::size_t before = 0;           // commits that had returned when the reader began
    std::vector<Digest> read, final;  // hashes of events
    std::vector<std::string> order;   // who committed
    std::vector<VfsChange> changes;
    std::vector<std::size_t> returned;  // changes that had been made when a commit returned
  };

  std::vector<Step> play(const Choices& choices, Seen& seen) {
    std::filesystem::remove_all(path("s"));
    std::filesystem::copy(path("base"), path("s"));
    const auto guarded = [&](const auto& deed) {
      return [&seen, deed] {
        try {
          deed();
        } catch (const std::exception& error) {
          seen.problem = error.what();
        }
      };
    };
    const auto writer = [&](const std::string& who) {
      return guarded([&, who] {
        const std::unique_ptr<Transaction> open = at("s")->begin(Access::write, kWriter);
        open->read_log();
        open->append(event_of(who), {{who, 0, "", Arm::explore}}, {}, {});
        open->commit();
        seen.order.push_back(who);
        seen.returned.push_back(seen.changes.size());
      });
    };
    const auto reader = guarded([&] {
      seen.before = seen.order.size();
      const std::unique_ptr<Transaction> open = at("s")->begin_reading();
      LogHashes hashes;
      open->steadily([&] {
        hashes = {};
        return open->read_log(&hashes);
      });
      seen.read = hashes.events;
    });
    std::vector<Step> steps =
        Interleaving::run({writer("anna"), writer("berta"), reader}, choices,
                          {.changed = [&](VfsChange change) { seen.changes.push_back(std::move(change)); }});
    if (!seen.problem.empty()) return steps;
    try {
      const std::unique_ptr<Transaction> open = at("s")->begin_reading();
      LogHashes hashes;
      open->read_log(&hashes);
      seen.final = hashes.events;
      seen.problem = open->damage();
    } catch (const std::exception& error) {
      seen.problem = error.what();
    }
    return steps;
  }

  static std::string wrong(const Seen& seen) {
    if (!seen.problem.empty()) return seen.problem;
    if (seen.order.size() != 2) return "a writer gave up";
    if (seen.final.size() != 3) return "there are " + std::to_string(seen.final.size()) + " events";
    if (seen.read.size() < 1 + seen.before) return "the reader misses a commit that had returned";
    if (seen.read.size() > seen.final.size() ||
        !std::equal(seen.read.begin(), seen.read.end(), seen.final.begin()))
      return "the reader did not see a beginning of the log";
    return "";
  }

  static std::string shown(const Choices& choices) {
    std::string text;
    for (const std::uint8_t who : choices) text += static_cast<char>('0' + who);
    return text;
  }

  // The power fails after every change of a run: what had returned is there, and what else is there is whole.
  std::string wrong_after_cut(const Seen& seen, int random) {
    Disk disk;
    for (const auto& file : std::filesystem::directory_iterator(path("base"))) {
      const std::string name = file.path().filename().string(), bytes = read(file.path());
      disk.change({VfsChange::What::made, name, 0, {}});
      disk.change({VfsChange::What::written, name, 0, {bytes.begin(), bytes.end()}});
      disk.change({VfsChange::What::synced, name, 0, {}, true});
    }
    for (std::size_t i = 0; i < seen.changes.size(); ++i) {
      disk.change(seen.changes[i]);
      const auto returned = static_cast<std::size_t>(std::count_if(
          seen.returned.begin(), seen.returned.end(), [&](std::size_t changes) { return changes <= i + 1; }));
      for (const Disk::Choice& choice : disk.choices(random)) {
        std::filesystem::remove_all(path("cut"));
        std::filesystem::create_directories(path("cut"));
        disk.write(path("cut"), choice);
        std::string problem;
        try {
          LogHashes hashes;
          at("cut")->begin_reading()->read_log(&hashes);
          if (hashes.events.size() < 1 + returned) problem = "a commit that had returned is lost";
          if (hashes.events.size() > 3 ||
              !std::equal(hashes.events.begin(), hashes.events.end(), seen.final.begin()))
            problem = "what is left is no beginning of the log";
        } catch (const std::exception& error) {
          problem = error.what();
        }
        if (!problem.empty()) return problem + ", after change " + std::to_string(i) + ", " + choice.shown();
      }
    }
    return "";
  }

  // Returns the number of runs. The power fails in every `cut`th of them (0: in none).
  std::int64_t explore(int interruptions, std::int64_t most, std::int64_t cut, int random) {
    const auto began = std::chrono::steady_clock::now();
    std::int64_t runs = 0;
    std::set<std::size_t> read;
    const std::int64_t all = Interleaving::explore(interruptions, most, [&](const Choices& choices) {
      Seen seen;
      const std::vector<Step> steps = play(choices, seen);
      std::string problem = wrong(seen);
      read.insert(seen.read.size());
      if (problem.empty() && cut > 0 && runs % cut == 0) problem = wrong_after_cut(seen, random);
      ++runs;
      EXPECT_EQ(problem, "") << "run " << runs << ", choices " << shown(choices);
      return problem.empty() ? steps : std::vector<Step>();
    });
    if (all < most) {
      EXPECT_EQ(read, (std::set<std::size_t>{1, 2, 3}));  // before both, between them, after both
    }
    std::printf("%lld runs in %.1f s\n", static_cast<long long>(all),
                std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count());
    return all;
  }
};

TEST_F(TwoWritersOneReader, EveryRunWithoutInterruptions) {
  EXPECT_GE(explore(0, 1'000, 3, 1), 6);  // each order of the three
}

TEST_F(TwoWritersOneReader, SomeRunsWithOneInterruption) {
  EXPECT_EQ(explore(1, 100, 0, 0), 100);
}

class TwoWritersOneReaderLong : public TwoWritersOneReader {};

TEST_F(TwoWritersOneReaderLong, EveryRunWithOneInterruption) {
  const std::int64_t runs = explore(1, 1'000'000, 20, 4);
  EXPECT_GT(runs, 100);
  RecordProperty("runs", std::to_string(runs));
}

TEST_F(TwoWritersOneReaderLong, EveryRunWithTwoInterruptions) {
  const std::int64_t runs = explore(2, 1'000'000, 0, 0);
  EXPECT_GT(runs, 1'000);
  RecordProperty("runs", std::to_string(runs));
}

}  // namespace interleaving_test
}  // namespace mindgap::study
