#include "mindgap/files/model_folder.h"
#include "mindgap/files/model_file.h"
#include "mindgap/files/named_file.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <sys/stat.h>

#include "files/files.h"

namespace mindgap::files {

using namespace mdp;  // what these files hold
namespace model_folder_test {

namespace fs = std::filesystem;

constexpr std::string_view kToml = R"(format = "mindgap-model/1"
name = "two rooms"
discount = 0.9
states = "states.csv"
actions = ["stay", "go"]
rewards = "rewards.csv"
transitions = "transitions.csv"
)";
constexpr std::string_view kStates = "name\nleft\nright\n";
constexpr std::string_view kRewards = "state,action,reward\nleft,stay,0\nleft,go,-1\nright,stay,2\n";
constexpr std::string_view kTransitions =
    "state,action,next_state,probability\n"
    "left,stay,left,1\nleft,go,left,0.25\nleft,go,right,0.75\nright,stay,right,1\n";

class ModelFolder : public FileTest {
 protected:
  ModelFolder() {
    write("m/model.toml", kToml);
    write("m/states.csv", kStates);
    write("m/rewards.csv", kRewards);
    write("m/transitions.csv", kTransitions);
  }

  Model model() { return read_model(path("m")); }

  /// The message after one file of a good model is replaced; the file is good again afterwards.
  std::string with(const std::string& file, std::string_view text) {
    const std::string name = "m/" + file, before = read(path(name));
    write(name, text);
    std::string result = message([&] { model(); });
    write(name, before);
    return result;
  }

