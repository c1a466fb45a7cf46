#include "mindgap/mdp/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "mindgap/base/error.h"
#include "mindgap/base/utf8.h"
#include "mindgap/mdp/memory.h"

namespace mindgap::mdp {
namespace {

constexpr std::size_t kInlineBytes = 11;
constexpr std::uint32_t kLong = 0xff;  // in the place of the size

std::uint64_t load64(const char* bytes) {
  std::uint64_t word;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

std::uint64_t load32(const char* bytes) {
  std::uint32_t word;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  std::uint64_t x = (a ^ 0x9e3779b97f4a7c15U) * 0xbf58476d1ce4e5b9U;
  x = (std::rotl(x, 29) ^ b) * 0x94d049bb133111ebU;
  return x ^ (x >> 32);
}

std::uint64_t hash_long(std::string_view name) {
  std::uint64_t hash = name.size();
  std::size_t i = 0;
  for (; i + 8 <= name.size(); i += 8) hash = mix(hash, load64(name.data() + i));
  return mix(hash, load64(name.data() + name.size() - 8));  // longer than 16, so this stays inside
}

}  // namespace

NameTable::NameTable(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (name.empty()) throw InvalidModel("a name is empty", {});
    if (add(name) < 0) throw InvalidModel("a name occurs twice", {.value = name});
  }
}

inline NameTable::Key NameTable::key_of(std::string_view name) {
  const std::size_t size = name.size();
  const char* const bytes = name.data();
  const auto at = [&](std::size_t i) { return std::uint32_t{static_cast<unsigned char>(bytes[i])}; };
  const std::uint32_t top = static_cast<std::uint32_t>(size) << 24;
  // Where two pieces overlap, they still hold every byte, and the size says which.
  if (size > kInlineBytes) {
    const std::uint64_t hash = hash_long(name);
    return {hash, kLong << 24};
  }
  if (size >= 8) return {load64(bytes), top | at(size - 3) | at(size - 2) << 8 | at(size - 1) << 16};
  if (size >= 4) return {load32(bytes) | load32(bytes + size - 4) << 32, top};
  if (size == 0) return {0, top};
  return {at(0) | at(size / 2) << 8 | at(size - 1) << 16, top};
}

inline std::uint64_t NameTable::hash_of(const Key& key) {
  return mix(key.low, key.high);
}

// Where the name is, or the free slot where it would be.
inline std::size_t NameTable::slot_of(std::string_view name, const Key& key, std::uint64_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t i = hash & mask;; i = (i + 1) & mask) {
    const Slot& slot = slots_[i];
    if (slot.number < 0) return i;
    if (slot.low == key.low && slot.high == key.high &&
        (name.size() <= kInlineBytes || (*this)[slot.number] == name)) {
      return i;
    }
  }
}

std::int32_t NameTable::find(std::string_view name) const {
  if (slots_.empty()) return -1;
  const Key key = key_of(name);
  return slots_[slot_of(name, key, hash_of(key))].number;
}

void NameTable::find(std::span<const std::string_view> names, std::span<std::int32_t> numbers) const {
  if (slots_.empty()) {
    std::fill(numbers.begin(), numbers.end(), -1);
    return;
  }
  constexpr std::size_t kBatch = 64;
  const std::size_t mask = slots_.size() - 1;
  Key keys[kBatch];
  std::uint64_t hashes[kBatch];
  for (std::size_t begin = 0; begin < names.size(); begin += kBatch) {
    const std::size_t count = std::min(kBatch, names.size() - begin);
    for (std::size_t i = 0; i < count; ++i) {
      keys[i] = key_of(names[begin + i]);
      hashes[i] = hash_of(keys[i]);
      __builtin_prefetch(&slots_[hashes[i] & mask]);
    }
    for (std::size_t i = 0; i < count; ++i) {
      numbers[begin + i] = slots_[slot_of(names[begin + i], keys[i], hashes[i])].number;
    }
  }
}

std::int32_t NameTable::add(std::string_view name) {
  if (size() == std::numeric_limits<std::int32_t>::max()) throw InvalidModel("there are too many names", {});
  if (3 * slots_.size() < 4 * (end_.size() + 1)) resize_slots(slots_.empty() ? 16 : 2 * slots_.size());
  const Key key = key_of(name);
  Slot& slot = slots_[slot_of(name, key, hash_of(key))];
  if (slot.number >= 0) return -1;
  slot = {key.low, key.high, size()};
  text_ += name;
  end_.push_back(text_.size());
  return size() - 1;
}

void NameTable::reserve(std::size_t names, std::size_t bytes) {
  text_.reserve(bytes);
  end_.reserve(names);
  const std::size_t wanted = std::bit_ceil(names + names / 3 + 16);
  if (wanted > slots_.size()) resize_slots(wanted);
}

void NameTable::resize_slots(std::size_t count) {
  slots_.clear();
  slots_.reserve(count);
  prefer_large_pages(slots_);
  slots_.resize(count);
  for (std::int32_t i = 0; i < size(); ++i) {
    const Key key = key_of((*this)[i]);
    slots_[slot_of((*this)[i], key, hash_of(key))] = {key.low, key.high, i};
  }
}

bool is_clean_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = base::utf8_length(text);
    if (length == 0 || text[0] == '\0') return false;
    text.remove_prefix(length);
  }
  return true;
}

void check_name(std::string_view what, std::string_view name) {
  if (name.empty()) throw InvalidModel(fmt::format("the {} name is empty", what), {});
  if (!is_clean_utf8(name)) {
    throw InvalidModel(fmt::format("the {} name must be valid UTF-8 without NUL bytes", what),
                       {.value = std::string(name)});
  }
}

NameTable names_or_numbers(const NameTable& names, std::int32_t size) {
  if (!names.empty()) return names;
  NameTable numbers;
  for (std::int32_t i = 0; i < size; ++i) numbers.add(std::to_string(i));
  return numbers;
}

std::string name_or_number(const NameTable& names, std::int32_t index) {
  return names.empty() ? std::to_string(index) : std::string(names[index]);
}

}  // namespace mindgap::mdp
