#include "mindgap/cases/registry.h"

#include "mindgap/base/error.h"
#include "mindgap/base/suggest.h"
#include "mindgap/cases/hiv/case.h"
#include "mindgap/cases/treasure/treasure.h"

namespace mindgap::cases {

const std::vector<CaseInfo>& all_cases() {
  static const std::vector<CaseInfo> cases = {
      {"hiv", "mobile HIV testing on a walled grid", hiv::hiv_case_options(), hiv::make_hiv_case},
      treasure::info(),
  };
  return cases;
}

const CaseInfo& find_case(std::string_view name) {
  std::vector<std::string> names;
  for (const CaseInfo& info : all_cases()) {
    if (info.name == name) return info;
    names.push_back(info.name);
  }
  throw InvalidArgument(base::unknown_name("case", name, names));
}

}  // namespace mindgap::cases
