#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

// Sums over independent draws that several processes share. A draw is a function of the inputs, of the
// options and of its number alone, so whoever computes it, in whatever pieces, in whatever order and however
// often, the numbers are the same.
namespace mindgap::base {

/// Some draws of a computation: worlds, drawn models, trials, designs. A computation comes to its stages one
/// after the other, in an order that depends on its inputs and on the numbers of earlier stages alone; so
/// every process that was given the same comes to the same stages.
struct Stage {
  std::string name;  // "worlds", "designs", "trials"
  std::int64_t first = 0, last = 0;
  std::int64_t grain = 1;  // pieces begin at first + a multiple of it
  /// The numbers of a piece, reduced to those that later stages depend on; none: all of them do.
  std::function<std::vector<double>(std::int64_t first, std::int64_t last, std::span<const double>)> digest =
      {};
};

class Workers {
 public:
  /// The numbers of the draws first .. last - 1, computed in this process.
  using Here = std::function<std::vector<double>(std::int64_t first, std::int64_t last)>;
  /// Told of consecutive pieces; false: that is enough. What comes may be a digest.
  using Take = std::function<bool(std::int64_t first, std::int64_t last, std::span<const double> numbers)>;

  virtual ~Workers() = default;

  /// Told once, before the first stage, a fingerprint of what the computation was given. Throws
  /// InvalidArgument where others were given something else.
  virtual void begin(const std::string& inputs) = 0;
  /// Gives the pieces of a stage in order, from its first draw on, until all are taken or take() says enough.
  virtual void run(const Stage& stage, const Here& here, const Take& take) = 0;
};

/// While one lives, the draws of what its thread computes are shared by `workers`; null: by nobody. What is
/// shared never looks at the clock, as the clocks of several processes differ.
class SharedBy {
 public:
  explicit SharedBy(Workers* workers);
  ~SharedBy();
  SharedBy(const SharedBy&) = delete;
  SharedBy& operator=(const SharedBy&) = delete;

 private:
  Workers* before_;
};
/// Whether somebody shares the draws of this thread.
bool are_shared();
/// Tells those who do what they were given.
void announce(const std::string& inputs);
/// Workers::run() of those who do. What is computed here is shared with nobody.
void share(const Stage& stage, const Workers::Here& here, const Workers::Take& take);

/// Throws InvalidArgument: numbers of a piece that are not as many as they must be.
void check_piece(const Stage& stage, std::size_t numbers, std::size_t wanted);

/// Numbers and lists of numbers, one behind the other.
class NumberWriter {
 public:
  explicit NumberWriter(std::vector<double>& to) : to_(to) {}

  template <typename Number>
  void one(Number value) {
    to_.push_back(static_cast<double>(value));
  }
  template <typename List>
  void list(const List& values) {
    one(values.size());
    for (const auto& value : values) one(value);
  }

 private:
  std::vector<double>& to_;
};

/// Reads them again. Throws InvalidArgument where there are too few.
class NumberReader {
 public:
  explicit NumberReader(std::span<const double> from) : from_(from) {}

  template <typename Number>
  void one(Number& value) {
    value = static_cast<Number>(next());
  }
  template <typename List>
  void list(List& values) {
    values.resize(size());
    for (auto& value : values) one(value);
  }
  /// Of a list: its length.
  std::size_t size();
  bool done() const { return at_ == from_.size(); }

 private:
  double next();

  std::span<const double> from_;
  std::size_t at_ = 0;
};

}  // namespace mindgap::base
