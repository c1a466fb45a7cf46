#include <gtest/gtest.h>

#include "gap/golden_models.h"
#include "mdp/random_models.h"
#include "mindgap/base/error.h"
#include "mindgap/design/design.h"
#include "mindgap/files/pilot_tables.h"

namespace mindgap::design {
namespace design_options_test {

TEST(DesignNames, AreThoseOfTheCommandLine) {
  EXPECT_EQ(minimiser_from_string("auto"), Minimiser::automatic);
  EXPECT_EQ(minimiser_from_string("coordinate-descent"), Minimiser::coordinate_descent);
  EXPECT_EQ(block_from_string("rewards"), Block::rewards);
  EXPECT_THROW(minimiser_from_string("Columns"), InvalidArgument);
  EXPECT_THROW(minimiser_from_string(""), InvalidArgument);
  EXPECT_THROW(block_from_string("all"), InvalidArgument);
}

// Units a, b, c in the states 0, 1, 1.
mdp::Units three() {
  return {{"a", "b", "c"}, {0, 1, 1}};
}

TEST(PlaceUnits, TheFirstAreThePilotTheRestTheOthers) {
  const mdp::Mdp mdp = gap::m3();
  DesignOptions options;
  options.units = 1;
  place_units(three(), "p.csv", std::nullopt, mdp, options);
  EXPECT_EQ(options.unit_state, (std::vector<std::int32_t>{0}));
  EXPECT_EQ(options.unit_names, (std::vector<std::string>{"a"}));
  EXPECT_EQ(options.others, 2);
  ASSERT_EQ(options.other_positions.size(), static_cast<std::size_t>(mdp.states()));
  EXPECT_EQ(options.other_positions[1], 2);
  EXPECT_NEAR(options.start[0], 1. / 3, 1e-15);  // what is to be found out counts from where all are
  EXPECT_NEAR(options.start[1], 2. / 3, 1e-15);
}

TEST(PlaceUnits, OthersWithoutAPlaceKeepTheStart) {
  DesignOptions options;
  options.units = 3;
  options.others = 7;
  place_units(three(), "p.csv", 7, gap::m3(), options);
  EXPECT_EQ(options.others, 7);
  EXPECT_TRUE(options.other_positions.empty());
  EXPECT_NEAR(options.start[1], (2 + 7 * gap::m3().start()[1]) / 10, 1e-15);
}

// Models of any number of states: nothing beyond the last one is touched.
TEST(PlaceUnits, OthersWithoutAPlaceInModelsOfAnySize) {
  for (std::int32_t states = 2; states <= 60; ++states) {
    const mdp::Mdp mdp = mdp::random_mdp(states, {.states = states});
    DesignOptions options;
    options.units = 3;
    place_units(three(), "p.csv", 7, mdp, options);
    double sum = 0;
    for (std::int32_t s = 0; s < states; ++s) {
      EXPECT_NEAR(options.start[s], ((s == 0 ? 1 : s == 1 ? 2 : 0) + 7 * mdp.start()[s]) / 10, 1e-15);
      sum += options.start[s];
    }
    EXPECT_NEAR(sum, 1, 1e-12);
  }
}

TEST(PlaceUnits, RefusesWhatDoesNotFit) {
  DesignOptions options;
  options.units = 4;
  EXPECT_THROW(place_units(three(), "p.csv", std::nullopt, gap::m3(), options), InvalidArgument);
  options.units = 2;
  EXPECT_THROW(place_units(three(), "p.csv", 5, gap::m3(), options), InvalidArgument);
}

}  // namespace design_options_test
}  // namespace mindgap::design
