#include "mindgap/mdp/observation_log.h"
#include "mindgap/files/log_file.h"
#include "mindgap/files/text_file.h"

#include "files/files.h"
#include "mindgap/mdp/builder.h"

namespace mindgap::files {

using namespace mdp;  // what these files hold
namespace observation_log_test {

class Log : public FileTest {
 protected:
  static Mdp mdp() {
    MdpBuilder builder(0.9);
    builder.add_state("home");
    builder.add_state("away");
    builder.add_action("stay");
    builder.add_action("go");
    for (const auto& [s, a] : {std::pair{0, 0}, {0, 1}, {1, 0}}) {
      builder.set_reward(s, a, 0);
      builder.add_transition(s, a, s, 1);
    }
    return builder.build();
  }
  std::string log_message(const std::string& text) {
    const auto file = write("log.csv", text);
    return message([&] { read_log(file, mdp()); });
  }
  std::string coverage_message(const std::string& text) {
    const auto file = write("coverage.csv", text);
    return message([&] { read_coverage(file, mdp()); });
  }
  static constexpr const char* kHeader = "unit,step,state,action,reward,next_state\n";
};

TEST_F(Log, RowsInAnyOrder) {
  const auto file =
      write("log.csv", std::string("step,unit,state,action,reward,next_state,probability,censored\n") +
                           "7,van 1,home,go,1.5,away,0.25,at_most\n" + "0,van 2,away,stay,-2,home,1,1\n" +
                           "3,van 1,home,stay,0,home,.5,0\n");
  const ObservationLog log = read_log(file, mdp());
  EXPECT_EQ(log.size(), 3u);
  EXPECT_EQ(log.units.size(), 2);
  EXPECT_EQ(log.unit, (std::vector<std::int32_t>{0, 1, 0}));
  EXPECT_EQ(log.step, (std::vector<std::int64_t>{7, 0, 3}));
  EXPECT_EQ(log.pair, (std::vector<std::int32_t>{1, 2, 0}));
  EXPECT_EQ(log.reward, (std::vector<double>{1.5, -2, 0}));
  EXPECT_EQ(log.next_state, (std::vector<std::int32_t>{1, 0, 0}));
  EXPECT_EQ(log.probability, (std::vector<double>{.25, 1, .5}));
  EXPECT_EQ(log.censored, (std::vector{Censoring::at_most, Censoring::at_least, Censoring::none}));
  EXPECT_EQ(count_pairs(mdp(), log), (std::vector<double>{1, 1, 1}));
  EXPECT_TRUE(repeated_rows(log).empty());
}

TEST_F(Log, RoundTrip) {
  const std::string text =
      "unit,step,state,action,reward,next_state,probability,censored\n"
      "\"a,b\",7,home,go,0.1,away,0.25,0\nc,0,away,stay,-2,home,1,1\nc,1,away,stay,-2,home,1,at_most\n";
  write_log(path("again.csv"), mdp(), read_log(write("log.csv", text), mdp()));
  EXPECT_EQ(read(path("again.csv")), text);
}

// A reward or a next state may be missing, and stays so.
TEST_F(Log, MissingParts) {
  const std::string text =
      "unit,step,state,action,reward,next_state,censored\n"
      "a,0,home,go,,away,0\na,1,away,stay,-2,,0\na,2,away,stay,3,,at_most\na,3,away,stay,1,away,0\n";
  const ObservationLog log = read_log(write("log.csv", text), mdp());
  EXPECT_FALSE(log.row(0).reward);
  EXPECT_EQ(log.row(0).next_state, 1);
  EXPECT_EQ(log.row(1).reward, -2);
  EXPECT_FALSE(log.row(1).next_state);
  EXPECT_EQ(log.row(2).censored, Censoring::at_most);
  EXPECT_EQ(log.row(3).step, 3);
  EXPECT_EQ(log.row(3).weight, 1);
  EXPECT_EQ(count_pairs(mdp(), log), (std::vector<double>{0, 0, 1}));  // a count stands for both
  write_log(path("again.csv"), mdp(), log);
  EXPECT_EQ(read(path("again.csv")), text);
  const std::string nothing = log_message(std::string(kHeader) + "a,0,home,go,1,away\na,1,away,stay,,\n");
  EXPECT_NE(nothing.find("log.csv:3"), std::string::npos) << nothing;
  EXPECT_NE(nothing.find("neither the reward nor the next state is there"), std::string::npos) << nothing;
  EXPECT_NE(log_message("unit,step,state,action,reward,next_state,censored\na,0,home,go,,away,1\n")
                .find("a reward that is missing cannot be censored"),
            std::string::npos);
}

// The rows of one log behind those of another: units keep their names.
TEST_F(Log, Append) {
  const std::string header = "unit,step,state,action,reward,next_state", row = "0,home,stay,1,home";
  const auto joined = [&](const std::string& one, const std::string& two) {
    ObservationLog log = read_log(write("one.csv", one), mdp());
    append(log, read_log(write("two.csv", two), mdp()));
    write_log(path("both.csv"), mdp(), log);
    return read(path("both.csv"));
  };
  EXPECT_EQ(joined(header + "\na," + row + "\nb," + row + "\n",
                   header + ",probability,censored\nc," + row + ",.5,1\na," + row + ",.5,0\n"),
            header + ",censored\na," + row + ",0\nb," + row + ",0\nc," + row + ",1\na," + row + ",0\n");
  EXPECT_EQ(joined(header + ",probability,censored\na," + row + ",.5,1\n",
                   header + ",probability\na," + row + ",1\n"),
            header + ",probability,censored\na," + row + ",0.5,1\na," + row + ",1,0\n");
}

// Values of an instrument are any text; an empty one is missing. They stay where both logs have some.
TEST_F(Log, Instruments) {
  const std::string header = "unit,step,state,action,reward,next_state", row = "0,home,stay,1,home";
  const std::string text = header + ",instrument\na," + row + ",late shift\nb," + row + ",\nc," + row +
                           ",early\nd," + row + ",late shift\n";
  const ObservationLog log = read_log(write("log.csv", text), mdp());
  EXPECT_EQ(log.instrument, (std::vector<std::int32_t>{0, ObservationLog::kNoInstrument, 1, 0}));
  EXPECT_EQ(log.instruments[1], "early");
  write_log(path("again.csv"), mdp(), log);
  EXPECT_EQ(read(path("again.csv")), text);
  ObservationLog both = log;
  append(both, read_log(write("two.csv", header + ",instrument\ne," + row + ",early\nf," + row + ",never\n"),
                        mdp()));
  EXPECT_EQ(both.instrument, (std::vector<std::int32_t>{0, -1, 1, 0, 1, 2}));
  append(both, read_log(write("three.csv", header + "\ng," + row + "\n"), mdp()));
  EXPECT_TRUE(both.instrument.empty());
  EXPECT_NE(log_message(header + ",instrument\na," + row + ",\xff\n").find("instrument must be in UTF-8"),
            std::string::npos);
}

TEST_F(Log, RepeatedRowsAndTheirLines) {
  const std::string text = std::string(kHeader) +
                           "a,0,home,stay,1,home\na,1,home,stay,1,home\n\"b\nc\",0,home,stay,1,home\n" +
                           "a,1,home,stay,2,home\na,0,home,stay,1,home\n";
  const auto file = write("log.csv", text);
  const std::vector<std::size_t> rows = repeated_rows(read_log(file, mdp()));
  EXPECT_EQ(rows, (std::vector<std::size_t>{3, 4}));
  EXPECT_EQ(lines_of_rows(open_text_file(file), rows), (std::vector<std::int64_t>{6, 7}));
}

TEST_F(Log, WithoutNamesNumbersStand) {
  MdpArrays arrays;
  arrays.discount = .5;
  arrays.pair_begin = {0, 1, 2};
  arrays.pair_action = {0, 0};
  arrays.row_begin = {0, 1, 2};
  arrays.next_state = {1, 0};
  arrays.probability = {1, 1};
  arrays.reward = {0, 0};
  const auto file = write("log.csv", std::string(kHeader) + "1,0,1,0,2.5,0\n");
  EXPECT_EQ(read_log(file, Mdp(arrays)).pair, std::vector<std::int32_t>{1});
}

TEST_F(Log, BadRowsAreNamed) {
  const std::string h = kHeader;
  EXPECT_NE(
      log_message(h + "a,0,home,stay,1,home\na,1,hme,stay,1,home\n").find("log.csv:3: the state is unknown"),
      std::string::npos);
  EXPECT_NE(log_message(h + "a,0,home,run,1,home\n").find("log.csv:2"), std::string::npos);
  EXPECT_NE(log_message(h + "a,0,away,go,1,home\n").find("the action is not available in the state"),
            std::string::npos);
  EXPECT_NE(log_message(h + "a,0,home,go,1,nowhere\n").find("the next state is unknown"), std::string::npos);
  EXPECT_NE(log_message(h + "a,0,home,go,nan,away\n").find("the reward must be finite"), std::string::npos);
  EXPECT_NE(log_message(h + "a,0,home,go,inf,away\n").find("the reward must be finite"), std::string::npos);
  EXPECT_NE(log_message(h + "a,-1,home,go,1,away\n").find("whole number from 0"), std::string::npos);
  EXPECT_NE(log_message(h + "a,0.5,home,go,1,away\n").find("whole number from 0"), std::string::npos);
  EXPECT_NE(log_message(h + ",0,home,go,1,away\n").find("the unit must have a name"), std::string::npos);
  EXPECT_NE(log_message("unit,step,state,action,reward\n").find("next_state"), std::string::npos);
  EXPECT_NE(log_message("unit,step,state,action,reward,next_state,censored\na,0,home,go,1,away,yes\n")
                .find("censored must be 0, 1 (or at_least), or at_most (got 'yes')"),
            std::string::npos);
  EXPECT_NE(log_message("unit,step,state,action,reward,next_state,probability\na,0,home,go,1,away,0\n")
                .find("above 0 and at most 1"),
            std::string::npos);
  EXPECT_THROW(read_log(path("none.csv"), mdp()), StoreError);
}

TEST_F(Log, CoverageFromCountsOrFromALog) {
  EXPECT_EQ(read_coverage(write("c.csv", "state,action,count\naway,stay,12\nhome,go,0.5\n"), mdp()),
            (std::vector<double>{0, .5, 12}));
  EXPECT_EQ(
      read_coverage(write("l.csv", std::string(kHeader) +
                                       "a,0,home,go,1,away\na,1,away,stay,1,away\na,2,away,stay,1,away\n"),
                    mdp()),
      (std::vector<double>{0, 1, 2}));
}

TEST_F(Log, BadCoverageIsNamed) {
  const std::string h = "state,action,count\n";
  EXPECT_NE(coverage_message(h + "away,go,3\n").find("coverage.csv:2: state 'away', action 'go'"),
            std::string::npos);
  EXPECT_NE(coverage_message(h + "moon,go,3\n").find("the state is unknown"), std::string::npos);
  EXPECT_NE(coverage_message(h + "home,go,-3\n").find("zero or more (got '-3')"), std::string::npos);
  EXPECT_NE(coverage_message(h + "home,go,3\nhome,go,4\n").find("second line"), std::string::npos);
  EXPECT_NE(coverage_message("state,action\n").find("count"), std::string::npos);
}

}  // namespace observation_log_test
}  // namespace mindgap::files
