#include "mindgap/mdp/observation_log.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace mindgap::mdp {

std::optional<Censoring> censoring_from(std::string_view text) {
  if (text.empty() || text == "0") return Censoring::none;
  if (text == "1" || text == "at_least") return Censoring::at_least;
  if (text == "at_most") return Censoring::at_most;
  return std::nullopt;
}

std::string_view to_string(Censoring censoring) {
  constexpr std::string_view kNames[] = {"0", "1", "at_most"};
  return kNames[static_cast<std::size_t>(censoring)];
}

void append(ObservationLog& log, const ObservationLog& more) {
  const auto join = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
  if (more.probability.empty() != log.probability.empty())
    log.probability.clear();
  else
    join(log.probability, more.probability);
  if (!log.censored.empty() || !more.censored.empty()) {
    log.censored.resize(log.size(), Censoring::none);
    join(log.censored, more.censored);
    log.censored.resize(log.size() + more.size(), Censoring::none);
  }
  const auto number_in = [](NameTable& names, std::string_view name) {
    const std::int32_t known = names.find(name);
    return known >= 0 ? known : names.add(name);
  };
  if (more.instrument.empty() != log.instrument.empty()) {
    log.instrument.clear();
    log.instruments = {};
  } else {
    for (const std::int32_t value : more.instrument)
      log.instrument.push_back(value < 0 ? value : number_in(log.instruments, more.instruments[value]));
  }
  for (const std::int32_t unit : more.unit) log.unit.push_back(number_in(log.units, more.units[unit]));
  join(log.step, more.step);
  join(log.pair, more.pair);
  join(log.reward, more.reward);
  join(log.next_state, more.next_state);
}

std::vector<std::size_t> repeated_rows(const ObservationLog& log) {
  std::vector<std::size_t> order(log.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto key = [&](std::size_t i) { return std::tuple(log.unit[i], log.step[i], i); };
  const auto before = [&](std::size_t i, std::size_t j) { return key(i) < key(j); };
  if (!std::is_sorted(order.begin(), order.end(), before)) std::sort(order.begin(), order.end(), before);
  std::vector<std::size_t> repeated;
  for (std::size_t i = 1; i < order.size(); ++i) {
    const std::size_t a = order[i - 1], b = order[i];
    if (log.unit[a] == log.unit[b] && log.step[a] == log.step[b]) repeated.push_back(b);
  }
  std::sort(repeated.begin(), repeated.end());
  return repeated;
}

std::vector<double> count_pairs(const Mdp& mdp, const ObservationLog& log) {
  std::vector<double> count(static_cast<std::size_t>(mdp.pairs()));
  for (std::size_t i = 0; i < log.size(); ++i) {
    const Observation seen = log.row(i);
    if (seen.reward && seen.next_state) ++count[seen.pair];
  }
  return count;
}

}  // namespace mindgap::mdp
