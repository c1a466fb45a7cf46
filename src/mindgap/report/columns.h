#pragma once

#include <string>
#include <vector>

#include "mindgap/report/charts.h"

// What charts read from their tables.
namespace mindgap::report {

/// The place of a column; throws InvalidArgument with the names that there are.
std::size_t column(const Words& words, const Table& table, const std::string& name);
/// Checks each name that is not empty.
void check_columns(const Words& words, const Table& table, std::initializer_list<std::string> names);
/// The values of a column in order of appearance, each once, without empty ones.
std::vector<std::string> distinct(const Table& table, std::size_t column);
/// The place of a value among them.
std::size_t index_of(const std::vector<std::string>& values, const std::string& value);

struct Extent {
  double least = 0, largest = 0;
};
/// Over the numbers of all these columns; empty names are skipped. Throws InvalidArgument where there is no
/// number at all.
Extent extent(const Words& words, const Table& table, std::initializer_list<std::string> names);

/// Whether any cell of a column is a number.
bool has_number(const Words& words, const Table& table, const std::string& name);

/// "step 10, plan learn": the cells of a row with their names.
std::string row_in_words(const Table& table, const std::vector<std::string>& row);

}  // namespace mindgap::report
