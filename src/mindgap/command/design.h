#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mindgap/base/run.h"
#include "mindgap/command/evidence.h"
#include "mindgap/command/limits.h"
#include "mindgap/design/design.h"
#include "mindgap/design/navigated_pilot.h"
#include "mindgap/design/size_table.h"
#include "mindgap/report/page.h"
#include "mindgap/view/json.h"

namespace mindgap::command {

struct DesignRequest {
  std::optional<mdp::Model> model = {};  // must be there
  Evidence evidence = {};
  std::int64_t units = 0, steps = 0;
  std::optional<std::int64_t> others = {};  // units beside the pilot; none: those of `positions`, or 0
  std::optional<Source> positions = {};
  std::string target = "ensemble", occupancy = "finite", method = "auto", block = "both";
  bool use_credit = true;
  LimitsRequest limits = {};
  double relative_gap = design::DesignOptions().relative_gap;
  std::optional<double> time_limit = {};     // seconds
  std::size_t top = 10;                      // how many pairs and routes to list; 0: all
  bool navigation = false;                   // units go to what matters most by shortest ways
  std::vector<std::string> bottleneck = {};  // with that: states of a corridor
  bool sizes = false;                        // what pilots of other sizes would leave
  design::SizeTableOptions size_table = {};  // with that
  base::Run run = {};
};

/// A design with everything that its words are about.
struct DesignAnswer {
  mdp::Model model;
  design::Design design;
  design::DesignOptions options;
  std::size_t top = 10;
  std::vector<std::string> warnings;
  std::vector<std::string> notes = {};  // on errors that pairs share
  std::string plan_file = {};           // written, or ""
  std::optional<design::NavigationFindings> navigation = {};
  std::optional<design::SizeTable> sizes = {};

  std::string text() const;
  view::Json json() const;
  report::Page page() const;
  /// The complete plan, as JSON that a program can follow.
  std::string plan() const;
};

/// Where to send a pilot. Throws InvalidArgument, InvalidModel and StoreError.
DesignAnswer design(const DesignRequest& request);

}  // namespace mindgap::command
