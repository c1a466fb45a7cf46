#pragma once

#include <optional>
#include <string>

#include "mindgap/report/figure.h"

// What the script of a page reads: one figure with its data.
namespace mindgap::report {

/// The number that a cell is ("12", "-.5", "+3e2", without anything around it), or none. Finite.
std::optional<double> number_in(const std::string& cell);

/// Throws InvalidArgument where the id has other characters than a-z, 0-9 and -, the specification is no JSON
/// object, names data that the figure does not have or would load something (a key "url" or "href"), two
/// datasets have one name, a name is no file name, or a row has not as many cells as there are columns.
void check_figure(const Figure& figure);

/// {"spec": ..., "data": [{"name", "columns", "rows"}]}, fit for a script element: without any "<". Numbers
/// are numbers, empty cells null.
std::string figure_json(const Figure& figure);

}  // namespace mindgap::report
