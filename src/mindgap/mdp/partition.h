#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

// Not part of the library's interface.
namespace mindgap::mdp {

/// A partition of 0 .. n-1 that only becomes finer. The members of a block lie side by side; of a block some
/// members may be marked, and they then lie at its front.
class Partition {
 public:
  /// One block.
  explicit Partition(std::int32_t n) : member_(n), place_(n), block_(n, 0), begin_{0}, end_{n}, marked_{0} {
    std::iota(member_.begin(), member_.end(), 0);
    std::iota(place_.begin(), place_.end(), 0);
  }

  std::int32_t blocks() const { return static_cast<std::int32_t>(begin_.size()); }
  std::int32_t block_of(std::int32_t member) const { return block_[member]; }
  std::span<const std::int32_t> members(std::int32_t block) const {
    return std::span(member_).subspan(begin_[block], end_[block] - begin_[block]);
  }

  /// Splits the one block of a new partition into those that compare(one, other) == 0 makes; it must be an
  /// order.
  template <typename Compare>
  void split_all(Compare compare) {
    std::sort(member_.begin(), member_.end(), [&](auto one, auto other) {
      const int order = compare(one, other);
      return order != 0 ? order < 0 : one < other;
    });
    const auto n = static_cast<std::int32_t>(member_.size());
    std::int32_t block = 0;
    for (std::int32_t i = 0; i < n; ++i) {
      place_[member_[i]] = i;
      if (i > 0 && compare(member_[i - 1], member_[i]) != 0) {
        end_[block] = i;
        block = add_block(i, n);
      }
      block_[member_[i]] = block;
    }
  }

  /// A member may be marked once between splits.
  void mark(std::int32_t member) {
    const std::int32_t block = block_[member];
    if (marked_[block] == 0) touched_.push_back(block);
    const std::int32_t to = begin_[block] + marked_[block]++;
    const std::int32_t from = place_[member];
    std::swap(member_[to], member_[from]);
    place_[member_[from]] = from;
    place_[member_[to]] = to;
  }

  /// Splits every block into its members without a mark and the marked ones by key(member). The largest part
  /// keeps the number of the block; the others are added to `made`. No marks are left.
  template <typename Key>
  void split_marked(Key key, std::vector<std::int32_t>& made) {
    for (const std::int32_t block : touched_) {
      const std::int32_t begin = begin_[block], middle = begin + std::exchange(marked_[block], 0);
      const std::int64_t first = key(member_[begin]);
      const bool alike = std::all_of(member_.begin() + begin, member_.begin() + middle,
                                     [&](std::int32_t member) { return key(member) == first; });
      if (alike && middle == end_[block]) continue;
      parts_.clear();
      if (alike) {
        parts_.emplace_back(begin, middle);
      } else {
        sort_by(key, begin, middle);
      }
      if (middle < end_[block]) parts_.emplace_back(middle, end_[block]);
      name_parts(block, made);
    }
    touched_.clear();
  }

 private:
  using Range = std::pair<std::int32_t, std::int32_t>;

  std::int32_t add_block(std::int32_t begin, std::int32_t end) {
    begin_.push_back(begin);
    end_.push_back(end);
    marked_.push_back(0);
    return blocks() - 1;
  }

  template <typename Key>
  void sort_by(Key key, std::int32_t begin, std::int32_t end) {
    std::sort(member_.begin() + begin, member_.begin() + end,
              [&](auto one, auto other) { return std::pair(key(one), one) < std::pair(key(other), other); });
    std::int32_t first = begin;
    for (std::int32_t i = begin; i < end; ++i) {
      place_[member_[i]] = i;
      if (i > first && key(member_[i]) != key(member_[first])) {
        parts_.emplace_back(first, i);
        first = i;
      }
    }
    parts_.emplace_back(first, end);
  }

  void name_parts(std::int32_t block, std::vector<std::int32_t>& made) {
    const auto longer = [](const Range& one, const Range& other) {
      return one.second - one.first < other.second - other.first;
    };
    const auto largest = std::max_element(parts_.begin(), parts_.end(), longer);
    for (auto part = parts_.begin(); part != parts_.end(); ++part) {
      if (part == largest) continue;
      const std::int32_t fresh = add_block(part->first, part->second);
      for (std::int32_t i = part->first; i < part->second; ++i) block_[member_[i]] = fresh;
      made.push_back(fresh);
    }
    begin_[block] = largest->first;
    end_[block] = largest->second;
  }

  std::vector<std::int32_t> member_;                // by block
  std::vector<std::int32_t> place_;                 // of each in member_
  std::vector<std::int32_t> block_;                 // of each
  std::vector<std::int32_t> begin_, end_, marked_;  // per block
  std::vector<std::int32_t> touched_;               // blocks with marks
  std::vector<Range> parts_;
};

}  // namespace mindgap::mdp
