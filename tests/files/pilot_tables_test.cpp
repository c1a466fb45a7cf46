#include "mindgap/files/pilot_tables.h"

#include <cmath>

#include "files/files.h"
#include "mindgap/mdp/builder.h"

namespace mindgap::files {

using namespace mdp;  // what these files hold
namespace pilot_tables_test {

class PilotTables : public FileTest {
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
  template <typename Reader>
  void expect_refused(Reader reader, const std::string& text, const std::string& wanted) {
    const auto file = write("t.csv", text);
    const std::string got = message([&] { reader(file, mdp()); });
    EXPECT_NE(got.find(wanted), std::string::npos) << got;
  }
};

TEST_F(PilotTables, ReadsThem) {
  const mdp::Units positions = read_positions(write("p.csv", "unit,state\nvan 1,away\nvan 2,home\n"), mdp());
  EXPECT_EQ(positions.state, (std::vector<std::int32_t>{1, 0}));
  EXPECT_EQ(positions.names[0], "van 1");
  EXPECT_EQ(read_forbidden(write("f.csv", "state,action\nhome,go\n"), mdp()),
            (std::vector<std::uint8_t>{0, 1, 0}));
  const std::vector<double> capacity = read_capacities(write("c.csv", "state,per_step\naway,2\n"), mdp());
  EXPECT_TRUE(std::isinf(capacity[0]));
  EXPECT_EQ(capacity[1], 2);
  EXPECT_EQ(read_costs(write("k.csv", "state,action,cost\naway,stay,1.5\n"), mdp()),
            (std::vector<double>{0, 0, 1.5}));
}

TEST_F(PilotTables, BadOnesAreNamed) {
  expect_refused(read_positions, "unit,state\na,moon\n", "t.csv:2: the state is unknown (got 'moon')");
  expect_refused(read_positions, "unit,state\na,home\na,away\n",
                 "t.csv:3: the unit has a second line (got 'a')");
  expect_refused(read_positions, "unit,state\n,home\n", "must have a name");
  expect_refused(read_positions, "unit,state\n", "no units");
  expect_refused(read_forbidden, "state,action\naway,go\n", "the action is not available");
  expect_refused(read_forbidden, "state,action\nhome,go\nhome,go\n", "second line");
  expect_refused(read_capacities, "state,per_step\nhome,-1\n", "zero or more (got '-1')");
  expect_refused(read_capacities, "state,per_step\nhome,1\nhome,2\n", "second line");
  expect_refused(read_costs, "state,action,cost\nhome,go,nan\n", "zero or more");
  expect_refused(read_costs, "state,action\nhome,go\n", "cost");
}

}  // namespace pilot_tables_test
}  // namespace mindgap::files
