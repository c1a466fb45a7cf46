#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "mindgap/trial/case.h"

namespace mindgap::cases {

struct CaseInfo {
  std::string name;         // on the command line
  std::string description;  // one line
  std::vector<trial::CaseOption> options;
  std::unique_ptr<trial::Case> (*make)(const trial::CaseRequest& request);
};

/// Every case, in the order of lists.
const std::vector<CaseInfo>& all_cases();
/// The options of world folders, which are cases, too.
const std::vector<trial::CaseOption>& world_options();
/// Throws InvalidArgument with the known names, nearest first.
const CaseInfo& find_case(std::string_view name);
/// A case by its name, or a world folder by its path. Throws InvalidArgument where it is neither.
std::unique_ptr<trial::Case> make_case(const std::string& name, const trial::CaseRequest& request);

}  // namespace mindgap::cases