  static std::string replaced(std::string_view text, std::string_view from, std::string_view to) {
    std::string result(text);
    result.replace(result.find(from), from.size(), to);
    return result;
  }
};

TEST_F(ModelFolder, IsRead) {
  const Model model = this->model();
  EXPECT_EQ(model.name, "two rooms");
  EXPECT_EQ(model.mdp.states(), 2);
  EXPECT_EQ(model.mdp.pairs(), 3);
  EXPECT_EQ(model.mdp.nonzeros(), 4);
  EXPECT_EQ(model.mdp.discount(), 0.9);
  EXPECT_EQ(model.mdp.reward()[2], 2);
  EXPECT_EQ(model.mdp.start()[0], 0.5);
  EXPECT_FALSE(model.prior);
  EXPECT_FALSE(model.reward_variance);
  EXPECT_TRUE(model.variance.empty());
  EXPECT_EQ(read_model(path("m/model.toml")), model);
}

TEST_F(ModelFolder, OrderOfLinesAndColumnsDoesNotMatter) {
  const Model wanted = model();
  write("m/rewards.csv", "reward,action,state\r\n2,stay,right\r\n-1,go,left\r\n0,stay,left");
  write("m/transitions.csv",
        "probability,next_state,state,action\n0.5,right,left,go\n1,right,right,stay\n0.25,left,left,go\n"
        "1,left,left,stay\n0,left,right,stay\n0.25,right,left,go\n");
  EXPECT_EQ(model(), wanted);
}

TEST_F(ModelFolder, OptionalPartsAreRead) {
  write("m/model.toml", std::string(kToml) +
                            "reward_max = 8\n[prior]\nreward_sd = 1.5\ntransition_strength = 5\n"
                            "odds = 2\ndrift_sd = 0.5\n[observation]\nreward_variance = 4\n");
  write("m/states.csv", "start,y,name,x,group\n0.25,1,left,-1,north\n0.75,2,right,1e3,\n");
  write("m/rewards.csv", "state,action,reward,variance\nleft,stay,0,\nleft,go,-1,2\nright,stay,2,0\n");
  const Model model = this->model();
  EXPECT_EQ(model.mdp.reward_max(), 8);
  EXPECT_EQ(model.prior, (PriorSpec{.reward_sd = 1.5, .transition_strength = 5, .odds = 2, .drift_sd = 0.5}));
  EXPECT_EQ(model.reward_variance, 4);
  EXPECT_EQ(model.variance, (std::vector<double>{4, 2, 0}));
  EXPECT_EQ(model.mdp.start()[1], 0.75);
  EXPECT_EQ(model.mdp.labels().x, (std::vector<double>{-1, 1000}));
  EXPECT_EQ(model.mdp.labels().group_of_state, (std::vector<std::int32_t>{0, -1}));
}

// The rewards of the model are 0, -1 and 2.
TEST_F(ModelFolder, BoundsAndKindOfTrueRewards) {
  const auto prior = [&](const std::string& lines) { return std::string(kToml) + "[prior]\n" + lines; };
  write("m/model.toml", prior("reward_min = -1\nreward_max = 2.5\n"));
  const PriorSpec wanted{.reward_min = -1, .reward_max = 2.5};
  EXPECT_EQ(model().prior, wanted);
  EXPECT_EQ(model().mdp.reward_max(), 2);  // the scale is another thing
  write_model(model(), path("again"));
  EXPECT_EQ(read_model(path("again")).prior, wanted);
  write_model(model(), path("again.h5"));
  EXPECT_EQ(read_model(path("again.h5")).prior, wanted);
  EXPECT_EQ(
      with("model.toml", prior("reward_min = -1\nreward_max = 1.5\n")),
      "m/model.toml: state 'right', action 'stay': the mean reward is above 1.5, the reward_max that the "
      "prior states for true mean rewards (got '2')");
  EXPECT_EQ(with("model.toml", prior("reward_min = 3\nreward_max = 3\n")),
            "m/model.toml: reward_min of the prior must be below its reward_max, 3 (got '3')");
  EXPECT_NE(with("model.toml", prior("reward_min = inf\n")).find("reward_min must be finite"),
            std::string::npos);
  EXPECT_NE(with("model.toml", prior("rewards = \"beta\"\n"))
                .find("rewards must be 'gaussian' or 'bernoulli' (got 'beta')"),
            std::string::npos);
  EXPECT_NE(with("model.toml", prior("rewards = \"bernoulli\"\n")).find("below 0, the reward_min"),
            std::string::npos);
  write("m/rewards.csv", "state,action,reward\nleft,stay,0\nleft,go,0.5\nright,stay,1\n");
  EXPECT_NE(with("model.toml", prior("rewards = \"bernoulli\"\nreward_max = 2\n"))
                .find("Bernoulli rewards lie from 0 to 1"),
            std::string::npos);
  write("m/model.toml", prior("rewards = \"bernoulli\"\n"));
  EXPECT_EQ(model().prior, (PriorSpec{.rewards = RewardKind::bernoulli}));
  for (const char* name : {"kind", "kind.h5"}) {
    write_model(model(), path(name));
    EXPECT_EQ(read_model(path(name)).prior, model().prior);
  }
}

TEST_F(ModelFolder, SharedErrors) {
  const auto prior = [&](const std::string& lines) {
    return std::string(kToml) + "[prior]\nreward_sd = 0.2\n" + lines;
  };
  write("m/states.csv", "name,group,x,y\nleft,A,0,0\nright,B,1,0\n");
  write("m/loadings.csv",
        "state,action,factor,loading\nright,stay,cold,-0.5\nleft,go,cold,0.25\nleft,go,wet,1\n");
  write("m/model.toml", prior("[prior.shared]\ngroup_sd = {B = 0.4}\nloadings = \"loadings.csv\"\n"
                              "[prior.shared.kernel]\nsd = 0.5\nlength = 2.0\nover = \"graph\"\n"));
  const SharedSpec wanted{.group_sds = {0, .4},
                          .kernel = KernelSpec{.sd = .5, .length = 2, .over = KernelOver::graph},
                          .factors = {"cold", "wet"},
                          .loadings = {{1, 0, .25}, {1, 1, 1}, {2, 0, -.5}}};
  EXPECT_EQ(model().prior->shared, wanted);
  for (const char* name : {"again", "again.h5"}) {
    write_model(model(), path(name));
    EXPECT_EQ(read_model(path(name)).prior, model().prior) << name;
  }
  write("m/model.toml", prior("[prior.shared]\ngroup_sd = 0.4\n"));
  EXPECT_EQ(model().prior->shared, (SharedSpec{.group_sd = .4}));

  const auto says = [&](const std::string& lines, const std::string& wanted_text) {
    const std::string said = with("model.toml", prior("[prior.shared]\n" + lines));
    EXPECT_NE(said.find(wanted_text), std::string::npos) << said;
  };
  says("group_sd = -1\n", "the sd of a shared error must be finite and zero or more, at most 1e100");
  says("group_sd = {C = 0.4}\n", "names a group that no state has (got 'C')");
  says("kernel = {sd = 0.5, length = 0}\n", "the length of a kernel must be finite and positive");
  says("kernel = {sd = 0.5}\n", "length");
  says("kernel = {sd = 0.5, length = 1, over = \"water\"}\n", "over must be 'place'");
  says("", "states nothing");
  says("mist = 2\n", "mist");
  const auto of_table = [&](const std::string& table, const std::string& wanted_text) {
    write("m/model.toml", prior("[prior.shared]\nloadings = \"loadings.csv\"\n"));
    const std::string said = with("loadings.csv", table);
    EXPECT_NE(said.find("m/loadings.csv"), std::string::npos) << said;
    EXPECT_NE(said.find(wanted_text), std::string::npos) << said;
  };
  of_table("state,action,factor,loading\nmiddle,stay,cold,1\n", "middle");
  of_table("state,action,factor,loading\nleft,stay,cold,inf\n", "a loading must be finite");
  of_table("state,action,factor,loading\nleft,stay,cold,1\nleft,stay,cold,1\n",
           "a second loading on factor 'cold'");
  of_table("state,action,loading\nleft,stay,1\n", "factor");
  write("m/loadings.csv",
        "state,action,factor,loading\nleft,stay,a,1\nleft,stay,b,1\nleft,stay,c,1\nleft,go,d,1\n");
  EXPECT_NE(message([&] { model(); }).find("4 shared factors, but only 3 pairs"), std::string::npos);

  write("m/states.csv", "name\nleft\nright\n");
  says("group_sd = 0.4\n", "the states have no groups");
  says("kernel = {sd = 0.5, length = 1}\n", "the states have no x and y");
  write("m/states.csv", "name,group\nleft,A\nright,B\n");
  const std::string bounded =
      with("model.toml", std::string(kToml) + "[prior]\nreward_min = -9\n[prior.shared]\ngroup_sd = 0.4\n");
  EXPECT_NE(bounded.find("shared errors are Gaussian"), std::string::npos) << bounded;
}

TEST_F(ModelFolder, PriorPerPair) {
  write("m/model.toml", std::string(kToml) + "prior = \"prior.csv\"\n");
  write("m/prior.csv",
        "state,action,reward_sd,transition_strength\nright,stay,3,30\nleft,go,2,20\nleft,stay,1,10\n");
  EXPECT_EQ(model().prior->pair_reward_sd, (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(model().prior->pair_transition_strength, (std::vector<double>{10, 20, 30}));
  const std::string head = "state,action,reward_sd,transition_strength\nleft,stay,1,10\n";
  EXPECT_EQ(with("prior.csv", "state,action\n"),
            "m/prior.csv:1: the header has neither 'reward_sd' nor 'transition_strength'");
  EXPECT_EQ(with("prior.csv", head + "right,go,1,1\n"),
            "m/prior.csv:3: state 'right', action 'go': the action is not available in the state");
  EXPECT_EQ(with("prior.csv", head + "left,stay,1,1\n"),
            "m/prior.csv:3: state 'left', action 'stay': the pair has a second line");
  EXPECT_EQ(with("prior.csv", head + "left,go,-1,1\n"),
            "m/prior.csv:3: state 'left', action 'go': reward_sd must be finite and zero or more, at most "
            "1e100 (got '-1')");
  EXPECT_EQ(with("prior.csv", head + "left,go,1,0\n"),
            "m/prior.csv:3: state 'left', action 'go': transition_strength must be finite and positive, from "
            "1e-12 to 1e100 (got '0')");
  EXPECT_EQ(with("prior.csv", head + "left,go,1,1\n"),
            "m/prior.csv: state 'right', action 'stay': the pair has no line here");
  write("m/model.toml", std::string(kToml) + "[prior]\nfile = \"prior.csv\"\nreward_sd = 1\n");
  EXPECT_EQ(message([&] { model(); }), "m/prior.csv:1: 'reward_sd' stands here and in [prior]");
}

TEST_F(ModelFolder, TomlErrors) {
  EXPECT_EQ(with("model.toml", "format = \n"),
            "m/model.toml:1: not valid TOML: Error while parsing key-value pair: expected value, saw '\\n'");
  EXPECT_EQ(with("model.toml", ""), "m/model.toml: the key 'format' is missing");
  EXPECT_EQ(with("model.toml", replaced(kToml, "model/1", "world/1")),
            "m/model.toml:1: the format must be 'mindgap-model/1' (got 'mindgap-world/1')");
  EXPECT_EQ(with("model.toml", replaced(kToml, "discount = 0.9\n", "")),
            "m/model.toml: the key 'discount' is missing");
  EXPECT_EQ(with("model.toml", replaced(kToml, "transitions = \"transitions.csv\"\n", "")),
            "m/model.toml: the key 'transitions' is missing");
  EXPECT_EQ(with("model.toml", replaced(kToml, "0.9", "1.5")),
            "m/model.toml:3: the discount must be from 0 to 1 (got '1.5')");
  EXPECT_EQ(with("model.toml", replaced(kToml, "0.9", "nan")),
            "m/model.toml:3: the discount must be from 0 to 1 (got 'nan')");
  EXPECT_EQ(with("model.toml", replaced(kToml, "0.9", "\"0.9\"")),
            "m/model.toml:3: 'discount' is a string, expected a number");
  EXPECT_EQ(with("model.toml", replaced(kToml, "\"states.csv\"", "3")),
            "m/model.toml:4: 'states' is an integer, expected a string");
  EXPECT_EQ(with("model.toml", replaced(kToml, "states.csv", "")),
            "m/model.toml:4: 'states' must name a file");
  EXPECT_EQ(with("model.toml", replaced(kToml, "[\"stay\", \"go\"]", "\"stay\"")),
            "m/model.toml:5: 'actions' is a string, expected an array of names");
  EXPECT_EQ(with("model.toml", replaced(kToml, "\"go\"", "3")),
            "m/model.toml:5: 'actions' is an integer, expected a string");
  EXPECT_EQ(with("model.toml", replaced(kToml, "\"go\"", "\n\"stay\"")),
            "m/model.toml:6: the action name occurs twice (got 'stay')");
  EXPECT_EQ(with("model.toml", replaced(kToml, "\"go\"", "\"\"")),
            "m/model.toml:5: the action name is empty");
  EXPECT_EQ(with("model.toml", replaced(kToml, "\"stay\", \"go\"", "")),
            "m/model.toml:5: the model has no actions");
  EXPECT_EQ(with("model.toml", std::string(kToml) + "gamma = 1\n"), "m/model.toml:8: unknown key 'gamma'");
  EXPECT_EQ(with("model.toml", std::string(kToml) + "[prior]\n\nodd = 1\n"),
            "m/model.toml:10: unknown key 'prior.odd'");
  EXPECT_EQ(with("model.toml", std::string(kToml) + "[observation]\nx = 1\n"),
            "m/model.toml:9: unknown key 'observation.x'");
  EXPECT_EQ(with("model.toml", std::string(kToml) + "[prior]\nodds = 0.5\n"),
            "m/model.toml:9: odds must be finite and 1 or more (got '0.5')");
  EXPECT_EQ(with("model.toml", std::string(kToml) + "[prior]\ntransition_strength = 0\n"),
            "m/model.toml:9: transition_strength must be finite and positive, from 1e-12 to 1e100 (got '0')");
  EXPECT_EQ(with("model.toml", std::string(kToml) + "[observation]\nreward_variance = -1\n"),
            "m/model.toml:9: a reward variance must be finite and zero or more (0, or from 1e-200 to 1e200) "
            "(got '-1')");
  EXPECT_EQ(with("model.toml", std::string(kToml) + "prior = 3\n"),
            "m/model.toml:8: 'prior' is an integer, expected a table or the name of a file");
  EXPECT_EQ(with("model.toml", std::string(kToml) + "reward_max = -2\n"),
            "m/model.toml:8: reward_max must be finite and zero or more (got '-2')");
}

TEST_F(ModelFolder, MissingFiles) {
  EXPECT_EQ(message([&] { read_model(path("none")); }), "none: no such file or folder");
  fs::create_directory(path("empty"));
  EXPECT_EQ(message([&] { read_model(path("empty")); }),
            (path("empty").string() + ": the folder holds no model.toml, so it is no model")
                .substr(folder_.string().size() + 1));
  EXPECT_EQ(with("model.toml", replaced(kToml, "states.csv", "other.csv")),
            "m/other.csv: cannot open: No such file or directory");
  fs::create_directory(path("m/dir"));
  EXPECT_EQ(with("model.toml", replaced(kToml, "rewards.csv", "dir")), "m/dir: is a folder, expected a file");
  ::mkfifo(path("m/pipe").c_str(), 0600);
  EXPECT_EQ(with("model.toml", replaced(kToml, "rewards.csv", "pipe")), "m/pipe: is not a regular file");
}

// A model may come from somebody else: it reads nothing outside its folder unless told to, and shows nothing
// of it.
TEST_F(ModelFolder, FilesElsewhereAreReadOnlyWhereAllowed) {
  const Model wanted = model();
  const fs::path elsewhere = write("elsewhere.csv", kStates), secret = write("secret", "root:x:0:0:hidden\n");
  for (const std::string& name :
       {elsewhere.string(), std::string("../elsewhere.csv"), std::string("a/../../elsewhere.csv")}) {
    write("m/model.toml", replaced(kToml, "states.csv", name));
    EXPECT_NE(message([&] { model(); }).find("the model names a file outside its folder"), std::string::npos)
        << name;
  }
  fs::create_directories(path("m/a"));
  write("m/model.toml", replaced(kToml, "states.csv", "a/../states.csv"));
  EXPECT_EQ(model(), wanted);  // does not leave it
  {
    const AllowOutside allowed;
    write("m/model.toml", replaced(kToml, "states.csv", elsewhere.string()));
    EXPECT_EQ(model(), wanted);
    write("m/model.toml", replaced(kToml, "states.csv", secret.string()));
    const std::string said = message([&] { model(); });
    EXPECT_EQ(said.find("root"), std::string::npos) << said;
    EXPECT_NE(said.find("secret:1: the file is not what the model takes it for"), std::string::npos) << said;
  }
  // Nor through a link.
  write("m/model.toml", kToml);
  fs::remove(path("m/states.csv"));
  fs::create_symlink(secret, path("m/states.csv"));
  EXPECT_EQ(message([&] { model(); }).find("root"), std::string::npos);
  fs::remove(path("m/states.csv"));
  fs::create_symlink(elsewhere, path("m/states.csv"));
  EXPECT_EQ(model(), wanted);
}

TEST_F(ModelFolder, StateErrors) {
  EXPECT_EQ(with("states.csv", ""), "m/states.csv: the file is empty, expected a header with name");
  EXPECT_EQ(with("states.csv", "name\n"), "m/states.csv: the model has no states");
  EXPECT_EQ(with("states.csv", "state\nleft\n"),
            "m/states.csv:1: the header has an unknown column; known are name,group,x,y,start (got 'state')");
  EXPECT_EQ(with("states.csv", "group\nleft\n"), "m/states.csv:1: the header lacks the column 'name'");
  EXPECT_EQ(with("states.csv", "name,x\nleft,1\n"),
            "m/states.csv:1: the header lacks the column 'y': coordinates need both x and y");
  EXPECT_EQ(with("states.csv", "name\nleft\nright\nleft\n"),
            "m/states.csv:4: the state name occurs twice (got 'left')");
  EXPECT_EQ(with("states.csv", "name\nleft\n\nright\n"), "m/states.csv:3: the state name is empty");
  EXPECT_EQ(with("states.csv", "name,start\nleft,0.5\nright,0.4\n"),
            "m/states.csv: the start probabilities must sum to 1 (got '0.9')");
  EXPECT_EQ(with("states.csv", "name,start\nleft,1.5\nright,-0.5\n"),
            "m/states.csv:2: state 'left': the start probability must be from 0 to 1 (got '1.5')");
  EXPECT_EQ(with("states.csv", "name,start\nleft,\nright,1\n"),
            "m/states.csv:2: the start probability is empty, expected a number");
  EXPECT_EQ(with("states.csv", "name,x,y\nleft,1,inf\n"),
            "m/states.csv:2: state 'left': the y coordinate must be finite (got 'inf')");
  EXPECT_EQ(with("states.csv", "name\nleft\nright\nup\n"),
            "m/states.csv:4: state 'up': the state has no available action in m/rewards.csv");
  EXPECT_EQ(with("states.csv", "name\nleft\nri\xffght\n"),
            "m/states.csv:3: the state name must be valid UTF-8 without NUL bytes (got 'ri\\xffght')");
  EXPECT_EQ(with("states.csv", std::string_view("name\nleft\nri\0ght\n", 17)),
            "m/states.csv:3: the state name must be valid UTF-8 without NUL bytes (got 'ri\\x00ght')");
}

TEST_F(ModelFolder, RewardErrors) {
  const std::string head = "state,action,reward\n";
  EXPECT_EQ(with("rewards.csv", ""),
            "m/rewards.csv: the file is empty, expected a header with state,action,reward");
  EXPECT_EQ(with("rewards.csv", head),
            "m/states.csv:2: state 'left': the state has no available action in m/rewards.csv");
  EXPECT_EQ(with("rewards.csv", "state,action\n"), "m/rewards.csv:1: the header lacks the column 'reward'");
  EXPECT_EQ(with("rewards.csv", head + "up,stay,1\n"), "m/rewards.csv:2: the state is unknown (got 'up')");
  EXPECT_EQ(with("rewards.csv", head + "1,stay,1\n"), "m/rewards.csv:2: the state is unknown (got '1')");
  EXPECT_EQ(with("rewards.csv", head + "left,fly,1\n"),
            "m/rewards.csv:2: state 'left': the action is unknown (got 'fly')");
  EXPECT_EQ(with("rewards.csv", head + ",go,1\n"), "m/rewards.csv:2: the state is empty, expected a name");
  EXPECT_EQ(with("rewards.csv", head + "left,,1\n"), "m/rewards.csv:2: the action is empty, expected a name");
  EXPECT_EQ(with("rewards.csv", head + "left,go,inf\n"),
            "m/rewards.csv:2: state 'left', action 'go': the reward must be finite (got 'inf')");
  EXPECT_EQ(with("rewards.csv", head + "left,go,\n"),
            "m/rewards.csv:2: the reward is empty, expected a number");
  EXPECT_EQ(with("rewards.csv", head + "left,go,1e999\n"),
            "m/rewards.csv:2: the reward is beyond the range of numbers (got '1e999')");
  EXPECT_EQ(with("rewards.csv", std::string(kRewards) + "left,go,3\n"),
            "m/rewards.csv:5: state 'left', action 'go': the pair has a second reward");
  EXPECT_EQ(with("rewards.csv", std::string(kRewards) + "right,go,3\n"),
            "m/rewards.csv:5: state 'right', action 'go': the pair has a reward, but no transitions in "
            "m/transitions.csv");
  EXPECT_EQ(with("rewards.csv", "state,action,reward,variance\nleft,stay,1,-1\n"),
            "m/rewards.csv:2: state 'left', action 'stay': a reward variance must be finite and zero or more "
            "(0, or from 1e-200 to 1e200) (got '-1')");
  EXPECT_EQ(with("rewards.csv", "state,action,reward,variance\nleft,stay,1,\n"),
            "m/rewards.csv:2: state 'left', action 'stay': the variance is empty, and the model states no "
            "[observation] reward_variance");
}

TEST_F(ModelFolder, TransitionErrors) {
  const std::string head = "state,action,next_state,probability\n", good(kTransitions);
  EXPECT_EQ(
      with("transitions.csv", ""),
      "m/transitions.csv: the file is empty, expected a header with state,action,next_state,probability");
  EXPECT_EQ(with("transitions.csv", head),
            "m/rewards.csv:2: state 'left', action 'stay': the pair has a reward, but no transitions in "
            "m/transitions.csv");
  EXPECT_EQ(with("transitions.csv", head + "left,stay,up,1\n"),
            "m/transitions.csv:2: state 'left', action 'stay': the next state is unknown (got 'up')");
  EXPECT_EQ(with("transitions.csv", head + "up,stay,left,1\n"),
            "m/transitions.csv:2: the state is unknown (got 'up')");
  EXPECT_EQ(with("transitions.csv", head + "left,fly,left,1\n"),
            "m/transitions.csv:2: state 'left': the action is unknown (got 'fly')");
  EXPECT_EQ(
      with("transitions.csv", head + "left,stay,left,-0.5\n"),
      "m/transitions.csv:2: state 'left', action 'stay': the probability must be from 0 to 1 (got '-0.5')");
  EXPECT_EQ(
      with("transitions.csv", head + "left,stay,left,nan\n"),
      "m/transitions.csv:2: state 'left', action 'stay': the probability must be from 0 to 1 (got 'nan')");
  EXPECT_EQ(with("transitions.csv", head + "left,stay,left,1.0x\n"),
            "m/transitions.csv:2: the probability is not a number (got '1.0x')");
  EXPECT_EQ(with("transitions.csv", head + "left,stay,left\n"),
            "m/transitions.csv:2: the line has 3 fields, expected 4");
  EXPECT_EQ(with("transitions.csv", good + "right,go,left,1\n"),
            "m/transitions.csv:6: state 'right', action 'go': the pair has transitions, but no reward in "
            "m/rewards.csv");
  EXPECT_EQ(
      with("transitions.csv", replaced(good, "0.75", "0.7")),
      "m/transitions.csv:3: state 'left', action 'go': transition probabilities must sum to 1 (got '0.95')");
  EXPECT_EQ(with("transitions.csv", replaced(good, "0.75", "0.750000002")),
            "m/transitions.csv:3: state 'left', action 'go': transition probabilities must sum to 1 (got "
            "'1.000000002')");
  EXPECT_EQ(with("transitions.csv", replaced(good, "0.75", "0.7500000009")), "no error");
  EXPECT_EQ(with("transitions.csv", replaced(good, "left,go,left", "\"left,go,left")),
            "m/transitions.csv:3: a quoted field does not end");
}

TEST_F(ModelFolder, GarbageAndHugeLines) {
  std::string garbage;
  std::mt19937_64 random(7);
  for (int i = 0; i < 10000; ++i) garbage += static_cast<char>(random());
  for (const char* file : {"model.toml", "states.csv", "rewards.csv", "transitions.csv"}) {
    EXPECT_NE(with(file, garbage), "no error");
    EXPECT_LT(with(file, garbage).size(), 500u);
  }
  std::string huge, digits;
  huge.append(100'000'000, 'x');
  digits.append(100'000'000, '1');
  EXPECT_EQ(with("transitions.csv", "state,action,next_state,probability\nleft,stay," + huge + ",1\n"),
            "m/transitions.csv:2: state 'left', action 'stay': the next state is unknown (got '" +
                std::string(60, 'x') + "...')");
  EXPECT_EQ(
      with("rewards.csv", "state,action,reward\nleft,stay," + digits + "\n"),
      "m/rewards.csv:2: the reward is beyond the range of numbers (got '" + std::string(60, '1') + "...')");
}

TEST_F(ModelFolder, WritesCanonically) {
  write("m/states.csv", "name,group\n\"le\"\"ft\",a\n\"r,t\",\n");
  write("m/rewards.csv", "state,action,reward\n\"r,t\",stay,0.1\n\"le\"\"ft\",stay,-0\n");
  write("m/transitions.csv",
        "state,action,next_state,probability\n\"r,t\",stay,\"r,t\",1\n\"le\"\"ft\",stay,\"r,t\",0."
        "7\n\"le\"\"ft\",stay,"
        "\"le\"\"ft\",0.3\n");
  write_model(model(), path("out"));
  EXPECT_EQ(listing(folder_ / "out"),
            (std::vector<std::string>{"model.toml", "rewards.csv", "states.csv", "transitions.csv"}));
  EXPECT_EQ(read(path("out/states.csv")), "name,group\n\"le\"\"ft\",a\n\"r,t\",\n");
  EXPECT_EQ(read(path("out/rewards.csv")), "state,action,reward\n\"le\"\"ft\",stay,-0\n\"r,t\",stay,0.1\n");
  EXPECT_EQ(read(path("out/transitions.csv")),
            "state,action,next_state,probability\n\"le\"\"ft\",stay,\"le\"\"ft\",0.3\n\"le\"\"ft\",stay,\"r,"
            "t\",0.7\n"
            "\"r,t\",stay,\"r,t\",1\n");
  EXPECT_EQ(read(path("out/model.toml")), kToml);
}

TEST_F(ModelFolder, OverwritesModelsAndEmptyFoldersOnly) {
  const Model model = this->model();
  fs::create_directory(path("out"));
  write_model(model, path("out/"));
  EXPECT_EQ(read_model(path("out")), model);
  write("out/notes.txt", "mine");
  Model other = model;
  other.name = "other";
  other.coverage = {1, 2, 3};
  write_model(other, path("out"));
  EXPECT_EQ(read_model(path("out")).name, "other");
  EXPECT_EQ(listing(path("out")), (std::vector<std::string>{"coverage.csv", "model.toml", "notes.txt",
                                                            "rewards.csv", "states.csv", "transitions.csv"}));
  EXPECT_EQ(read(path("out/coverage.csv")), "state,action,count\nleft,stay,1\nleft,go,2\nright,stay,3\n");
  other.coverage_is_sampled = true;
  write_model(other, path("sampled"));
  EXPECT_EQ(read(path("sampled/samples.csv")), read(path("out/coverage.csv")));
  EXPECT_FALSE(fs::exists(path("sampled/coverage.csv")));
  write("foreign/notes.txt", "mine");
  EXPECT_EQ(message([&] { write_model(model, path("foreign")); }),
            "foreign: holds files but no model.toml; not overwritten");
  EXPECT_EQ(listing(path("foreign")), std::vector<std::string>{"notes.txt"});
  EXPECT_EQ(message([&] { write_model(model, path("foreign/notes.txt")); }),
            "foreign/notes.txt: is a file, but a folder is to be written");
}

TEST_F(ModelFolder, AFailedWriteLeavesNothing) {
  const Model model = this->model();
  EXPECT_EQ(message([&] { write_model(model, path("no/such/out")); }),
            "no/such/out: cannot write: No such file or directory");
  const std::vector<std::string> before = listing(folder_);
  write_model(model, path("out"));
  fs::remove(path("out/rewards.csv"));
  fs::create_directory(path("out/rewards.csv"));  // in the way
  const std::vector<std::string> blocked = listing(folder_);
  EXPECT_EQ(message([&] { write_model(model, path("out")); }),
            "out/rewards.csv: is a folder, but a file is to be written");
  EXPECT_EQ(listing(folder_), blocked);
  Model bad = model;
  bad.variance = {1, -1, 1};
  EXPECT_EQ(message([&] { write_model(bad, path("new")); }),
            "state 'left', action 'go': a reward variance must be finite and zero or more (0, or from 1e-200 "
            "to 1e200) (got '-1')");
  bad = model;
  bad.name = "\xff";
  EXPECT_EQ(message([&] { write_model(bad, path("new")); }),
            "the model's name must be valid UTF-8 without NUL bytes (got '\\xff')");
  bad = model;
  bad.prior.emplace().pair_reward_sd = {1};
  EXPECT_EQ(message([&] { write_model(bad, path("new")); }),
            "reward_sd has 1 entries, but there are 3 pairs");
  EXPECT_EQ(listing(folder_), blocked);
}

TEST_F(ModelFolder, UnnamedModelsGetTheirNumbersAsNames) {
  RandomModels random(3);
  const Model unnamed = random.next(false);
  write_model(unnamed, path("out"));
  const Model named = read_model(path("out"));
  EXPECT_EQ(named.mdp.labels().states[0], "0");
  EXPECT_EQ(named.mdp.actions(), unnamed.mdp.actions());
  EXPECT_TRUE(same_bits(named.mdp.probability(), unnamed.mdp.probability()));
  write_model(named, path("again"));
  EXPECT_TRUE(same_bits(read_model(path("again")), named));
}

RC_GTEST_FIXTURE_PROP(ModelFolder, RoundTripsBitForBit, (std::uint64_t seed)) {
  const Model model = RandomModels(seed).next();
  write_model(model, path("first"));
  RC_ASSERT(same_bits(read_model(path("first")), model));
  write_model(model, path("file.h5"));
  write_model(read_model(path("file.h5")), path("second"));
  for (const std::string& name : listing(path("first"))) {
    RC_ASSERT(read(path("first") / name) == read(path("second") / name));
  }
}

}  // namespace model_folder_test
}  // namespace mindgap::files
