#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "mindgap/base/workers.h"

namespace mindgap::files {

/// One of several processes that share a computation through a folder that all of them can write to.
struct Shard {
  std::int64_t shard = 1, shards = 1;  // the shard-th of so many
  double patience = 10;                // seconds that a claim of another one is believed at least
};

/// What the folder of a computation is about; kept in its file shards.txt.
struct ShardRun {
  std::string program;               // with its version
  std::vector<std::string> command;  // that is computed, word by word, without what differs between shards
  std::string folder;                // from which it is called
  std::int64_t shards = 1;

  bool operator==(const ShardRun&) const = default;
};

/// Reads shards.txt. Throws StoreError where there is none, InvalidArgument where it is not one.
ShardRun read_shard_run(const std::filesystem::path& folder);
bool is_shard_folder(const std::filesystem::path& folder);

/// Shares stages through a folder: each stage is cut into blocks, a file each:
///   shards.txt                  what is computed, by whom
///   stage-0003-worlds/7.numbers the numbers of a block, with a checksum
///   stage-0003-worlds/7.claim   somebody computes it
/// A shard computes its own blocks (every N-th), then those that nobody has begun, then those that somebody
/// began and did not finish in good time; what others computed it reads. So shards may start at any time, be
/// killed and be run again, and however many of them run, the computation comes to its end. A block that two
/// of them compute has the same bits.
class ShardFolder final : public base::Workers {
 public:
  enum class Missing {
    compute,  // by a shard
    refuse,   // by who only reads: InvalidArgument says what is still to run
  };

  /// Throws InvalidArgument where the folder belongs to another computation, and says in what it differs;
  /// StoreError where it cannot be written.
  ShardFolder(std::filesystem::path folder, const ShardRun& run, Shard shard, Missing missing);

  void begin(const std::string& inputs) override;
  void run(const base::Stage& stage, const Here& here, const Take& take) override;

  /// Blocks computed here, and all that the computation had.
  std::int64_t computed() const { return computed_; }
  std::int64_t blocks() const { return blocks_; }

 private:
  struct Block {
    std::int64_t number, first, last;
    std::filesystem::path file, claim;
  };
  std::vector<Block> blocks_of(const base::Stage& stage);
  void compute_open(const std::vector<Block>& blocks, const Here& here);
  bool claim(const Block& block) const;
  void compute(const Block& block, const Here& here);
  void wait_for_others(const std::vector<Block>& blocks, const Here& here);

  std::filesystem::path folder_;
  Shard shard_;
  Missing missing_;
  std::string inputs_;
  std::int64_t stages_ = 0, computed_ = 0, blocks_ = 0;
  double longest_ = 0;  // seconds that a block took here
};

}  // namespace mindgap::files
