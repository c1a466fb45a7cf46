#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <variant>

#include "paper/cases/vending/configuration.h"

// The scalar keys of the configuration file, listed once for reading, writing and checking.
namespace mindgap::cases::vending {

template <typename Table>
struct Field {
  const char* key;
  std::variant<double Table::*, std::int64_t Table::*, bool Table::*> member;
  double lowest, highest;
  const char* meaning;
  bool required = false;
};

std::span<const Field<Product>> product_fields();
std::span<const Field<Segment>> segment_fields();
std::span<const Field<Machine>> machine_fields();
std::span<const Field<Demand>> demand_fields();
std::span<const Field<Logistics>> logistics_fields();
std::span<const Field<Finance>> finance_fields();
std::span<const Field<Planning>> planning_fields();

template <typename Table>
double value_of(const Table& table, const Field<Table>& field) {
  return std::visit([&](auto member) { return static_cast<double>(table.*member); }, field.member);
}

}  // namespace mindgap::cases::vending
