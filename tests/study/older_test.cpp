#include <fmt/format.h>

#include "mindgap/study/assign.h"
#include "mindgap/study/decisions.h"
#include "mindgap/study/model_blob.h"
#include "mindgap/view/study.h"
#include "study/field.h"
#include "study/old_file.h"

// Studies that earlier versions of the program made (tests/study/older): they are opened, read, verified and
// added to. A version that computes designs otherwise, bit for bit, cannot verify those of older ones: it
// then has to say so, with the program that wrote them, and this file is where that is decided.
namespace mindgap::study {
namespace older_test {

class OlderStudy : public StudyTest {
 protected:
  void copy(const std::string& version) {
    std::filesystem::create_directories(path("s"));
    std::filesystem::copy_file(
        std::filesystem::path(MINDGAP_SOURCE_DIR) / "tests/study/older" / version / "study.db",
        path("s/study.db"));
  }
  // The results that everybody who is out brings back.
  static std::string results(const State& state) {
    std::string text = kHeader;
    for (std::size_t u = 0; u < state.units.size(); ++u) {
      if (!state.places[u].pending) continue;
      const AssignmentRow& row = state.assignments[state.assignments_of_unit[u].back()];
      const std::string place = state.mdp().state_name(row.state);
      text += fmt::format("{},{},{},{},1,{}\n", state.units[u].name, row.step, place,
                          state.mdp().action_name(row.action), place);
    }
    return text;
  }
};

// 0.2.0: a machine hall with results from the command line and through a server, a correction, a result that
// no visit made, a bound, a new design, and a conflict that nobody has settled.
TEST_F(OlderStudy, Of020) {
  copy("0.2.0");
  const std::string bytes = read(path("s/study.db"));
  const Verification before = check();
  EXPECT_TRUE(before.good) << before.problem;
  EXPECT_EQ(before.head, "38b20c5a981db6d4beb15233baaed7e9b000cc7ce32cde1887d4c8b5584a8fee");
  EXPECT_EQ(before.observations, 12);
  EXPECT_EQ(before.designs, 2);
  const Status status = study_status(*at("s"));
  EXPECT_EQ(status.summary.open_conflicts, 1);
  EXPECT_EQ(status.summary.void_results, 1);
  EXPECT_EQ(status.summary.censored, 1);
  EXPECT_EQ(status.summary.replaced, 1);
  EXPECT_EQ(status.state.people.at("bo").units, (std::vector<std::string>{"m1", "m2"}));
  EXPECT_NE(
      view::text_of(status).find("conflict 8: bo sent m1, step 1: reward 7, led to worn, but the log has "
                                 "reward 4.25, led to worn (contradicts)"),
      std::string::npos)
      << view::text_of(status);
  EXPECT_TRUE(read(path("s/study.db")) == bytes) << "reading wrote to it";

  take(results(ask().state));
  const Assigned next = ask();
  EXPECT_EQ(next.added, 8);
  take(results(next.state));
  redesign(*at("s"), true, kWriter, 1);
  const Verification after = verify(*at("s"), 1, before.head);
  EXPECT_TRUE(after.good) << after.problem;
  EXPECT_GT(after.events_since.value_or(0), 0);
}

// The first format: fewer options, no checksums of pages, no people. A command that writes brings it forward.
TEST_F(OlderStudy, OfTheFirstFormat) {
  Event first{.time = "2026-03-01T09:00:00Z", .program = "mindgap 0.1.0", .kind = "study"};
  first.data = encode_model(row_of_places());
  first.content =
      R"({"schema":1,"horizon":6,"control_share":0.2,"batch_steps":0,"min_share":[],"max_share":[],"reward_sd":null,)"
      R"("transition_strength":null,"odds":null,"drift_sd":null,"coverage":[],"model_path":"","model_sha256":")" +
      hex(sha256(first.data)) + R"(","seed":42})";
  first.number = 1;
  std::vector<UnitRow> units = units_in(8, 4);
  first.units = static_cast<std::int64_t>(units.size());
  std::vector<std::int32_t> places;
  places.reserve(units.size());
  for (const UnitRow& unit : units) places.push_back(unit.state);
  State state = begin(first);
  EXPECT_EQ(state.options.update_every, 0);
  EXPECT_FALSE(state.options.count_from_units);
  const std::vector<Arm> arms = draw_arms(places, state.options, state.mdp());
  for (std::size_t u = 0; u < units.size(); ++u) units[u].arm = arms[u];
  apply(state, first, units, {}, {});
  Event design = decide_design(state, 1);
  design.time = first.time;
  design.program = first.program;
  {
    const std::unique_ptr<Transaction> transaction = at("s")->begin(Access::create, kWriter);
    transaction->append(first, units, {}, {});
    transaction->append(design, {}, {}, {});
    transaction->commit();
  }
  write_as_version_1(path("s/study.db"));
  EXPECT_NE(check().problem.find("older version"), std::string::npos) << check().problem;
  play(truth(), 2);
  const Verification after = check();
  EXPECT_TRUE(after.good) << after.problem;
  EXPECT_EQ(after.observations, 16);
  const Log log = at("s")->begin_reading()->read_log();
  EXPECT_EQ(log.events.at(2).content, R"({"from":1,"to":2})");
  EXPECT_EQ(study_status(*at("s")).summary.open_conflicts, 0);
}

}  // namespace older_test
}  // namespace mindgap::study
