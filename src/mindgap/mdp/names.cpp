#include "mindgap/mdp/names.h"

#include <functional>

#include "mindgap/base/error.h"

namespace mindgap::mdp {

NameTable::NameTable(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (name.empty()) throw InvalidModel("a name is empty", {});
    if (add(name) < 0) throw InvalidModel("a name occurs twice", {.value = name});
  }
}

std::size_t NameTable::slot_of(std::string_view name) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = std::hash<std::string_view>{}(name)&mask;
  while (slots_[slot] >= 0 && (*this)[slots_[slot]] != name) slot = (slot + 1) & mask;
  return slot;
}

std::int32_t NameTable::find(std::string_view name) const {
  return slots_.empty() ? -1 : slots_[slot_of(name)];
}

std::int32_t NameTable::add(std::string_view name) {
  if (2 * (static_cast<std::size_t>(size()) + 1) > slots_.size()) grow();
  const std::size_t slot = slot_of(name);
  if (slots_[slot] >= 0) return -1;
  slots_[slot] = size();
  text_ += name;
  begin_.push_back(text_.size());
  return size() - 1;
}

void NameTable::grow() {
  slots_.assign(slots_.empty() ? 16 : 2 * slots_.size(), -1);
  for (std::int32_t i = 0; i < size(); ++i) slots_[slot_of((*this)[i])] = i;
}

}  // namespace mindgap::mdp
