#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mindgap/base/run.h"
#include "mindgap/report/figure.h"
#include "mindgap/report/table.h"
#include "mindgap/stats/interval.h"

// The paper's tables and figures: the published value beside ours.
namespace mindgap::reproduce {

/// One number.
struct Line {
  std::string what;                      // "SOP, T = 5"
  std::optional<double> published = {};  // none: the paper gives no number
  double ours = 0;
  std::optional<stats::Interval> interval = {};  // 95 %, around ours; none: `exact`, or not stated
  /// Half of the published number's own 95 % interval, as stated or as its number of trials gives it, with
  /// its rounding.
  double published_error = 0;
  std::string why = {};        // one line, where it differs: the cause, or
  bool cause_unknown = false;  // what is open, for nobody has shown that it is the cause

  bool exact = false;           // ours is computed; else it comes from trials and has an error, stated or not
  bool not_reproduced = false;  // there is no number of ours (`ours` is 0): `why` says why not

  /// The two errors together, and no more: the root of the sum of squares of the published error and of half
  /// of our interval.
  double tolerance() const;
  /// |ours - published| is at most the tolerance; true where nothing was published, false where there is no
  /// number of ours.
  bool agrees() const;
  /// It agrees by our own error alone, which is the larger one: more trials may tell them apart.
  bool undecided() const;
};

/// A claim of the paper's text, checked on our numbers.
struct Claim {
  std::string text;
  bool holds = false;
  std::string evidence = {};  // the numbers it rests on, and why where it does not hold
};

struct Reproduction {
  std::string name = {};  // of the artefact
  std::string title = {};
  std::string unit = {};    // of the numbers: "% of oracle"
  std::string method = {};  // one line: trials, seed, what was resolved
  std::vector<Line> lines = {};
  std::vector<Claim> claims = {};
  /// Data behind a figure, or what stands beside the published numbers; each becomes a CSV file of its name.
  struct Data {
    std::string file = {};  // "lock-sweep.csv"
    report::Table table = {};
  };
  std::vector<Data> data = {};
  std::vector<report::Figure> figures = {};
};

struct Options {
  std::int64_t trials = 0;  // 0: as many as the paper, or as the artefact needs
  base::Run run = {};
};

struct Artefact {
  std::string name;   // on the command line
  std::string group;  // what it is one of: "small", or the name of the case study
  std::string title;  // one line, with where it is in the paper
  Reproduction (*run)(const Options& options);
};

/// Every artefact, in the order of lists.
const std::vector<Artefact>& artefacts();
/// Throws InvalidArgument with the known names, nearest first.
const Artefact& find_artefact(std::string_view name);

}  // namespace mindgap::reproduce
