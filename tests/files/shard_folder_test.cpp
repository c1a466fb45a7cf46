#include "mindgap/files/shard_folder.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <optional>
#include <thread>

#include "files/files.h"

namespace mindgap::files {
namespace shard_folder_test {

const ShardRun kRun = {"mindgap 9", {"decide", "a model", "--units", "2"}, "/somewhere", 3};

// Three stages, each of which depends on the numbers of the one before.
double compute(base::Workers& workers, std::atomic<std::int64_t>* computed = nullptr) {
  workers.begin("fingerprint");
  double sum = 0;
  for (const std::int64_t draws : {5, 100, 37}) {
    const double before = sum;
    workers.run(
        {"draws", 3, 3 + draws, 2},
        [&](std::int64_t first, std::int64_t last) {
          std::vector<double> numbers;
          for (std::int64_t i = first; i < last; ++i)
            numbers.push_back(std::sin(static_cast<double>(i) + before));
          if (computed != nullptr) *computed += last - first;
          return numbers;
        },
        [&](std::int64_t, std::int64_t, std::span<const double> numbers) {
          for (const double number : numbers) sum += number;
          return true;
        });
  }
  return sum;
}

double alone() {
  double sum = 0;
  for (const std::int64_t draws : {5, 100, 37}) {
    const double before = sum;
    for (std::int64_t i = 3; i < 3 + draws; ++i) sum += std::sin(static_cast<double>(i) + before);
  }
  return sum;
}

class ShardFolderTest : public FileTest {
 protected:
  ShardFolder shard(std::int64_t number, const ShardRun& run = kRun) const {
    return {path("shards"), run, {number, run.shards, .1}, ShardFolder::Missing::compute};
  }
  ShardFolder merge() const { return {path("shards"), kRun, {1, 3}, ShardFolder::Missing::refuse}; }
};

TEST_F(ShardFolderTest, ShardsAtTheSameTimeShareTheWorkAndAgree) {
  std::atomic<std::int64_t> computed{0};
  std::vector<double> found(3);
  std::vector<std::jthread> processes;
  for (std::int64_t i = 0; i < 3; ++i) {
    processes.emplace_back([&, i] {
      ShardFolder folder = shard(i + 1);
      found[static_cast<std::size_t>(i)] = compute(folder, &computed);
    });
  }
  processes.clear();
  EXPECT_EQ(found, std::vector<double>(3, alone()));
  EXPECT_GE(computed, 142);
  ShardFolder merged = merge();
  EXPECT_EQ(compute(merged), alone());
  EXPECT_EQ(merged.computed(), 0);
}

TEST_F(ShardFolderTest, OneAloneDoesEverythingAndTheNextFindsItDone) {
  std::atomic<std::int64_t> computed{0};
  ShardFolder second = shard(2);
  EXPECT_EQ(compute(second, &computed), alone());
  EXPECT_EQ(computed, 142);
  ShardFolder first = shard(1);
  EXPECT_EQ(compute(first, &computed), alone());
  EXPECT_EQ(computed, 142);
  EXPECT_EQ(first.computed(), 0);
  EXPECT_EQ(first.blocks(), second.computed());
}

TEST_F(ShardFolderTest, WhatAKilledShardClaimedIsDoneByAnother) {
  {
    ShardFolder killed = shard(1);
    EXPECT_THROW(
        {
          killed.begin("fingerprint");
          killed.run(
              {"draws", 3, 8, 2}, [](std::int64_t, std::int64_t) -> std::vector<double> { throw 1; },
              [](std::int64_t, std::int64_t, std::span<const double>) { return true; });
        },
        int);
  }
  EXPECT_EQ(listing(path("shards/stage-0000-draws")), (std::vector<std::string>{"3-5.claim"}));
  ShardFolder other = shard(2);
  EXPECT_EQ(compute(other), alone());
}

TEST_F(ShardFolderTest, MergeNamesWhatIsStillToRun) {
  {
    ShardFolder begun = shard(1);
    EXPECT_EQ(compute(begun), alone());
  }
  std::filesystem::remove(path("shards/stage-0001-draws/7-11.numbers"));
  ShardFolder merged = merge();
  EXPECT_NE(
      message([&] { compute(merged); }).find("1 of 25 blocks of stage 1 (draws) are still to be computed"),
      std::string::npos)
      << message([&] { compute(merged); });
}

TEST_F(ShardFolderTest, AnotherComputationIsRefused) {
  {
    ShardFolder begun = shard(1);
    EXPECT_EQ(compute(begun), alone());
  }
  ShardRun other = kRun;
  other.program = "mindgap 8";
  EXPECT_NE(message([&] { shard(2, other); }).find("the program was 'mindgap 9', now 'mindgap 8'"),
            std::string::npos);
  other = kRun;
  other.command.back() = "3";
  EXPECT_NE(message([&] { shard(2, other); }).find("--units 3'"), std::string::npos);
  other = kRun;
  other.shards = 4;
  EXPECT_NE(message([&] { shard(2, other); }).find("the number of shards was '3', now '4'"),
            std::string::npos);
  ShardFolder inputs = shard(2);
  EXPECT_NE(message([&] { inputs.begin("of other files"); }).find("other shards were given other inputs"),
            std::string::npos);
  write("mine/letter.txt", "dear");
  EXPECT_THROW(ShardFolder(path("mine"), kRun, {1, 3}, ShardFolder::Missing::compute), StoreError);
}

TEST_F(ShardFolderTest, ANumberThatChangedOnTheDiskIsRefused) {
  {
    ShardFolder begun = shard(1);
    EXPECT_EQ(compute(begun), alone());
  }
  const std::filesystem::path file = path("shards/stage-0002-draws/3-5.numbers");
  std::string bytes = read(file);
  bytes[3] = static_cast<char>(bytes[3] ^ 1);
  write("shards/stage-0002-draws/3-5.numbers", bytes);
  ShardFolder merged = merge();
  EXPECT_NE(message([&] { compute(merged); }).find("does not match its checksum"), std::string::npos);
}

TEST_F(ShardFolderTest, WordsOfACommandAreKeptWhateverTheyHold) {
  ShardRun run = kRun;
  run.command = {"decide", "a\nb\\n c", "", "--x=\\"};
  { shard(1, run); }
  EXPECT_EQ(read_shard_run(path("shards")), run);
  write("shards/shards.txt", "format else\n");
  EXPECT_THROW(read_shard_run(path("shards")), InvalidArgument);
}

}  // namespace shard_folder_test
}  // namespace mindgap::files
