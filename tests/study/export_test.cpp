#include "mindgap/study/export.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <set>
#include <sstream>

#include "mindgap/belief/knowledge.h"
#include "mindgap/files/log_file.h"
#include "mindgap/files/model_file.h"
#include "study/field.h"

namespace mindgap::study {
namespace {

struct Setting {
  std::string name;
  mdp::Model model = row_of_places();
  StudyOptions options = {};
  bool zero_or_one = false;
  std::string log = "observations.csv";
};

StudyOptions with_prior(const belief::PriorOverrides& prior) {
  StudyOptions options;
  options.prior = prior;
  return options;
}

std::vector<Setting> settings() {
  mdp::Model no_variance = row_of_places();
  no_variance.reward_variance.reset();
  StudyOptions covered, logged;
  covered.coverage = {40, 3, 0, 12, 7, 0, 100, 1};
  logged.log = std::string("unit,step,state,action,reward,next_state,censored\n") +
               "u1,0,north,stay,.25,north,0\nu1,1,north,stay,.75,north,0\nold,0,east,go,.3,south,1\n"
               "old,1,south,go,,\"west, far\",0\nold,2,\"west, far\",stay,.1,,at_most\n";
  return {{"Gaussian rewards"},
          {"rewards of 0 or 1", row_of_places(.2), with_prior({.rewards = mdp::RewardKind::bernoulli}), true},
          {"bounds of mean rewards", row_of_places(), with_prior({.reward_min = -1, .reward_max = 2})},
          {"a prior from coverage", row_of_places(), covered},
          {"a log from before", row_of_places(), logged, false, "evidence.csv"},
          {"a variance pooled from it", no_variance, logged, false, "evidence.csv"}};
}

class Export : public StudyTest {
 protected:
  // The first results of twelve units, of every sort.
  void take_all_sorts(const Setting& setting) {
    const Assigned assigned = assign(*storage_at(path(folder_)), {}, kWriter);
    const auto take = [&](const std::string& text, bool correct = false) {
      record(*storage_at(path(folder_)), text_file("results.csv", text), {correct}, kWriter);
    };
    const mdp::Mdp& mdp = assigned.state.mdp();
    const auto line = [&](std::int32_t unit, const std::string& action, const std::string& rest) {
      const AssignmentRow& row = assigned.state.assignments[assigned.state.find_assignment(unit, 0)];
      return fmt::format("{},0,\"{}\",{},{}\n", assigned.state.units[unit].name, mdp.state_name(row.state),
                         action.empty() ? mdp.action_name(row.action) : action, rest);
    };
    const auto other = [&](std::int32_t unit) {
      const AssignmentRow& row = assigned.state.assignments[assigned.state.find_assignment(unit, 0)];
      return mdp.action_name(1 - row.action);
    };
    const bool coin = setting.zero_or_one;
    const std::string some = coin ? "1" : "0.3", less = coin ? "0" : "-0.7";
    const std::string header = "unit,step,state,action,reward,next_state,censored,status\n";
    // Units 0 and 4, 1 and 5, ... are in the same place: bounds and rewards of one pair are mixed.
    take(header + line(0, "", ".4,,1,ok") + line(1, "", ".6,south,at_most,ok") +
         line(2, "", ",\"west, far\",0,ok") + line(3, "", some + ",,0,ok") +
         line(4, "", some + ",east,0,ok") + line(5, "", less + ",east,0,ok") + line(6, "", ",south,0,void") +
         line(7, other(7), some + ",north,0,ok") + line(8, "", ".2,north,1,ok") + line(9, "", ",south,0,ok") +
         line(10, "", some + ",south,0,ok") + line(11, "", some + ",east,0,ok"));
    take(header + line(9, "", less + ",,0,ok"));                       // completes
    take(header + line(10, "", less + ",\"west, far\",0,ok"), true);   // corrects
    take(header + line(11, "", ".9,\"west, far\",at_most,ok"), true);  // corrects a seen reward by a bound
  }

