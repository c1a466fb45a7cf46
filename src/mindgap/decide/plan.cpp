#include "mindgap/decide/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "mindgap/base/error.h"

namespace mindgap::decide {
namespace {

// "8x10"; false where it is not two whole numbers from 1.
bool parse_size(std::string_view text, std::int64_t& units, std::int64_t& steps) {
  const std::size_t at = text.find('x');
  if (at == std::string_view::npos) return false;
  const auto whole = [](std::string_view digits, std::int64_t& value) {
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return error == std::errc() && end == digits.data() + digits.size() && value >= 1;
  };
  return whole(text.substr(0, at), units) && whole(text.substr(at + 1), steps);
}

}  // namespace

std::string_view name_of(Kind kind) {
  return kind == Kind::deploy ? "deploy" : kind == Kind::learn ? "learn" : "experiment";
}

Plan pilot_plan(std::int64_t units, std::int64_t steps) {
  return {fmt::format("pilot-{}x{}", units, steps), Kind::experiment, units, steps};
}

Plan plan_from_string(std::string_view name) {
  if (name == "sop") return {"sop", Kind::deploy};
  if (name == "asop" || name == "thompson") return {std::string(name), Kind::learn};
  std::int64_t units = 0, steps = 0;
  constexpr std::string_view kPilot = "pilot-";
  if (name.starts_with(kPilot) && parse_size(name.substr(kPilot.size()), units, steps))
    return pilot_plan(units, steps);
  throw InvalidArgument(fmt::format(
      "no plan is called '{}': sop, asop, thompson, or pilot-UxT for U units over T steps, as in pilot-8x10",
      base::printable(name)));
}

std::vector<Plan> default_plans(std::int64_t units, std::int64_t horizon) {
  std::vector<Plan> plans = {plan_from_string("sop"), plan_from_string("asop"), plan_from_string("thompson")};
  for (const std::int64_t part : {1, 4, 16, 64}) {
    for (const std::int64_t steps : {horizon / 10, horizon / 5, horizon / 20, 2 * horizon / 5}) {
      const Plan pilot = pilot_plan((units + part - 1) / part, std::max<std::int64_t>(1, steps));
      if (pilot.pilot_steps < horizon && std::find(plans.begin(), plans.end(), pilot) == plans.end())
        plans.push_back(pilot);
    }
  }
  return plans;
}

}  // namespace mindgap::decide
