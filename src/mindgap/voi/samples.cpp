#include "mindgap/voi/samples.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "mindgap/base/check.h"
#include "mindgap/base/error.h"
#include "mindgap/base/option_name.h"
#include "mindgap/base/readable.h"
#include "mindgap/base/suggest.h"
#include "mindgap/base/workers.h"
#include "mindgap/stats/moments.h"
#include "mindgap/stats/paired.h"
#include "mindgap/voi/conditional_mean.h"

namespace mindgap::voi {
namespace {

using base::option_name;

void check_once(const Columns& columns, const std::string& option) {
  if (columns.empty()) throw InvalidArgument(fmt::format("{}: expected at least one column", option));
  std::set<std::string> seen;
  for (const std::string& name : columns) {
    if (!seen.insert(name).second)
      throw InvalidArgument(fmt::format("{} names the column '{}' twice", option, base::printable(name)));
  }
}

void check_groups(const std::vector<Columns>& groups, const Columns& plans, const char* option) {
  for (const Columns& group : groups) {
    check_once(group, option_name(option));
    for (const std::string& name : group) {
      if (std::find(plans.begin(), plans.end(), name) != plans.end()) {
        throw InvalidArgument(
            fmt::format("the column '{}' is both in {} and in {}: it is either what a plan "
                        "is worth or what is unknown",
                        base::printable(name), option_name("plans"), option_name(option)));
      }
    }
  }
}

// Draws that a group's regression can rest on.
void check_draws(const Draws& draws, const Columns& group) {
  if (draws.draws() < kFewestDraws) {
    throw InvalidArgument(
        fmt::format("{}: {} draws are too few for the value of partial information: "
                    "expected at least {}",
                    draws.file, draws.draws(), kFewestDraws));
  }
  for (const std::string& name : group) {
    const std::vector<double>& values = draws.column(name);
    if (std::all_of(values.begin(), values.end(), [&](double v) { return v == values[0]; })) {
      throw InvalidArgument(
          fmt::format("{}: column '{}' is {} in every draw: there is nothing to learn "
                      "about it",
                      draws.file, base::printable(name), base::number(values[0], 6)));
    }
  }
}

class Sampled {
 public:
  Sampled(const Draws& draws, const SamplesOptions& options) : draws_(draws), options_(options) {
    for (const std::string& plan : options.plans) {
      result_.means.push_back(gap::estimate(draws.column(plan)));
      if (result_.means.back().mean > result_.means[result_.best].mean)
        result_.best = result_.means.size() - 1;
    }
    result_.draws = draws.draws();
    result_.plans = options.plans;
    result_.scale = options.scale;
    // What each other plan is ahead of the best: of the best itself it is 0 in every world, and what plans
    // have in common is no noise.
    const std::vector<double>& best = draws.column(options.plans[result_.best]);
    for (std::size_t p = 0; p < options.plans.size(); ++p) {
      if (p == result_.best) continue;
      std::vector<double> ahead = draws.column(options.plans[p]);
      for (std::size_t i = 0; i < ahead.size(); ++i) ahead[i] -= best[i];
      ahead_.push_back(std::move(ahead));
    }
  }

  SampledValue run() {
    std::vector<double> most(static_cast<std::size_t>(draws_.draws()), 0.0);
    for (const std::vector<double>& ahead : ahead_) {
      for (std::size_t i = 0; i < most.size(); ++i) most[i] = std::max(most[i], ahead[i]);
    }
    result_.evpi = gap::estimate(most);
    std::vector<std::vector<double>> values;
    for (const std::string& plan : options_.plans) values.push_back(draws_.column(plan));
    result_.acceptability = acceptability(values);
    const auto total = static_cast<std::int64_t>(options_.about.size() + options_.data.size());
    const auto add = [&](PartialValue value) {
      (result_.evppi.size() < options_.about.size() ? result_.evppi : result_.evsi)
          .push_back(std::move(value));
      options_.run.listener.tell("value of information",
                                 static_cast<std::int64_t>(result_.evppi.size() + result_.evsi.size()),
                                 total);
    };
    if (base::are_shared() && total > 0) {
      base::share(
          {"groups", 0, total},
          [&](std::int64_t first, std::int64_t last) {
            std::vector<double> numbers;
            for (std::int64_t i = first; i < last; ++i) write(partial(group(i)), numbers);
            return numbers;
          },
          [&](std::int64_t first, std::int64_t last, std::span<const double> numbers) {
            base::NumberReader reader(numbers);
            for (std::int64_t i = first; i < last; ++i) add(read(group(i), reader));
            return true;
          });
    } else {
      for (std::int64_t i = 0; i < total; ++i) add(partial(group(i)));
    }
    for (std::size_t e = 0; e < result_.evsi.size() && !options_.cost.empty(); ++e)
      result_.enbs.push_back(net(result_.evsi[e], options_.cost[options_.cost.size() == 1 ? 0 : e]));
    return std::move(result_);
  }

 private:
  // Those of EVPPI first, then those of EVSI.
  const Columns& group(std::int64_t i) const {
    const auto at = static_cast<std::size_t>(i);
    return at < options_.about.size() ? options_.about[at] : options_.data[at - options_.about.size()];
  }