  static void expect_same(const belief::Belief& a, const belief::Belief& b) {
    ASSERT_EQ(a.simulator(), b.simulator());
    EXPECT_EQ(a.prior().reward_sd, b.prior().reward_sd);
    EXPECT_EQ(a.prior().transition_strength, b.prior().transition_strength);
    EXPECT_TRUE(std::ranges::equal(a.observation_variance(), b.observation_variance()));
    for (std::int32_t k = 0; k < a.simulator().pairs(); ++k) {
      EXPECT_EQ(a.reward_mean(k), b.reward_mean(k)) << k;
      EXPECT_EQ(a.reward_variance(k), b.reward_variance(k)) << k;
      EXPECT_EQ(a.observation_precision(k), b.observation_precision(k)) << k;
      EXPECT_EQ(a.transition_strength(k), b.transition_strength(k)) << k;
      EXPECT_EQ(a.rewards_seen()[k].count, b.rewards_seen()[k].count) << k;
      EXPECT_EQ(a.rewards_seen()[k].mean, b.rewards_seen()[k].mean) << k;
      EXPECT_EQ(a.rewards_seen()[k].squared_deviations, b.rewards_seen()[k].squared_deviations) << k;
    }
    EXPECT_TRUE(std::ranges::equal(a.transitions_seen(), b.transitions_seen()));
    EXPECT_EQ(a.refutation(), b.refutation());
    EXPECT_EQ(a.censored_rewards(), b.censored_rewards());
    EXPECT_EQ(a.mean(), b.mean());
    EXPECT_EQ(a.sample(3, 1), b.sample(3, 1));
  }

