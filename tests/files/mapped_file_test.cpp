#include "mindgap/files/mapped_file.h"

#include <gtest/gtest.h>
#include <hdf5.h>

#include "files/files.h"
#include "files/raw_hdf5.h"
#include "mindgap/files/model_file.h"
#include "mindgap/files/model_hdf5.h"

namespace mindgap::files {

using namespace mdp;  // what these files hold
namespace mapped_file_test {

namespace fs = std::filesystem;

class Mapped : public FileTest {
 protected:
  // Each state goes to three others, by one or two actions; large enough for many pages.
  static Model walk(std::int32_t states) {
    MdpArrays arrays{.discount = .9, .pair_begin = {0}, .row_begin = {0}};
    arrays.actions = 2;
    for (std::int32_t s = 0; s < states; ++s) {
      for (std::int32_t a = 0; a <= s % 2; ++a) {
        std::vector<std::int32_t> next{s, (s + 1) % states, (s + 7 + a) % states};
        std::sort(next.begin(), next.end());
        arrays.next_state.insert(arrays.next_state.end(), next.begin(), next.end());
        arrays.probability.insert(arrays.probability.end(), {.25, .25, .5});
        arrays.pair_action.push_back(a);
        arrays.reward.push_back(s % 13 + a);
        arrays.row_begin.push_back(static_cast<std::int64_t>(arrays.next_state.size()));
      }
      arrays.pair_begin.push_back(static_cast<std::int32_t>(arrays.pair_action.size()));
    }
    return {.name = "walk", .mdp = Mdp(std::move(arrays))};
  }

  static double sum_of(const Mdp& mdp) {
    double sum = 0;
    for (const double p : mdp.probability()) sum += p;
    for (const std::int32_t s : mdp.next_state()) sum += s;
    return sum;
  }
};

TEST_F(Mapped, ModelsAreTheSameAsThoseInMemory) {
  for (const std::int32_t states : {8, 501, 5000}) {
    write_model(walk(states), path("m.h5"));
    const Model mapped = map_model_hdf5(path("m.h5"));
    EXPECT_TRUE(same_bits(mapped, read_model(path("m.h5"))));
    const MappedFile same(path("m.h5"));
    EXPECT_FALSE(same.contains(mapped.mdp.probability().data()));  // another mapping of the same file
    check_mapped_files();
  }
}

TEST_F(Mapped, NumbersStayInTheFile) {
  write_model(walk(5000), path("m.h5"));
  const MappedFile file(path("m.h5"));
  const auto bytes = file.array<std::uint8_t>(0, 8);
  EXPECT_TRUE(file.contains(bytes.values().data()));
  EXPECT_EQ(bytes.values()[1], 'H');
  EXPECT_THROW(file.array<double>(0, std::size_t{1} << 40), StoreError);
  EXPECT_THROW(file.array<double>(fs::file_size(path("m.h5")), 1), StoreError);
  EXPECT_THROW(MappedFile(path("none.h5")), StoreError);
}

// Without the guard this ends the test program with SIGBUS.
TEST_F(Mapped, AFileThatIsCutIsAnErrorAndNoCrash) {
  write_model(walk(50'000), path("m.h5"));
  {
    const Model model = map_model_hdf5(path("m.h5"));
    const double sum = sum_of(model.mdp);
    fs::resize_file(path("m.h5"), 8192);
    EXPECT_LT(sum_of(model.mdp), sum);
    EXPECT_EQ(message([] { check_mapped_files(); }),
              "m.h5: the file became shorter, or could not be read, while it was being used");
    EXPECT_LT(sum_of(model.mdp), sum);  // and again
  }
  check_mapped_files();  // nobody uses it any more
}

TEST_F(Mapped, AFileThatIsWrittenToIsAnError) {
  write_model(walk(5000), path("m.h5"));
  const Model model = map_model_hdf5(path("m.h5"));
  check_mapped_files();
  fs::last_write_time(path("m.h5"), fs::last_write_time(path("m.h5")) + std::chrono::seconds(1));
  EXPECT_EQ(message([] { check_mapped_files(); }), "m.h5: the file was written to while it was being used");
}

// A file that takes the place of another does not disturb who has the old one open.
TEST_F(Mapped, AFileThatIsReplacedIsNone) {
  write_model(walk(5000), path("m.h5"));
  const Model model = map_model_hdf5(path("m.h5"));
  const double sum = sum_of(model.mdp);
  write_model(walk(20), path("m.h5"));
  check_mapped_files();
  EXPECT_EQ(sum_of(model.mdp), sum);
}

TEST_F(Mapped, RefusesWhatDoesNotLieInTheFileAsInMemory) {
  const auto with = [&](const std::function<void(RawFile&)>& rest) {
    {
      RawFile file(path("f.h5"));
      file.attribute("format", "mindgap-model/1");
      file.attribute("discount", .5);
      file.ints("indptr", {0, 1, 2}, H5T_STD_I64LE);
      rest(file);
    }
    return message([&] { map_model_hdf5(path("f.h5")); });
  };
  const auto order = [](RawFile& file, std::vector<int> states) {
    file.ints("state_of_row", {states[0], states[1]}, H5T_STD_I32LE);
    file.ints("action_of_row", {0, 0}, H5T_STD_I32LE);
  };
  EXPECT_EQ(with([&](RawFile& file) {
              order(file, {0, 1});
              file.ints("indices", {0, 1}, H5T_STD_I64LE);
              file.doubles("data", {1, 1});
              file.doubles("reward", {0, 1});
            }),
            "f.h5: dataset 'indices' cannot be mapped: expected 32-bit integers in one uncompressed piece; "
            "`mindgap convert` writes files that can be mapped");
  EXPECT_NE(with([&](RawFile& file) {
              order(file, {1, 0});
              file.ints("indices", {0, 1}, H5T_STD_I32LE);
              file.doubles("data", {1, 1});
              file.doubles("reward", {0, 1});
            }).find("not in the order of states and actions"),
            std::string::npos);
  EXPECT_NE(with([&](RawFile& file) {
              order(file, {0, 1});
              file.ints("indices", {0, 1}, H5T_STD_I32LE);
              file.put("data", H5T_IEEE_F32LE, std::vector<double>{1, 1}, H5T_NATIVE_DOUBLE);
              file.doubles("reward", {0, 1});
            }).find("64-bit floats"),
            std::string::npos);
  EXPECT_NE(message([&] { map_model_hdf5(write("x.h5", "no model")); }).find("not an HDF5 file"),
            std::string::npos);
}

}  // namespace mapped_file_test
}  // namespace mindgap::files
