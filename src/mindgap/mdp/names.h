#pragma once

#include <cstdint>
#include <span>
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

  std::int32_t size() const { return static_cast<std::int32_t>(end_.size()); }
  bool empty() const { return end_.empty(); }
  std::string_view operator[](std::int32_t index) const {
    const auto i = static_cast<std::size_t>(index);
    const std::size_t begin = i == 0 ? 0 : end_[i - 1];
    return std::string_view(text_).substr(begin, end_[i] - begin);
  }
  /// The number of `name`, or -1.
  std::int32_t find(std::string_view name) const;
  /// find() for many names at once. Much faster than one by one where the table exceeds the cache, since the
  /// memory fetches of different names overlap.
  void find(std::span<const std::string_view> names, std::span<std::int32_t> numbers) const;
  /// Adds a name that is not there yet and returns its number; returns -1 and adds nothing where it is.
  std::int32_t add(std::string_view name);
  /// Makes room for `names` names of `bytes` bytes in all.
  void reserve(std::size_t names, std::size_t bytes);

  bool operator==(const NameTable& other) const { return text_ == other.text_ && end_ == other.end_; }

 private:
  // What identifies a name without a look at its text: 11 bytes of it and the size, or where it is longer a
  // hash, and then the text is compared as well. A slot of 16 bytes never straddles cache lines.
  struct Key {
    std::uint64_t low = 0;
    std::uint32_t high = 0;  // three more bytes, and on top the size or kLong
  };
  struct alignas(16) Slot {
    std::uint64_t low = 0;
    std::uint32_t high = 0;
    std::int32_t number = -1;  // -1: free
  };

  static Key key_of(std::string_view name);
  static std::uint64_t hash_of(const Key& key);
  std::size_t slot_of(std::string_view name, const Key& key, std::uint64_t hash) const;
  void resize_slots(std::size_t count);

  std::string text_;
  std::vector<std::size_t> end_;  // name i ends before text_[end_[i]], where name i + 1 begins
  std::vector<Slot> slots_;       // open addressing; size is a power of two
};

/// Throws InvalidModel unless `name` can stand in every file format: not empty, valid UTF-8, no NUL byte.
/// `what` says whose name it is, for example "state".
void check_name(std::string_view what, std::string_view name);

/// Whether `text` is valid UTF-8 without NUL bytes.
bool is_clean_utf8(std::string_view text);

/// The names, or where there are none those of 0 .. size-1 as decimal numbers.
NameTable names_or_numbers(const NameTable& names, std::int32_t size);

/// The name with that number, or the number itself where there are no names.
std::string name_or_number(const NameTable& names, std::int32_t index);

}  // namespace mindgap::mdp
