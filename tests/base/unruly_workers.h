#pragma once

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "mindgap/base/workers.h"

namespace mindgap::base {

/// Workers on a bad day: pieces of any size, in any order, some computed twice, some lost and computed again
/// in other pieces. Whatever the seed, what comes of it must be what one process computes.
class UnrulyWorkers final : public Workers {
 public:
  explicit UnrulyWorkers(std::uint64_t seed) : random_(seed) {}

  void begin(const std::string& inputs) override { inputs_.push_back(inputs); }

  void run(const Stage& stage, const Here& here, const Take& take) override {
    stages.push_back({stage.name, stage.first, stage.last});
    std::vector<std::pair<std::int64_t, std::int64_t>> pieces = cut(stage, stage.first, stage.last);
    std::shuffle(pieces.begin(), pieces.end(), random_);
    std::map<std::int64_t, std::pair<std::int64_t, std::vector<double>>> done;
    while (!pieces.empty()) {
      const auto [first, last] = pieces.back();
      pieces.pop_back();
      std::vector<double> numbers = here(first, last);
      ++computed;
      if (random_() % 5 == 0) {  // lost on the way: others do it again, in other pieces
        for (const auto& piece : cut(stage, first, last)) pieces.push_back(piece);
        ++lost;
        continue;
      }
      if (random_() % 5 == 0) {  // and somebody did it, too
        same = same && untimed(stage, here(first, last)) == untimed(stage, numbers);
        ++repeated;
      }
      done[first] = {last, std::move(numbers)};
    }
    for (const auto& [first, piece] : done) {
      if (!take(first, piece.first, piece.second)) break;
    }
  }

  struct Seen {
    std::string name;
    std::int64_t first, last;
    bool operator==(const Seen&) const = default;
  };
  std::vector<Seen> stages;
  std::int64_t computed = 0, lost = 0, repeated = 0;
  bool same = true;  // what was computed twice

 private:
  std::vector<std::pair<std::int64_t, std::int64_t>> cut(const Stage& stage, std::int64_t first,
                                                         std::int64_t last) {
    std::vector<std::pair<std::int64_t, std::int64_t>> pieces;
    while (first < last) {
      const auto grains = 1 + static_cast<std::int64_t>(random_() % 9);
      const std::int64_t end = std::min(first + grains * stage.grain, last);
      pieces.emplace_back(first, end);
      first = end;
    }
    return pieces;
  }
  // Without seconds, which no two computations share.
  static std::vector<double> untimed(const Stage& stage, std::vector<double> numbers) {
    if (stage.name == "designs") return {};
    return stage.digest ? stage.digest(stage.first, stage.last, numbers) : numbers;
  }

  std::mt19937_64 random_;
  std::vector<std::string> inputs_;
};

}  // namespace mindgap::base
