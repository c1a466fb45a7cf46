#pragma once

#include <span>
#include <string_view>

// Argument checks. Each throws InvalidArgument with the function, the argument's name, its index where it is
// a vector, its value and what was wanted: "solve: tolerance is -1, but must be positive".
namespace mindgap::base {

void check_finite(std::string_view function, std::string_view name, double value);
void check_finite(std::string_view function, std::string_view name, std::span<const double> values);
void check_positive(std::string_view function, std::string_view name, double value);
void check_nonnegative(std::string_view function, std::string_view name, double value);
void check_nonnegative(std::string_view function, std::string_view name, std::span<const double> values);
void check_probability(std::string_view function, std::string_view name, double value);
/// lower <= value <= upper
void check_range(std::string_view function, std::string_view name, double value, double lower, double upper);
void check_size(std::string_view function, std::string_view name, std::size_t size, std::size_t wanted);
/// Nonnegative entries that sum to 1 within `tolerance`.
void check_simplex(std::string_view function, std::string_view name, std::span<const double> values,
                   double tolerance = 1e-9);

}  // namespace mindgap::base
