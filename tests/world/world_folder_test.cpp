#include "mindgap/world/world_folder.h"
#include "mindgap/files/model_file.h"

#include <gtest/gtest.h>

#include "files/files.h"
#include "world/example_e.h"
#include "world/random_worlds.h"

namespace mindgap::world {
namespace world_folder_test {

namespace fs = std::filesystem;

constexpr const char* kToml =
    "format = \"mindgap-world/1\"\n"
    "name = \"Two places\"\n"
    "discount = 0.9\n"
    "states = \"states.csv\"\n"
    "actions = [\"stay\", \"go\"]\n"
    "hidden = [\"calm\", \"busy\"]\n"
    "rewards = \"rewards.csv\"\n"
    "transitions = \"transitions.csv\"\n";
constexpr const char* kStates = "name\nleft\nright\n";
constexpr const char* kRewards =
    "state,hidden,action,reward\n"
    "left,calm,stay,0\n"
    "left,busy,stay,1\n"
    "left,calm,go,2\n"
    "left,busy,go,3\n"
    "right,calm,stay,4\n"
    "right,busy,stay,5\n";
constexpr const char* kTransitions =
    "state,hidden,action,next_state,next_hidden,probability\n"
    "left,calm,stay,left,calm,1\n"
    "left,busy,stay,left,busy,1\n"
    "left,calm,go,right,calm,0.75\n"
    "left,calm,go,left,busy,0.25\n"
    "left,busy,go,right,busy,1\n"
    "right,calm,stay,right,calm,1\n"
    "right,busy,stay,right,busy,1\n";
constexpr const char* kBehaviour =
    "state,hidden,action,probability\n"
    "left,calm,stay,0.5\n"
    "left,calm,go,0.5\n"
    "left,busy,go,1\n"
    "right,calm,stay,1\n"
    "right,busy,stay,1\n";
constexpr const char* kCalibration =
    "state,hidden,probability\n"
    "left,calm,0.25\n"
    "left,busy,0.75\n"
    "right,calm,1\n";
constexpr const char* kDeployment =
    "state,hidden,probability\n"
    "left,busy,1\n"
    "right,calm,0.5\n"
    "right,busy,0.5\n";

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return text.replace(at, what.size(), by);
}

class WorldFolder : public files::FileTest {
 protected:
  WorldFolder() { restore(); }

  void restore() const {
    write("w/world.toml", kToml);
    write("w/states.csv", kStates);
    write("w/rewards.csv", kRewards);
    write("w/transitions.csv", kTransitions);
    write("w/behaviour.csv", kBehaviour);
    write("w/calibration.csv", kCalibration);
    write("w/deployment.csv", kDeployment);
  }

  HiddenModel world() const { return read_world(path("w")); }