  std::string folder_;
};

// What a study knows is what its export says, bit for bit: the log is read back with the model, the prior and
// the coverage that the study began with. Seen, censored, missing, void, deviating, completed and corrected
// results are all among them.
TEST_F(Export, ReadBackGivesTheStudysBelief) {
  int number = 0;
  for (Setting& setting : settings()) {
    SCOPED_TRACE(setting.name);
    folder_ = "s" + std::to_string(number++);
    setting.options.horizon = 4;
    setting.options.control_share = 0;
    begin_study(*storage_at(path(folder_)), setting.model, units_in(12, 4), setting.options, kWriter, 1);
    take_all_sorts(setting);
    State state = study_status(*storage_at(path(folder_))).state;
    const belief::Knowledge known = knowledge_now(state);
    EXPECT_EQ(evidence_of(state).size(), 10u);  // not the void one, not the deviation
    EXPECT_EQ(known.now.censored_rewards(), setting.options.log.empty() ? 4 : 6);
    EXPECT_GT(known.now.refutation().off_moves, 0);

    const std::filesystem::path out = path(folder_ + "-out");
    export_study(*storage_at(path(folder_)), out);
    EXPECT_EQ(std::filesystem::exists(out / "evidence.csv"), !setting.options.log.empty());
    const mdp::Model model = files::read_model(out / "model");
    const std::optional<std::vector<double>> coverage =
        state.options.coverage.empty() ? std::nullopt : std::optional(state.options.coverage);
    const belief::Knowledge read = belief::gather_knowledge(
        model, coverage, files::read_log(out / setting.log, model.mdp), setting.options.prior);
    EXPECT_EQ(read.variance, known.variance);
    expect_same(read.before, known.before);
    expect_same(read.now, known.now);
    if (setting.zero_or_one || setting.options.prior.reward_min) continue;
    // A study keeps to the variance that is stated. Where it is taken for a guess, both learn the same one.
    state.options.prior.estimate_variance = true;
    expect_same(belief::gather_knowledge(model, coverage, files::read_log(out / setting.log, model.mdp),
                                         state.options.prior)
                    .now,
                knowledge_now(state).now);
  }
}

class ExportLeftovers : public StudyTest {};

// What killed exports to the same place left is cleaned up, but not what one that is still at work writes;
// and what somebody had put into an export whose place was taken is kept.
TEST_F(ExportLeftovers, AreRemoved) {
  start();
  export_study(*at("s"), path("out"));
  write("out.tmp-99-0/.unfinished", "");
  write("out.tmp-99-0/units.csv", "half");
  write("out.tmp-98-3/observations.jsonl", "");
  write("out.tmp-98-3/notes.txt", "mine");
  write("out.tmp-97-0/.unfinished", "");
  const int held = ::open(path("out.tmp-97-0").c_str(), O_RDONLY | O_DIRECTORY);
  ASSERT_EQ(::flock(held, LOCK_EX), 0);
  write("other.tmp-96-0/x", "");
  export_study(*at("s"), path("out"));
  EXPECT_FALSE(std::filesystem::exists(path("out.tmp-99-0")));
  EXPECT_FALSE(std::filesystem::exists(path("out.tmp-98-3")));
  EXPECT_EQ(read(path("out/notes.txt")), "mine");
  EXPECT_TRUE(std::filesystem::exists(path("out.tmp-97-0")));  // somebody writes there
  EXPECT_TRUE(std::filesystem::exists(path("other.tmp-96-0")));
  ::close(held);
  export_study(*at("s"), path("out"));
  EXPECT_FALSE(std::filesystem::exists(path("out.tmp-97-0")));
  EXPECT_FALSE(std::filesystem::exists(path("out/.unfinished")));
}

// A journal says how long the file was before: one of another file would cut the export's to nothing.
TEST_F(ExportLeftovers, NoJournalOfAnUnfinishedOneIsKept) {
  start();
  export_study(*at("s"), path("out"));
  const std::string whole = read(path("out/study.db"));
  write("out.tmp-99-0/study.db", "half");
  write("out.tmp-99-0/study.db-journal", "of a database that was empty");
  export_study(*at("s"), path("out"));
  EXPECT_FALSE(std::filesystem::exists(path("out/study.db-journal")));
  EXPECT_TRUE(read(path("out/study.db")) == whole);
}

class ExportForSpreadsheets : public StudyTest {
 protected:
  // The first column of a table, without its heading, each once: no field of these has a quote or a line end.
  std::set<std::string> first_column(const std::string& file) const {
    std::istringstream lines(read(path(file)));
    std::string line;
    std::getline(lines, line);
    EXPECT_TRUE(line.starts_with("unit,")) << file << ": " << line;
    std::set<std::string> found;
    while (std::getline(lines, line)) {
      if (line[0] == '"') line.erase(0, 1);
      found.insert(line.substr(0, line.find_first_of(",\"")));
    }
    return found;
  }
};

// What a spreadsheet would take for a formula, in every table; what only contains such a sign stays, and so
// does everything that programs read.
TEST_F(ExportForSpreadsheets, FormulasGetAnApostropheWhereItIsAskedFor) {
  const std::vector<std::string> names = {"=1+1", "+49", "-rf", "@home", "\ttab", "a=b", "plain", "'x"};
  std::vector<UnitRow> units;
  units.reserve(names.size());
  for (const std::string& name : names) units.push_back({name, 0, "=" + name, Arm::explore});
  begin_study(*at("s"), row_of_places(), units, {.horizon = 3}, kWriter, 1);
  play(truth(), 2);
  export_study(*at("s"), path("plain"));
  export_study(*at("s"), path("safe"), true);
  const std::set<std::string> as_they_are(names.begin(), names.end());
  const std::set<std::string> safe = {"'=1+1", "'+49", "'-rf", "'@home", "'\ttab", "a=b", "plain", "'x"};
  for (const char* table : {"units.csv", "assignments.csv", "observations.csv"}) {
    EXPECT_EQ(first_column(std::string("plain/") + table), as_they_are) << table;
    EXPECT_EQ(first_column(std::string("safe/") + table), safe) << table;
  }
  EXPECT_NE(read(path("safe/units.csv")).find(",'==1+1,"), std::string::npos);  // a group
  for (const char* file : {"units.jsonl", "assignments.jsonl", "observations.jsonl", "decisions.jsonl",
                           "model/model.toml", "model/rewards.csv"})
    EXPECT_EQ(read(path(std::string("safe/") + file)), read(path(std::string("plain/") + file))) << file;
}

}  // namespace
}  // namespace mindgap::study
