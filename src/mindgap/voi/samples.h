#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "mindgap/base/run.h"
#include "mindgap/gap/evpi.h"
#include "mindgap/stats/interval.h"
#include "mindgap/voi/acceptability.h"

// Value of information from a table of sampled models, whatever simulated them.
namespace mindgap::voi {

/// One line a world: columns of numbers with their names.
struct Draws {
  std::vector<std::string> names;
  std::vector<std::vector<double>> columns;  // as `names`, all of one length
  std::string file = {};                     // what to call it in messages

  std::int64_t draws() const { return columns.empty() ? 0 : static_cast<std::int64_t>(columns[0].size()); }
  const std::vector<double>& column(std::string_view name) const;
};

using Columns = std::vector<std::string>;

struct SamplesOptions {
  Columns plans = {};               // columns with the worth of each plan in each world; at least 2
  std::vector<Columns> about = {};  // EVPPI is asked of each of these groups of parameters
  std::vector<Columns> data = {};   // EVSI of each of these: what an experiment would have shown
  double scale = 1;                 // units, steps or years that the decision covers
  std::vector<double> cost = {};    // of each experiment, or one for all; empty: no net benefit is asked
  double level = .95;               // of intervals
  base::Run run = {};

  /// Throws InvalidArgument in the words of whoever asks.
  void validate() const;
  /// All columns that are read, each once.
  Columns wanted() const;
};

/// With U the worth of plans and g_d the fitted E[U_d | columns]:
///   plug-in       mean max_d g_d - max_d mean U_d with g fitted to all draws, or what the rule d(i) = argmax
///   g
///                 earns on the draws that it was fitted to where that is more (smoothing takes from the
///                 first what it does not take from the second), and never less than the next: biased upwards
///   cross-fitted  mean U_{d(i)} - max_d mean U_d, d(i) the best by g fitted without i's fold: the worth of a
///                 rule that could be followed, never above in expectation
struct PartialValue {
  Columns about;
  double cross_fitted = 0, se = 0;  // 0 where the estimate is below; its interval says by how much
  stats::Interval interval = {};    // of the cross-fitted estimate, at the level
  double plug_in = 0, plug_in_se = 0;
  std::string model;  // that explains the plans' differences; several where plans differ
};

/// scale x EVSI - cost, of the cross-fitted estimate.
struct NetBenefit {
  Columns about;
  double cost = 0, value = 0, se = 0;
  stats::Interval interval = {};
};

struct SampledValue {
  std::int64_t draws = 0;
  Columns plans;
  std::vector<gap::Estimate> means;  // worth of each plan
  std::size_t best = 0;              // plan of the highest mean
  gap::Estimate evpi;                // mean max_d U_d - max_d mean U_d
  std::vector<PartialValue> evppi, evsi;
  std::vector<NetBenefit> enbs;  // as evsi; empty without costs
  Acceptability acceptability;   // of plans
  double scale = 1;
};

/// Strong, Oakley, Brennan, Med. Decis. Making 34:311 (2014) and 35:570 (2015), with an honest lower
/// estimate beside theirs. Throws InvalidArgument where the options or the draws are not fit for it.
SampledValue value_of_samples(const Draws& draws, const SamplesOptions& options);

}  // namespace mindgap::voi
