#include "mindgap/base/workers.h"

#include <gtest/gtest.h>

#include <limits>

#include "base/unruly_workers.h"
#include "mindgap/base/error.h"

namespace mindgap::base {
namespace workers_test {

TEST(Numbers, ComeBackAsTheyWere) {
  std::vector<double> numbers;
  NumberWriter writer(numbers);
  writer.one(std::int32_t{-7});
  writer.one(true);
  writer.list(std::vector<std::int32_t>{3, -1});
  writer.list(std::vector<double>{});
  writer.one(std::numeric_limits<double>::infinity());
  writer.list(std::string("ab"));
  NumberReader reader(numbers);
  std::int32_t whole = 0;
  bool flag = false;
  std::vector<std::int32_t> list;
  std::vector<double> none = {1};
  double infinite = 0;
  std::string text;
  reader.one(whole);
  reader.one(flag);
  reader.list(list);
  reader.list(none);
  reader.one(infinite);
  reader.list(text);
  EXPECT_EQ(whole, -7);
  EXPECT_TRUE(flag);
  EXPECT_EQ(list, (std::vector<std::int32_t>{3, -1}));
  EXPECT_TRUE(none.empty());
  EXPECT_EQ(infinite, std::numeric_limits<double>::infinity());
  EXPECT_EQ(text, "ab");
  EXPECT_TRUE(reader.done());
  EXPECT_THROW(reader.one(whole), InvalidArgument);
}

TEST(Numbers, AListThatIsLongerThanWhatIsThereIsRefused) {
  for (const double length : {3.0, -1.0, 1e300, std::numeric_limits<double>::quiet_NaN()}) {
    const std::vector<double> numbers = {length, 1, 2};
    NumberReader reader(numbers);
    std::vector<double> list;
    EXPECT_THROW(reader.list(list), InvalidArgument) << length;
  }
}

TEST(SharedBy, HoldsForItsThreadAndNotForWhatIsComputedHere) {
  EXPECT_FALSE(are_shared());
  announce("nobody hears this");
  UnrulyWorkers workers(1);
  {
    const SharedBy shared(&workers);
    EXPECT_TRUE(are_shared());
    std::vector<double> taken;
    share(
        {"squares", 3, 40, 4},
        [](std::int64_t first, std::int64_t last) {
          EXPECT_FALSE(are_shared());
          EXPECT_EQ((first - 3) % 4, 0);
          std::vector<double> squares;
          for (std::int64_t i = first; i < last; ++i) squares.push_back(static_cast<double>(i * i));
          return squares;
        },
        [&](std::int64_t, std::int64_t, std::span<const double> numbers) {
          taken.insert(taken.end(), numbers.begin(), numbers.end());
          return true;
        });
    ASSERT_EQ(taken.size(), 37U);
    for (int i = 0; i < 37; ++i) EXPECT_EQ(taken[static_cast<std::size_t>(i)], (3. + i) * (3. + i));
  }
  EXPECT_FALSE(are_shared());
}

}  // namespace workers_test
}  // namespace mindgap::base
