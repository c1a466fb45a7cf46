#include "mindgap/trial/case.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "mindgap/base/error.h"
#include "mindgap/base/number.h"
#include "mindgap/base/readable.h"
#include "mindgap/base/suggest.h"

namespace mindgap::trial {
namespace {

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    parts.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::optional<double> finite_number(std::string_view text) {
  double value = 0;
  if (base::parse_number(text, value) != base::NumberStatus::ok || !std::isfinite(value)) return std::nullopt;
  return value;
}

}  // namespace

std::vector<std::string> Case::default_planners() const {
  std::vector<std::string> names;
  for (const PlannerName& planner : planners()) names.push_back(planner.name);
  return names;
}

std::vector<double> Case::run_other(const OtherPlanner& /*planner*/, std::uint64_t /*trial*/,
                                    std::span<const std::int64_t> /*horizons*/) const {
  throw std::logic_error(name() + " takes no other planners");
}

OptionValues::OptionValues(std::string_view case_name, std::vector<CaseOption> options,
                           const CaseRequest& request)
    : case_name_(case_name), options_(std::move(options)) {
  std::vector<std::string> names;
  for (const CaseOption& option : options_) names.push_back(option.name);
  for (const auto& [name, value] : request.options) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    throw InvalidArgument(fmt::format("{}: {}", case_name_, base::unknown_name("option", name, names)));
  }
  for (const CaseOption& option : options_) {
    const auto asked = request.options.find(option.name);
    values_.push_back(asked == request.options.end() ? option.standard : asked->second);
    const auto& choices = option.choices;
    if (choices.empty() || std::find(choices.begin(), choices.end(), values_.back()) != choices.end())
      continue;
    throw InvalidArgument(fmt::format("{}: {} is '{}', but must be one of: {}", case_name_, option.name,
                                      base::printable(values_.back()), fmt::join(choices, ", ")));
  }
}

const std::string& OptionValues::text(std::string_view name) const {
  for (std::size_t i = 0; i < options_.size(); ++i) {
    if (options_[i].name == name) return values_[i];
  }
  throw std::logic_error(fmt::format("{} has no option {}", case_name_, name));
}

double OptionValues::number(std::string_view name, double lower, double upper) const {
  const std::string& value = text(name);
  const std::optional<double> number = finite_number(value);
  if (number && *number >= lower && *number <= upper) return *number;
  throw InvalidArgument(fmt::format("{}: {} is '{}', but must be a number from {} to {}", case_name_, name,
                                    base::printable(value), base::number(lower, 6), base::number(upper, 6)));
}

std::int64_t OptionValues::whole_number(std::string_view name, std::int64_t lower, std::int64_t upper) const {
  const std::string& value = text(name);
  const std::optional<double> number = finite_number(value);
  if (number && *number >= static_cast<double>(lower) && *number <= static_cast<double>(upper) &&
      *number == std::floor(*number)) {
    return static_cast<std::int64_t>(*number);
  }
  throw InvalidArgument(fmt::format("{}: {} is '{}', but must be a whole number from {} to {}", case_name_,
                                    name, base::printable(value), lower, upper));
}

bool OptionValues::flag(std::string_view name) const {
  return text(name) == "yes";
}

std::vector<double> OptionValues::numbers(std::string_view name) const {
  std::vector<double> found;
  for (const std::string& part : split(text(name))) {
    const std::optional<double> number = finite_number(part);
    if (!number) {
      throw InvalidArgument(fmt::format("{}: {} is '{}', but must be numbers between commas", case_name_,
                                        name, base::printable(text(name))));
    }
    found.push_back(*number);
  }
  return found;
}

std::vector<std::pair<std::string, std::string>> OptionValues::settings() const {
  std::vector<std::pair<std::string, std::string>> all;
  for (std::size_t i = 0; i < options_.size(); ++i) all.emplace_back(options_[i].name, values_[i]);
  return all;
}

}  // namespace mindgap::trial
