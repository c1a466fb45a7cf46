#include "paper/cases/vending/configuration.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "mindgap/base/error.h"
#include "paper/cases/vending/configuration_file.h"

namespace mindgap::cases::vending {
namespace vending_configuration_test {

/// Three machines, two products, one segment.
const char* const kSmall = R"(format = "mindgap-vending/1"
products = ["tea", "cake"]
segments = ["everyone"]
machines = ["north", "south", "the east"]

[product]
tea = { wholesale = 0.5, shelf_life = 30 }
cake = { wholesale = 1.0, shelf_life = 4, holding = 0.05 }

[segment.everyone]
willingness = 3.0
preference = { tea = 0.75, cake = 0.25 }

[machine.north]
true_rate = { everyone = 9.0 }
simulator_rate = { everyone = 9.0 }
[machine.south]
true_rate = { everyone = 4.0 }
simulator_rate = { everyone = 6.0 }
[machine."the east"]
true_rate = { everyone = 12.0 }
simulator_rate = { everyone = 5.0 }
confounded = true
drift = 0.002
events = [{ from = 10, factor = 1.5 }, { from = 20, until = 25, factor = 0.5 }]

[logistics]
slot_capacity = 12
)";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t place = text.find(from);
  EXPECT_NE(place, std::string::npos) << from;
  return text.replace(place, from.size(), to);
}

TEST(VendingConfiguration, TheDefaultReadsBackTheSame) {
  EXPECT_EQ(parse_configuration(default_configuration_text(), "x"), default_configuration());
  EXPECT_FALSE(find_problem(default_configuration()));
}

TEST(VendingConfiguration, TheExampleFileIsTheDefault) {
  const std::filesystem::path path =
      std::filesystem::path(MINDGAP_SOURCE_DIR) / "examples/vending/vending.toml";
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_EQ(text.str(), default_configuration_text()) << "write it again with default_configuration_text()";
  EXPECT_EQ(read_configuration(path), default_configuration());
}

TEST(VendingConfiguration, ASmallNetworkIsRead) {
  const Configuration read = parse_configuration(kSmall, "small.toml");
  ASSERT_EQ(read.machines.size(), 3);
  EXPECT_EQ(read.machines[2].name, "the east");
  EXPECT_EQ(read.machines[2].events.size(), 2);
  EXPECT_EQ(read.machines[2].events[1], (Event{20, 25, .5}));
  EXPECT_GT(read.machines[2].events[0].until, 1'000'000);
  EXPECT_EQ(read.products[1].shelf_life, 4);
  EXPECT_EQ(read.segments[0].preference, (std::vector<double>{.75, .25}));
  EXPECT_EQ(read.logistics.slot_capacity, 12);
  EXPECT_EQ(read.logistics.depot_capacity, 120);  // the default
  EXPECT_EQ(parse_configuration(format_configuration(read), "x"), read);
}

TEST(VendingConfiguration, ErrorsCanBeSwitchedOff) {
  const Configuration both = default_configuration();
  EXPECT_EQ(with_errors(both, true, true), both);
  const Configuration none = with_errors(both, false, false);
  EXPECT_EQ(none.machines[3].simulator_rate, both.machines[3].true_rate);
  EXPECT_EQ(none.machines[0].simulator_rate, both.machines[0].simulator_rate);  // not by confounding
  EXPECT_EQ(none.machines[3].drift, 0);
  EXPECT_EQ(none.machines[3].drift_sd, both.machines[3].drift_sd);
}

struct Bad {
  const char *from, *to, *message;
  std::int64_t line;
};

TEST(VendingConfiguration, WhatIsWrongIsNamedWithItsLine) {
  const Bad all[] = {
      {"cake = 0.25", "cake = 0.2", "'segment.everyone.preference' must sum to 1 (got '0.95')", 12},
      {"{ tea = 0.75, cake = 0.25 }", "{ tea = 1.5, cake = -0.5 }", "must be from 0 to 1 (got '1.5')", 12},
      {"wholesale = 0.5", "wholesale = -0.5", "'product.tea.wholesale' must be", 7},
      {"slot_capacity = 12", "slot_capacity = -1", "'logistics.slot_capacity' must be", 28},
      {"slot_capacity = 12", "slot_capacity = 1.5", "'slot_capacity' must be a whole number", 28},
      {"slot_capacity = 12", "direct_lead = -2", "'logistics.direct_lead' must be", 28},
      {"slot_capacity = 12", "slot_capacity = 4", "'logistics.start_slot_stock' must not exceed", 27},
      {"slot_capacity = 12", "capacity = 12", "unknown key 'logistics.capacity'", 28},
      {"cake = 0.25", "coffee = 0.25", "there is no product 'coffee'", 12},
      {"true_rate = { everyone = 9.0 }", "true_rate = { nobody = 9.0 }", "there is no segment 'nobody'", 15},
      {"everyone = 4.0", "everyone = -4.0", "'machine.south.true_rate' must be", 18},
      {"[machine.south]", "[machine.west]", "the key 'machine.south' is missing", 0},
      {"shelf_life = 4, ", "", "the key 'product.cake.shelf_life' is missing", 0},
      {"from = 20, until = 25", "from = 20, until = 20", "must begin at day 0 or later and end after", 25},
      {R"(products = ["tea", "cake"])", R"(products = ["tea", "tea"])", "name occurs twice", 2},
      {"mindgap-vending/1", "mindgap-model/1", "the format must be 'mindgap-vending/1'", 1},
      {"confounded = true", "confounded = 1", "expected true or false", 23},
      {"drift = 0.002", "drift = nan", "'machine.the east.drift' must be", 24},
  };
  for (const Bad& bad : all) {
    try {
      parse_configuration(replaced(kSmall, bad.from, bad.to), "small.toml");
      ADD_FAILURE() << "not refused: " << bad.to;
    } catch (const InvalidModel& error) {
      EXPECT_NE(std::string(error.what()).find(bad.message), std::string::npos) << error.what();
      EXPECT_EQ(error.where().file, "small.toml");
      EXPECT_EQ(error.where().line, bad.line) << error.what();
    }
  }
  EXPECT_THROW(read_configuration("/no/such/file.toml"), StoreError);
}

TEST(VendingConfiguration, AStructIsCheckedAsAFileIs) {
  Configuration configuration = default_configuration();
  configuration.segments[1].day_parts = {.5, .4};
  EXPECT_THROW(check(configuration), InvalidArgument);
  configuration = default_configuration();
  configuration.machines[0].true_rate.pop_back();
  EXPECT_THROW(check(configuration), InvalidArgument);
  configuration = default_configuration();
  configuration.products[0].weather = .7;  // .7 * 1.5 > 1
  EXPECT_THROW(check(configuration), InvalidArgument);
  configuration = default_configuration();
  configuration.planning.price_grid.clear();
  EXPECT_THROW(check(configuration), InvalidArgument);
}

}  // namespace vending_configuration_test
}  // namespace mindgap::cases::vending
