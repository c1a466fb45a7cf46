#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mindgap::mdp {

/// Names of things numbered 0, 1, ..., each name once, with a hash index from name to number.
class NameTable {
 public:
  NameTable() = default;
  /// Throws InvalidModel where a name occurs twice or is empty.
  explicit NameTable(const std::vector<std::string>& names);

  std::int32_t size() const { return static_cast<std::int32_t>(begin_.size()) - 1; }
  bool empty() const { return size() == 0; }
  std::string_view operator[](std::int32_t index) const {
    const auto i = static_cast<std::size_t>(index);
    return std::string_view(text_).substr(begin_[i], begin_[i + 1] - begin_[i]);
  }
  /// The number of `name`, or -1.
  std::int32_t find(std::string_view name) const;
  /// Adds a name that is not there yet and returns its number; returns -1 and adds nothing where it is.
  std::int32_t add(std::string_view name);

  bool operator==(const NameTable& other) const { return text_ == other.text_ && begin_ == other.begin_; }

 private:
  std::size_t slot_of(std::string_view name) const;
  void grow();

  std::string text_;
  std::vector<std::size_t> begin_{0};
  std::vector<std::int32_t> slots_;  // open addressing, -1 where free; size is a power of two
};

}  // namespace mindgap::mdp
