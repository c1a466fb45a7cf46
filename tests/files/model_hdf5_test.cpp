#include "mindgap/files/model_hdf5.h"
#include "mindgap/files/model_file.h"

#include <gtest/gtest.h>
#include <hdf5.h>
#include <rapidcheck/gtest.h>

#include <csignal>
#include <cstdlib>
#include <ctime>
#include <functional>

#include "files/files.h"
#include "files/raw_hdf5.h"
#include "mindgap/files/isolation.h"
#include "mindgap/mdp/builder.h"

namespace mindgap::files {

using namespace mdp;  // what these files hold
namespace model_hdf5_test {

namespace fs = std::filesystem;

class ModelHdf5 : public FileTest {
 protected:
  static Model small() {
    MdpBuilder builder(0.5);
    builder.add_state("left");
    builder.add_state("right");
    builder.add_action("stay");
    builder.add_action("go");
    builder.set_reward(0, 0, 0);
    builder.set_reward(0, 1, -1);
    builder.set_reward(1, 0, 2);
    builder.add_transition(0, 0, 0, 1);
    builder.add_transition(0, 1, 0, 0.25);
    builder.add_transition(0, 1, 1, 0.75);
    builder.add_transition(1, 0, 1, 1);
    return {.name = "two rooms", .mdp = builder.build()};
  }

  /// The same model as another program might write it: wide and narrow types, states and actions in no order.
  void write_foreign(const fs::path& path) {
    RawFile file(path);
    file.attribute("format", "mindgap-model/1");
    file.attribute("name", "two rooms");
    file.attribute("discount", 0.5);
    file.attribute("_NCProperties", "some tool's");
    file.strings("state_names", {"left", "right"});
    file.strings("action_names", {"stay", "go"});
    file.ints("state_of_row", {1, 0, 0}, H5T_STD_U8LE);
    file.ints("action_of_row", {0, 1, 0}, H5T_STD_I32BE);
    file.ints("indptr", {0, 1, 4, 5}, H5T_STD_I32LE);
    file.ints("indices", {1, 1, 0, 0, 0}, H5T_STD_I64LE);
    file.put("data", H5T_IEEE_F32LE, std::vector<double>{1, 0.75, 0.125, 0.125, 1}, H5T_NATIVE_DOUBLE);
    file.ints("reward", {2, -1, 0}, H5T_STD_I16LE);
  }