  static void write(const PartialValue& value, std::vector<double>& numbers) {
    base::NumberWriter writer(numbers);
    for (const double one : {value.cross_fitted, value.se, value.interval.lower, value.interval.upper,
                             value.plug_in, value.plug_in_se})
      writer.one(one);
    writer.list(value.model);
  }
  static PartialValue read(const Columns& group, base::NumberReader& reader) {
    PartialValue value{group};
    for (double* one : {&value.cross_fitted, &value.se, &value.interval.lower, &value.interval.upper,
                        &value.plug_in, &value.plug_in_se})
      reader.one(*one);
    reader.list(value.model);
    return value;
  }

  PartialValue partial(const Columns& group) const {
    check_draws(draws_, group);
    std::vector<std::span<const double>> inputs;
    for (const std::string& name : group) inputs.emplace_back(draws_.column(name));
    const std::vector<ConditionalMean> means = conditional_means(inputs, ahead_, {.run = options_.run});
    const auto draws = static_cast<std::size_t>(draws_.draws());
    std::vector<double> promised(draws, 0.0), again(draws, 0.0), earned(draws, 0.0);
    for (std::size_t i = 0; i < draws; ++i) {
      double highest = 0;
      for (std::size_t d = 0; d < means.size(); ++d) {
        if (means[d].fitted[i] > promised[i]) {
          promised[i] = means[d].fitted[i];
          again[i] = ahead_[d][i];
        }
        if (means[d].left_out[i] > highest) {
          highest = means[d].left_out[i];
          earned[i] = ahead_[d][i];
        }
      }
    }
    PartialValue value{group};
    const gap::Estimate honest = gap::estimate(earned);
    const gap::Estimate plug =
        std::max({gap::estimate(promised), gap::estimate(again), honest},
                 [](const gap::Estimate& a, const gap::Estimate& b) { return a.mean < b.mean; });
    value.interval = stats::student_interval(honest.mean, honest.standard_error,
                                             static_cast<std::int64_t>(draws), options_.level);
    value.cross_fitted = std::max(0.0, honest.mean);
    value.se = honest.standard_error;
    value.plug_in = std::max(0.0, plug.mean);
    value.plug_in_se = plug.standard_error;
    std::set<std::string_view> models;
    for (const ConditionalMean& mean : means) models.insert(mean.model);
    value.model = fmt::format("{}", fmt::join(models, ", "));
    return value;
  }

  NetBenefit net(const PartialValue& evsi, double cost) const {
    const double scale = options_.scale;
    return {evsi.about,
            cost,
            scale * evsi.cross_fitted - cost,
            scale * evsi.se,
            {scale * evsi.interval.lower - cost, scale * evsi.interval.upper - cost}};
  }

  const Draws& draws_;
  const SamplesOptions& options_;
  SampledValue result_;
  std::vector<std::vector<double>> ahead_;  // by plan but the best
};

}  // namespace

const std::vector<double>& Draws::column(std::string_view name) const {
  const auto at = std::find(names.begin(), names.end(), name);
  if (at == names.end()) throw InvalidArgument(file + ": " + base::unknown_name("column", name, names));
  return columns[static_cast<std::size_t>(at - names.begin())];
}

void SamplesOptions::validate() const {
  check_once(plans, option_name("plans"));
  if (plans.size() < 2) {
    throw InvalidArgument(
        fmt::format("{}: one plan is no choice: name at least two columns", option_name("plans")));
  }
  check_groups(about, plans, "about");
  check_groups(data, plans, "data");
  if (!std::isfinite(scale) || scale <= 0)
    throw InvalidArgument(
        fmt::format("{} is {}, but must be positive", option_name("scale"), base::number(scale, 6)));
  if (!cost.empty() && data.empty()) {
    throw InvalidArgument(fmt::format("{} is the cost of an experiment: say what it would show with {}",
                                      option_name("cost"), option_name("data")));
  }
  if (cost.size() > 1 && cost.size() != data.size()) {
    throw InvalidArgument(
        fmt::format("{}: {} costs are given for {} experiments; expected one for all or one for "
                    "each",
                    option_name("cost"), cost.size(), data.size()));
  }
  for (const double one : cost) {
    if (!std::isfinite(one) || one < 0)
      throw InvalidArgument(
          fmt::format("{} is {}, but must be zero or more", option_name("cost"), base::number(one, 6)));
  }
  base::check_range("voi", "level", level, .5, .9999);
}

Columns SamplesOptions::wanted() const {
  Columns all = plans;
  const auto add = [&](const std::vector<Columns>& groups) {
    for (const Columns& group : groups) {
      for (const std::string& name : group) {
        if (std::find(all.begin(), all.end(), name) == all.end()) all.push_back(name);
      }
    }
  };
  add(about);
  add(data);
  return all;
}

SampledValue value_of_samples(const Draws& draws, const SamplesOptions& options) {
  options.validate();
  for (const std::vector<double>& column : draws.columns) {
    base::check_size("value_of_samples", "column", column.size(), draws.columns[0].size());
    base::check_finite("value_of_samples", "column", column);
  }
  if (draws.draws() < 2)
    throw InvalidArgument(
        fmt::format("{}: {} draws are too few: expected at least 2", draws.file, draws.draws()));
  return Sampled(draws, options).run();
}

}  // namespace mindgap::voi
