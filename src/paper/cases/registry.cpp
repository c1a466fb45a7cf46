#include "paper/cases/registry.h"

#include <filesystem>

#include "mindgap/base/error.h"
#include "mindgap/base/suggest.h"
#include "mindgap/files/place.h"
#include "mindgap/trial/world_case.h"
#include "paper/cases/confounded/confounded.h"
#include "paper/cases/deepsea/deepsea.h"
#include "paper/cases/fork/fork.h"
#include "paper/cases/hiv/case.h"
#include "paper/cases/lock/lock.h"
#include "paper/cases/riverswim/riverswim.h"
#include "paper/cases/treasure/treasure.h"
#include "paper/cases/vending/vending_case.h"

namespace mindgap::cases {

const std::vector<CaseInfo>& all_cases() {
  static const std::vector<CaseInfo> kCases = {
      lock::info(),    fork::info(),       treasure::info(), riverswim::info(),
      deepsea::info(), confounded::info(), hiv::info(),      vending::info(),
  };
  return kCases;
}

const std::vector<trial::CaseOption>& world_options() {
  return trial::world_options();
}

const CaseInfo& find_case(std::string_view name) {
  std::vector<std::string> names;
  for (const CaseInfo& info : all_cases()) {
    if (info.name == name) return info;
    names.push_back(info.name);
  }
  throw InvalidArgument(base::unknown_name("case", name, names));
}

std::unique_ptr<trial::Case> make_case(const std::string& name, const trial::CaseRequest& request) {
  std::vector<std::string> names;
  for (const CaseInfo& info : all_cases()) {
    if (info.name == name) return info.make(request);
    names.push_back(info.name);
  }
  if (files::is_there(name)) return make_world_case(name, request);
  throw InvalidArgument(base::unknown_name("case or world folder", name, names));
}

}  // namespace mindgap::cases