  /// The message after a good foreign file was changed.
  std::string after(const std::function<void(RawFile&)>& change) {
    write_foreign(path("f.h5"));
    {
      RawFile file(path("f.h5"), nullptr);
      change(file);
    }
    return message([&] { read_model(path("f.h5")); });
  }
};

TEST_F(ModelHdf5, ReadsWhatOthersWrite) {
  write_foreign(path("f.h5"));
  EXPECT_EQ(read_model(path("f.h5")), small());
}

TEST_F(ModelHdf5, PermutesEverythingPerPair) {
  EXPECT_EQ(after([](RawFile& file) {
              file.doubles("variance", {3, 2, 1});
              file.doubles("coverage", {30, 20, 10});
              file.doubles("reward_sd", {0.3, 0.2, 0.1});
              const double strength = 7;
              file.put("transition_strength", H5T_IEEE_F64LE, H5Screate(H5S_SCALAR), H5T_NATIVE_DOUBLE,
                       &strength);
              file.attribute("odds", 2);
            }),
            "no error");
  Model wanted = small();
  wanted.variance = {1, 2, 3};
  wanted.coverage = {10, 20, 30};
  wanted.prior = PriorSpec{.transition_strength = 7, .pair_reward_sd = {0.1, 0.2, 0.3}, .odds = 2};
  EXPECT_EQ(read_model(path("f.h5")), wanted);
}

TEST_F(ModelHdf5, KeepsWhoseTheCountsAre) {
  Model model = small();
  model.coverage = {10, 20, 30};
  model.coverage_is_sampled = true;
  write_model(model, path("a.h5"));
  EXPECT_TRUE(read_model(path("a.h5")).coverage_is_sampled);
  EXPECT_EQ(read_model(path("a.h5")), model);
  // Without the attribute, as in older files, and with 0 they are history's.
  const auto counts = [](RawFile& file) { file.doubles("coverage", {30, 20, 10}); };
  EXPECT_EQ(after(counts), "no error");
  EXPECT_FALSE(read_model(path("f.h5")).coverage_is_sampled);
  const auto said = [&](double flag) {
    return after([&](RawFile& file) {
      counts(file);
      file.attribute("coverage_is_sampled", flag);
    });
  };
  EXPECT_EQ(said(0), "no error");
  EXPECT_FALSE(read_model(path("f.h5")).coverage_is_sampled);
  EXPECT_EQ(said(1), "no error");
  EXPECT_TRUE(read_model(path("f.h5")).coverage_is_sampled);
  EXPECT_EQ(said(2), "f.h5: the attribute 'coverage_is_sampled' must be 0 or 1 (got '2')");
  EXPECT_EQ(after([](RawFile& file) { file.attribute("coverage_is_sampled", 1); }),
            "f.h5: coverage_is_sampled says what the counts are of, but the model has no coverage");
}

TEST_F(ModelHdf5, ReadsCompressedAndFixedLengthData) {
  EXPECT_EQ(after([](RawFile& file) {
              const hid_t chunked = H5Pcreate(H5P_DATASET_CREATE);
              const hsize_t chunk = 2;
              H5Pset_chunk(chunked, 1, &chunk);
              H5Pset_deflate(chunked, 9);
              file.put("data", H5T_IEEE_F64BE, std::vector<double>{1, 0.75, 0.125, 0.125, 1},
                       H5T_NATIVE_DOUBLE, chunked);
              H5Pclose(chunked);
              const hid_t type = H5Tcopy(H5T_C_S1);
              H5Tset_size(type, 6);
              H5Tset_strpad(type, H5T_STR_SPACEPAD);
              const hsize_t size = 2;
              file.put("state_names", type, H5Screate_simple(1, &size, nullptr), type, "left  right ");
              H5Tclose(type);
            }),
            "no error");
  EXPECT_EQ(read_model(path("f.h5")), small());
}

TEST_F(ModelHdf5, AModelWithoutNamesStaysWithout) {
  RandomModels random(5);
  for (int i = 0; i < 50; ++i) {
    Model model = random.next(false);
    if (random.coin()) model.coverage = random.numbers(static_cast<std::size_t>(model.mdp.pairs()));
    write_model(model, path("a.h5"));
    EXPECT_TRUE(same_bits(read_model(path("a.h5")), model));
  }
}

RC_GTEST_FIXTURE_PROP(ModelHdf5, RoundTripsBitForBit, (std::uint64_t seed)) {
  Model model = RandomModels(seed).next();
  if (seed % 2 == 0) model.coverage = RandomModels(seed).numbers(static_cast<std::size_t>(model.mdp.pairs()));
  write_model(model, path("a.h5"));
  RC_ASSERT(same_bits(read_model(path("a.h5")), model));
  write_model(read_model(path("a.h5")), path("b.hdf5"));
  RC_ASSERT(same_bits(read_model(path("b.hdf5")), model));
  const std::string bytes = read(path("a.h5"));
  RC_ASSERT(same_bits(parse_model_hdf5(std::as_bytes(std::span(bytes)), "memory"), model));
}

TEST_F(ModelHdf5, LongNamesAndTexts) {
  Model model = small();
  model.name = std::string(200'000, 'n');
  write_model(model, path("a.h5"));
  EXPECT_EQ(read_model(path("a.h5")), model);
  MdpBuilder builder(0.5);
  for (int s = 0; s < 200; ++s) builder.add_state(std::string(s == 0 ? 10'000 : 1, 'l') + std::to_string(s));
  builder.add_action("wait");
  for (int s = 0; s < 200; ++s) {
    builder.set_reward(s, 0, 0);
    builder.add_transition(s, 0, s, 1);
  }
  const Model uneven{.name = "", .mdp = builder.build()};
  write_model(uneven, path("b.h5"));
  EXPECT_EQ(read_model(path("b.h5")), uneven);
  EXPECT_LT(fs::file_size(path("b.h5")), 100'000u);
}

TEST_F(ModelHdf5, FilesThatAreNotHdf5) {
  write("a.h5", "");
  EXPECT_EQ(message([&] { read_model(path("a.h5")); }), "a.h5: the file is empty, expected an HDF5 file");
  write("a.h5", "name\nleft\n");
  EXPECT_EQ(message([&] { read_model(path("a.h5")); }),
            "a.h5: is not an HDF5 file (a model is one, or a folder with model.toml)");
  write_model(small(), path("good.h5"));
  const std::string bytes = read(path("good.h5"));
  write("a.h5", bytes.substr(0, bytes.size() - 100));
  EXPECT_EQ(message([&] { read_model(path("a.h5")); }),
            "a.h5: cannot be opened as HDF5; the file may be truncated or damaged");
  write("a.h5", bytes.substr(0, 20));
  EXPECT_EQ(message([&] { read_model(path("a.h5")); }),
            "a.h5: cannot be opened as HDF5; the file may be truncated or damaged");
  EXPECT_EQ(message([&] { read_model(path("none.h5")); }), "none.h5: no such file or folder");
  fs::create_directory(path("dir.h5"));
  EXPECT_EQ(message([&] { write_model(small(), path("dir.h5")); }),
            "dir.h5: is a folder, but a file is to be written");
}

TEST_F(ModelHdf5, DamagedFilesGiveAModelOrAnError) {
  write_foreign(path("good.h5"));
  const std::string good = read(path("good.h5"));
  std::mt19937_64 random(11);
  for (int i = 0; i < 60; ++i) {
    std::string bytes = good;
    for (int flips = 0; flips < 4; ++flips)
      bytes[8 + random() % (bytes.size() - 8)] ^= static_cast<char>(random());
    write("a.h5", bytes);
    message([&] { read_model(path("a.h5")); });
  }
}

TEST(Isolation, TellsCrashesAndLoopsFromExceptions) {
  EXPECT_TRUE(comes_through([](const GoesOn&) {}, 1));
  EXPECT_TRUE(comes_through([](const GoesOn&) { throw StoreError("no"); }, 1));
  EXPECT_FALSE(comes_through([](const GoesOn&) { std::abort(); }, 1));
  EXPECT_FALSE(comes_through([](const GoesOn&) { std::raise(SIGSEGV); }, 1));
  EXPECT_FALSE(comes_through(
      [](const GoesOn&) {
        const volatile bool forever = true;
        while (forever) {
        }
      },
      1));
}

// Long work that goes on comes through; an endless loop does not, however little time went before it.
TEST(Isolation, LimitsTheTimeWithoutProgress) {
  const auto work = [](double seconds) {
    const std::clock_t end = std::clock() + static_cast<std::clock_t>(seconds * CLOCKS_PER_SEC);
    while (std::clock() < end) {
    }
  };
  EXPECT_TRUE(comes_through(
      [&](const GoesOn& goes_on) {
        // Far from the limit of a second: it counts by ticks, of which a busy machine may give one too many.
        for (int piece = 0; piece < 10; ++piece) {
          work(.2);
          goes_on(0);
        }
      },
      0));
  EXPECT_FALSE(comes_through(
      [&](const GoesOn& goes_on) {
        goes_on(0);
        work(5);
      },
      30));
}

TEST_F(ModelHdf5, MissingAndUnknownParts) {
  EXPECT_EQ(message([&] {
              RawFile(path("a.h5"));
              read_model(path("a.h5"));
            }),
            "a.h5: the attribute 'format' is missing");
  EXPECT_EQ(after([](RawFile& f) { f.attribute("format", "other/1"); }),
            "f.h5: the format must be 'mindgap-model/1' (got 'other/1')");
  EXPECT_EQ(after([](RawFile& f) { f.attribute("format", 1); }),
            "f.h5: the attribute 'format' must be a string");
  EXPECT_EQ(after([](RawFile& f) { f.remove_attribute("discount"); }),
            "f.h5: the attribute 'discount' is missing");
  EXPECT_EQ(after([](RawFile& f) { f.attribute("discount", "x"); }),
            "f.h5: the attribute 'discount' must be a number");
  EXPECT_EQ(after([](RawFile& f) { f.attribute("discount", 2); }),
            "f.h5: the discount must be from 0 to 1 (got '2')");
  EXPECT_EQ(after([](RawFile& f) { f.attribute("gamma", 1); }), "f.h5: unknown attribute (got 'gamma')");
  EXPECT_EQ(after([](RawFile& f) { f.doubles("rewards", {1}); }), "f.h5: unknown dataset (got 'rewards')");
  for (const char* name : {"state_of_row", "action_of_row", "indptr", "indices", "data", "reward"}) {
    EXPECT_EQ(after([&](RawFile& f) { f.remove(name); }),
              std::string("f.h5: the dataset '") + name + "' is missing");
  }
}

TEST_F(ModelHdf5, WrongShapesAndTypes) {
  EXPECT_EQ(after([](RawFile& f) {
              const hsize_t size[] = {1, 3};
              f.put("reward", H5T_IEEE_F64LE, H5Screate_simple(2, size, nullptr), H5T_NATIVE_DOUBLE, nullptr);
            }),
            "f.h5: dataset 'reward' has rank 2, expected 1");
  EXPECT_EQ(after([](RawFile& f) {
              f.put("reward", H5T_IEEE_F64LE, H5Screate(H5S_SCALAR), H5T_NATIVE_DOUBLE, nullptr);
            }),
            "f.h5: dataset 'reward' has rank 0, expected 1");
  EXPECT_EQ(after([](RawFile& f) {
              f.doubles("reward", {1, 2});
            }),
            "f.h5: dataset 'reward' has 2 entries, expected 3");
  EXPECT_EQ(after([](RawFile& f) {
              f.doubles("indices", {1, 1, 0, 0, 0});
            }),
            "f.h5: dataset 'indices' must hold integers");
  EXPECT_EQ(after([](RawFile& f) {
              f.strings("data", {"a", "b", "c", "d", "e"});
            }),
            "f.h5: dataset 'data' must hold numbers");
  EXPECT_EQ(after([](RawFile& f) {
              f.ints("state_names", {1, 2});
            }),
            "f.h5: dataset 'state_names' must hold strings");
  EXPECT_EQ(after([](RawFile& f) {
              f.ints("data", {1, 2});
            }),
            "f.h5: dataset 'data' has 2 entries, expected 5");
  EXPECT_EQ(after([](RawFile& f) { f.ints("state_of_row", {}); }),
            "f.h5: the model has no states: 'state_of_row' is empty");
  EXPECT_EQ(after([](RawFile& f) {
              f.remove("reward");
              H5Gclose(H5Gcreate2(f.id(), "reward", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
            }),
            "f.h5: 'reward' is not a dataset");
  EXPECT_EQ(after([](RawFile& f) {
              f.strings("state_names", {"left", "left"});
            }),
            "f.h5: the state name occurs twice (got 'left')");
  EXPECT_EQ(after([](RawFile& f) {
              f.strings("state_names", {"left", ""});
            }),
            "f.h5: the state name is empty, in dataset 'state_names' at 1");
}

TEST_F(ModelHdf5, ClaimsBeyondTheFile) {
  const hsize_t huge = hsize_t{1} << 50;
  const std::string wanted =
      "f.h5: dataset 'data' claims 1125899906842624 elements, more than the file can hold";
  const auto claim = [&](RawFile& f, bool deflate) {
    const hid_t chunked = H5Pcreate(H5P_DATASET_CREATE);
    const hsize_t chunk = 1024;
    H5Pset_chunk(chunked, 1, &chunk);
    if (deflate) H5Pset_deflate(chunked, 9);
    f.put("data", H5T_IEEE_F64LE, H5Screate_simple(1, &huge, nullptr), H5T_NATIVE_DOUBLE, nullptr, chunked);
    H5Pclose(chunked);
  };
  EXPECT_EQ(after([&](RawFile& f) { claim(f, false); }), wanted);
  EXPECT_EQ(after([&](RawFile& f) { claim(f, true); }), wanted);
  EXPECT_EQ(after([&](RawFile& f) {
              f.put("data", H5T_IEEE_F64LE, H5Screate_simple(1, &huge, nullptr), H5T_NATIVE_DOUBLE, nullptr);
            }),
            wanted);
}

TEST_F(ModelHdf5, NothingIsReadFromOtherFiles) {
  write("secret", std::string(40, 'x'));
  EXPECT_EQ(after([&](RawFile& f) {
              const hid_t create = H5Pcreate(H5P_DATASET_CREATE);
              H5Pset_external(create, path("secret").c_str(), 0, 40);
              const hsize_t size = 5;
              f.put("data", H5T_IEEE_F64LE, H5Screate_simple(1, &size, nullptr), H5T_NATIVE_DOUBLE, nullptr,
                    create);
              H5Pclose(create);
            }),
            "f.h5: dataset 'data' keeps its data in other files");
  EXPECT_EQ(after([&](RawFile& f) {
              f.remove("data");
              H5Lcreate_external(path("secret").c_str(), "/data", f.id(), "data", H5P_DEFAULT, H5P_DEFAULT);
            }),
            "f.h5: 'data' is a link, expected a dataset");
}

TEST_F(ModelHdf5, WrongContent) {
  EXPECT_EQ(after([](RawFile& f) {
              f.ints("state_of_row", {1, 0, 2});
            }),
            "f.h5: 'state_of_row' at 2 is 2, but must be from 0 to 1");
  EXPECT_EQ(after([](RawFile& f) {
              f.ints("state_of_row", {0, 1, 0});
            }),
            "f.h5: the rows of a state must be adjacent; 'state_of_row' at 2 comes back to 0");
  EXPECT_EQ(after([](RawFile& f) {
              f.ints("action_of_row", {0, 1, -1});
            }),
            "f.h5: 'action_of_row' at 2 is -1, but must be from 0 to 1");
  EXPECT_EQ(after([](RawFile& f) {
              f.ints("action_of_row", {0, 1, 1});
            }),
            "f.h5: the pair of state 0 and action 1 has two rows");
  EXPECT_EQ(after([](RawFile& f) {
              f.ints("indptr", {0, 1, 4, 6});
            }),
            "f.h5: 'indptr' must run from 0 to 5, the size of 'indices'; it runs from 0 to 6");
  EXPECT_EQ(after([](RawFile& f) { f.ints("indptr", {0, 4, 1, 5}); }), "f.h5: 'indptr' decreases after 1");
  EXPECT_EQ(after([](RawFile& f) {
              f.ints("indices", {1, 7, 0, 0, 0});
            }),
            "f.h5: state 'left', action 'go': next state 7 does not exist");
  EXPECT_EQ(after([](RawFile& f) {
              f.doubles("data", {1, 0.5, 0.25, 0, 1});
            }),
            "f.h5: state 'left', action 'go': transition probabilities must sum to 1 (got '0.75')");
  EXPECT_EQ(after([](RawFile& f) {
              f.doubles("reward", {2, INFINITY, 0});
            }),
            "f.h5: state 'left', action 'go': the reward must be finite (got 'inf')");
  EXPECT_EQ(after([](RawFile& f) {
              f.doubles("variance", {2, -1, 0});
            }),
            "f.h5: state 'left', action 'go': a reward variance must be finite and zero or more (0, or from "
            "1e-200 to 1e200) (got '-1')");
  EXPECT_EQ(after([](RawFile& f) {
              f.doubles("start", {0.5, 0.25});
            }),
            "f.h5: the start probabilities must sum to 1 (got '0.75')");
  EXPECT_EQ(after([](RawFile& f) {
              f.doubles("x", {0.5, 0.25});
            }),
            "f.h5: coordinates x and y must be given together");
  EXPECT_EQ(after([](RawFile& f) { f.attribute("odds", 0.5); }),
            "f.h5: odds must be finite and 1 or more (got '0.5')");
  EXPECT_EQ(after([](RawFile& f) {
              f.remove("action_names");
              f.ints("action_of_row", {0, 2'000'000'000, 1});
            }),
            "f.h5: 'action_of_row' at 1 is 2000000000, but must be from 0 to 999999");
  EXPECT_EQ(after([](RawFile& f) { f.strings("state_groups", {"a"}); }),
            "f.h5: groups has 1 entries, expected 2");
}

TEST_F(ModelHdf5, AFailedWriteLeavesNothing) {
  Model bad = small();
  bad.coverage = {1};
  const std::vector<std::string> before = listing(folder_);
  EXPECT_EQ(message([&] { write_model(bad, path("a.h5")); }),
            "coverage has 1 entries, but there are 3 pairs");
  EXPECT_EQ(message([&] { write_model(small(), path("no/a.h5")); }),
            "no/a.h5: cannot write (no such folder, or no permission)");
  EXPECT_EQ(listing(folder_), before);
  write_model(small(), path("a.h5"));
  EXPECT_EQ(listing(folder_), std::vector<std::string>{"a.h5"});
}

}  // namespace model_hdf5_test
}  // namespace mindgap::files