  /// The message with one file changed; then it is as before.
  std::string with(const std::string& file, const std::string& text) const {
    write("w/" + file, text);
    std::string result = message([&] { world(); });
    restore();
    return result;
  }
};

TEST_F(WorldFolder, IsRead) {
  const HiddenModel world = this->world();
  EXPECT_EQ(world.name(), "Two places");
  EXPECT_EQ(world.states(), 2);
  EXPECT_EQ(world.hidden(), 2);
  EXPECT_EQ(world.pairs(), 3);
  EXPECT_EQ(world.reward_max(), 5);
  EXPECT_EQ(world.hidden_name(1), "busy");
  const auto vector = [](auto values) { return std::vector(values.begin(), values.end()); };
  EXPECT_EQ(vector(world.reward()), (std::vector<double>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(vector(world.variance()), std::vector<double>(6, 0));
  EXPECT_EQ(vector(world.row_begin()), (std::vector<std::int64_t>{0, 1, 2, 4, 5, 6, 7}));
  EXPECT_EQ(vector(world.next_state()), (std::vector<std::int32_t>{0, 0, 0, 1, 1, 1, 1}));
  EXPECT_EQ(vector(world.next_hidden()), (std::vector<std::int32_t>{0, 1, 1, 0, 1, 0, 1}));
  EXPECT_EQ(vector(world.probability()), (std::vector<double>{1, 1, .25, .75, 1, 1, 1}));
  EXPECT_EQ(vector(world.behaviour()), (std::vector<double>{.5, 0, .5, 1, 1, 1}));
  EXPECT_EQ(vector(world.calibration()), (std::vector<double>{.25, .75, 1, 0}));
  EXPECT_EQ(vector(world.deployment()), (std::vector<double>{0, 1, .5, .5}));
  EXPECT_EQ(vector(world.start()), (std::vector<double>{.5, .5}));
  EXPECT_EQ(read_world(path("w/world.toml")), world);
}

TEST_F(WorldFolder, OptionalPartsAreRead) {
  write("w/world.toml", std::string(kToml) +
                            "reward_max = 8\nbehaviour = \"b.csv\"\ncalibration = \"c.csv\"\n"
                            "deployment = \"d.csv\"\n[observation]\nreward_variance = 4\n");
  for (const auto& [from, to] : {std::pair("behaviour", "b"), {"calibration", "c"}, {"deployment", "d"}}) {
    fs::rename(path("w/" + std::string(from) + ".csv"), path("w/" + std::string(to) + ".csv"));
  }
  EXPECT_EQ(world().reward_max(), 8);
  EXPECT_EQ(world().variance()[0], 4);
  std::string rewards = "state,hidden,action,reward,variance\n";
  for (const char* line : {"left,calm,stay,0,2", "left,busy,stay,1,", "left,calm,go,2,0", "left,busy,go,3,1",
                           "right,calm,stay,4,1", "right,busy,stay,5,"}) {
    rewards += std::string(line) + "\n";
  }
  write("w/rewards.csv", rewards);
  const HiddenModel read = world();
  EXPECT_EQ(std::vector(read.variance().begin(), read.variance().end()),
            (std::vector<double>{2, 4, 0, 1, 1, 4}));
}

TEST_F(WorldFolder, AnyOrderOfLinesAndColumns) {
  const HiddenModel wanted = world();
  write("w/rewards.csv",
        "reward,action,hidden,state\n5,stay,busy,right\n4,stay,calm,right\n3,go,busy,left\n2,go,calm,left\n"
        "1,stay,busy,left\n0,stay,calm,left\n");
  write("w/transitions.csv",
        "next_hidden,next_state,probability,state,hidden,action\n"
        "busy,right,1,right,busy,stay\ncalm,right,0.5,left,calm,go\nbusy,left,1,left,busy,stay\n"
        "busy,left,0.25,left,calm,go\ncalm,left,1,left,calm,stay\ncalm,right,0.25,left,calm,go\n"
        "busy,right,1,left,busy,go\ncalm,right,1,right,calm,stay\n");
  EXPECT_EQ(world(), wanted);
}

TEST_F(WorldFolder, RoundTrip) {
  const auto expect_round_trip = [&](const HiddenModel& world) {
    write_world(world, path("out"));
    const HiddenModel back = read_world(path("out"));
    EXPECT_EQ(back, world);
    EXPECT_TRUE(files::same_bits(back.probability(), world.probability()));
    EXPECT_TRUE(files::same_bits(back.reward(), world.reward()));
    EXPECT_TRUE(files::same_bits(back.variance(), world.variance()));
    EXPECT_TRUE(files::same_bits(back.behaviour(), world.behaviour()));
    EXPECT_TRUE(files::same_bits(back.calibration(), world.calibration()));
    EXPECT_TRUE(files::same_bits(back.deployment(), world.deployment()));
    EXPECT_TRUE(files::same_bits(back.start(), world.start()));
  };
  expect_round_trip(world());
  expect_round_trip(example_e::model());
  for (std::uint64_t seed = 0; seed < 20; ++seed) expect_round_trip(HiddenModel(random_world(seed)));
  HiddenArrays odd = example_e::arrays();
  odd.reward[0] = -0.0;
  odd.reward[1] = 5e-324;
  odd.variance[0] = -0.0;
  odd.behaviour = {-0.0, .2, 1, .8, .4, .6, .6, .4, .5, .25, .5, .75};
  odd.labels.group_of_state = {0, -1, 0};
  odd.labels.groups = mdp::NameTable({"north"});
  odd.labels.x = {1, 2, 3};
  odd.labels.y = {-1, 0, 1e300};
  odd.name = "a \"quoted\"\nname";
  expect_round_trip(HiddenModel(odd));
  EXPECT_EQ(listing(path("out")),
            (std::vector<std::string>{"behaviour.csv", "calibration.csv", "deployment.csv", "rewards.csv",
                                      "states.csv", "transitions.csv", "world.toml"}));
}

TEST_F(WorldFolder, NumbersBecomeNames) {
  write_world(HiddenModel(random_world(1, {.named = false})), path("out"));
  const HiddenModel back = read_world(path("out"));
  EXPECT_EQ(back.hidden_name(2), "2");
  EXPECT_EQ(back, HiddenModel([] {
              HiddenArrays arrays = random_world(1, {.named = false});
              arrays.labels.states = mdp::NameTable({"0", "1", "2", "3"});
              arrays.labels.actions = mdp::NameTable({"0", "1", "2"});
              arrays.hidden_names = mdp::NameTable({"0", "1", "2"});
              return arrays;
            }()));
}

TEST_F(WorldFolder, NothingForeignIsOverwritten) {
  write("other/notes.txt", "mine");
  EXPECT_EQ(message([&] { write_world(world(), path("other")); }),
            "other: holds files but no world.toml; not overwritten");
  HiddenArrays bad = example_e::arrays();
  bad.hidden_names = mdp::NameTable({"h0", "\xff"});
  EXPECT_THROW(write_world(HiddenModel(bad), path("new")), InvalidModel);
  EXPECT_FALSE(fs::exists(path("new")));
}

TEST_F(WorldFolder, TomlErrors) {
  EXPECT_EQ(with("world.toml", replaced(kToml, "world/1", "model/1")),
            "w/world.toml:1: the format must be 'mindgap-world/1' (got 'mindgap-model/1')");
  EXPECT_EQ(with("world.toml", replaced(kToml, "hidden = [\"calm\", \"busy\"]\n", "")),
            "w/world.toml: the key 'hidden' is missing");
  EXPECT_EQ(with("world.toml", replaced(kToml, "\"busy\"", "\"calm\"")),
            "w/world.toml:6: the hidden state name occurs twice (got 'calm')");
  EXPECT_EQ(with("world.toml", replaced(kToml, "\"calm\", \"busy\"", "")),
            "w/world.toml:6: the model has no hidden states");
  EXPECT_EQ(with("world.toml", replaced(kToml, "[\"calm\", \"busy\"]", "2")),
            "w/world.toml:6: 'hidden' is an integer, expected an array of names");
  EXPECT_EQ(with("world.toml", std::string(kToml) + "[prior]\nreward_sd = 1\n"),
            "w/world.toml:9: unknown key 'prior'");
  EXPECT_EQ(with("world.toml", std::string(kToml) + "behaviour = 3\n"),
            "w/world.toml:9: 'behaviour' is an integer, expected a string");
  EXPECT_EQ(with("world.toml", std::string(kToml) + "[observation]\nreward_variance = -1\n"),
            "w/world.toml:10: a reward variance must be finite and zero or more (0, or from 1e-200 to 1e200) "
            "(got '-1')");
  EXPECT_EQ(with("world.toml", "format = \n").substr(0, 32), "w/world.toml:1: not valid TOML: ");
}

TEST_F(WorldFolder, MissingFiles) {
  EXPECT_EQ(message([&] { read_world(path("none")); }), "none: cannot open: No such file or directory");
  fs::create_directory(path("empty"));
  EXPECT_EQ(message([&] { read_world(path("empty")); }),
            "empty: the folder holds no world.toml, so it is no world");
  for (const std::string file :
       {"states", "rewards", "transitions", "behaviour", "calibration", "deployment"}) {
    fs::remove(path("w/" + file + ".csv"));
    EXPECT_EQ(message([&] { world(); }), "w/" + file + ".csv: cannot open: No such file or directory");
    restore();
  }
}

TEST_F(WorldFolder, RewardErrors) {
  const std::string text = kRewards;
  EXPECT_EQ(with("rewards.csv", replaced(text, "hidden,", "")),
            "w/rewards.csv:1: the header lacks the column 'hidden'");
  EXPECT_EQ(with("rewards.csv", text + "up,calm,stay,1\n"),
            "w/rewards.csv:8: the state is unknown (got 'up')");
  EXPECT_EQ(with("rewards.csv", text + ",calm,stay,1\n"),
            "w/rewards.csv:8: the state is empty, expected a name");
  EXPECT_EQ(with("rewards.csv", text + "right,wild,go,1\n"),
            "w/rewards.csv:8: state 'right': the hidden state is unknown (got 'wild')");
  EXPECT_EQ(with("rewards.csv", text + "right,calm,fly,1\n"),
            "w/rewards.csv:8: state 'right', hidden 'calm': the action is unknown (got 'fly')");
  EXPECT_EQ(
      with("rewards.csv", replaced(text, "go,3", "go,inf")),
      "w/rewards.csv:5: state 'left', hidden 'busy', action 'go': the reward must be finite (got 'inf')");
  EXPECT_EQ(with("rewards.csv", replaced(text, "go,3", "go,much")).substr(0, 18), "w/rewards.csv:5: t");
  EXPECT_EQ(
      with("rewards.csv", text + "left,busy,stay,1\n"),
      "w/rewards.csv:8: state 'left', hidden 'busy', action 'stay': the pair has a second reward in this "
      "hidden state");
  EXPECT_EQ(
      with("rewards.csv", text + "left,calm,stay,1\n"),
      "w/rewards.csv:8: state 'left', hidden 'calm', action 'stay': the pair has a second reward in this "
      "hidden state");
  EXPECT_EQ(
      with("rewards.csv", text + "right,busy,go,1\n"),
      "w/rewards.csv:8: state 'right', hidden 'calm', action 'go': the pair has no reward in this hidden "
      "state");
  EXPECT_EQ(
      with("rewards.csv", text + "right,calm,go,1\n"),
      "w/rewards.csv:8: state 'right', hidden 'busy', action 'go': the pair has no reward in this hidden "
      "state");
  EXPECT_EQ(with("states.csv", std::string(kStates) + "up\n"),
            "w/states.csv:4: state 'up': the state has no available action in w/rewards.csv");
  EXPECT_EQ(
      with("rewards.csv", "state,hidden,action,reward,variance\nleft,calm,stay,0,-1\n"),
      "w/rewards.csv:2: state 'left', hidden 'calm', action 'stay': a reward variance must be finite and "
      "zero or more (0, or from 1e-200 to 1e200) (got '-1')");
}

TEST_F(WorldFolder, TransitionErrors) {
  const std::string text = kTransitions;
  EXPECT_EQ(
      with("transitions.csv", replaced(text, "0.75", "0.7")),
      "w/transitions.csv:4: state 'left', hidden 'calm', action 'go': the transition probabilities must "
      "sum to 1 (got '0.95')");
  EXPECT_EQ(
      with("transitions.csv", replaced(text, "0.75", "-0.75")),
      "w/transitions.csv:4: state 'left', hidden 'calm', action 'go': the probability must be from 0 to 1 "
      "(got '-0.75')");
  EXPECT_EQ(with("transitions.csv", replaced(text, "right,calm,0.75", "up,calm,0.75")),
            "w/transitions.csv:4: state 'left', hidden 'calm', action 'go': the next state is unknown (got "
            "'up')");
  EXPECT_EQ(with("transitions.csv", replaced(text, "right,calm,0.75", "right,wild,0.75")),
            "w/transitions.csv:4: state 'left', hidden 'calm', action 'go': the next hidden state is unknown "
            "(got 'wild')");
  EXPECT_EQ(
      with("transitions.csv", text + "right,calm,go,left,calm,1\n"),
      "w/transitions.csv:9: state 'right', hidden 'calm', action 'go': the pair has transitions, but no "
      "reward in w/rewards.csv");
  EXPECT_EQ(with("transitions.csv", replaced(text, "left,busy,go,right,busy,1\n", "")),
            "w/rewards.csv:5: state 'left', hidden 'busy', action 'go': the pair has a reward, but no "
            "transitions in w/transitions.csv");
}

TEST_F(WorldFolder, BehaviourErrors) {
  const std::string text = kBehaviour;
  EXPECT_EQ(with("behaviour.csv", replaced(text, "go,0.5", "go,0.4")),
            "w/behaviour.csv:2: state 'left', hidden 'calm': the behaviour probabilities must sum to 1 (got "
            "'0.9')");
  EXPECT_EQ(
      with("behaviour.csv", replaced(text, "right,busy,stay,1\n", "")),
      "w/behaviour.csv: state 'right', hidden 'busy': the behaviour probabilities must sum to 1 (got '0')");
  EXPECT_EQ(
      with("behaviour.csv", replaced(text, "go,0.5", "go,1.5")),
      "w/behaviour.csv:3: state 'left', hidden 'calm', action 'go': the probability must be from 0 to 1 "
      "(got '1.5')");
  EXPECT_EQ(with("behaviour.csv", text + "right,busy,go,0\n"),
            "w/behaviour.csv:7: state 'right', hidden 'busy', action 'go': the pair has no reward in "
            "w/rewards.csv");
  EXPECT_EQ(
      with("behaviour.csv", text + "right,busy,stay,0\n"),
      "w/behaviour.csv:7: state 'right', hidden 'busy', action 'stay': the pair has a second line for this "
      "hidden state");
}

TEST_F(WorldFolder, HiddenLawErrors) {
  EXPECT_EQ(with("calibration.csv", replaced(kCalibration, "0.75", "0.7")),
            "w/calibration.csv:2: state 'left': the calibration probabilities must sum to 1 (got '0.95')");
  EXPECT_EQ(with("deployment.csv", replaced(kDeployment, "left,busy,1\n", "")),
            "w/deployment.csv: state 'left': the deployment probabilities must sum to 1 (got '0')");
  EXPECT_EQ(
      with("deployment.csv", replaced(kDeployment, "left,busy,1", "left,busy,nan")),
      "w/deployment.csv:2: state 'left', hidden 'busy': the probability must be from 0 to 1 (got 'nan')");
  EXPECT_EQ(
      with("deployment.csv", std::string(kDeployment) + "left,busy,0\n"),
      "w/deployment.csv:5: state 'left', hidden 'busy': the state has a second line for this hidden state");
  EXPECT_EQ(with("deployment.csv", "state,hidden,action,probability\n"),
            "w/deployment.csv:1: the header has an unknown column; known are state,hidden,probability (got "
            "'action')");
}

// tests/models/example_e is example E, with each product of two decimals written out as a decimal.
TEST(WorldFolderModels, ExampleE) {
  const HiddenModel read = read_world(fs::path(MINDGAP_SOURCE_DIR) / "tests/models/example_e");
  const HiddenModel wanted = example_e::model();
  EXPECT_EQ(read.labels(), wanted.labels());
  EXPECT_EQ(read.hidden_names(), wanted.hidden_names());
  EXPECT_EQ(read.discount(), .9);
  EXPECT_EQ(read.reward_max(), 1);
  EXPECT_TRUE(files::same_bits(read.start(), wanted.start()));
  EXPECT_TRUE(files::same_bits(read.reward(), wanted.reward()));
  EXPECT_TRUE(files::same_bits(read.variance(), wanted.variance()));
  EXPECT_TRUE(files::same_bits(read.behaviour(), wanted.behaviour()));
  EXPECT_TRUE(files::same_bits(read.calibration(), wanted.calibration()));
  EXPECT_TRUE(files::same_bits(read.deployment(), wanted.deployment()));
  ASSERT_EQ(read.nonzeros(), wanted.nonzeros());
  for (std::size_t i = 0; i < read.probability().size(); ++i) {
    EXPECT_EQ(read.next_state()[i], wanted.next_state()[i]);
    EXPECT_EQ(read.next_hidden()[i], wanted.next_hidden()[i]);
    EXPECT_DOUBLE_EQ(read.probability()[i], wanted.probability()[i]);
  }
  const mdp::Model simulator =
      files::read_model(fs::path(MINDGAP_SOURCE_DIR) / "tests/models/example_e_simulator");
  const mdp::Mdp expected = example_e::simulator();
  for (std::int32_t k = 0; k < 6; ++k) EXPECT_NEAR(simulator.mdp.reward()[k], expected.reward()[k], 1e-15);
  for (std::size_t i = 0; i < 18; ++i) {
    EXPECT_NEAR(simulator.mdp.probability()[i], expected.probability()[i], 1e-15);
  }
  EXPECT_EQ(simulator.prior->reward_sd, .2);
  EXPECT_EQ(simulator.prior->transition_strength, 8);
  EXPECT_EQ(simulator.reward_variance, .05);
  EXPECT_EQ(simulator.mdp.reward_max(), 1);
}

}  // namespace world_folder_test
}  // namespace mindgap::world
