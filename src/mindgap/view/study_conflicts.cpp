#include "mindgap/view/study_conflicts.h"

#include <fmt/format.h>

#include "mindgap/base/error.h"
#include "mindgap/base/number.h"

namespace mindgap::view {
namespace {

const char* bound_words(mdp::Censoring bound) {
  if (bound == mdp::Censoring::none) return "";
  return bound == mdp::Censoring::at_most ? "at most " : "at least ";
}

mdp::Censoring censoring_of(const study::ObservationRow& row) {
  if (!row.censored) return mdp::Censoring::none;
  return row.at_most ? mdp::Censoring::at_most : mdp::Censoring::at_least;
}

// What a result says, without whose it is.
std::string said_by(const study::State& state, const study::ObservationRow& row) {
  if (row.is_void) return "no visit";
  std::string text = row.deviation ? fmt::format("did {}, ", state.mdp().action_name(row.action)) : "";
  text += row.has_reward
              ? fmt::format("reward {}{}", bound_words(censoring_of(row)), base::shortest(row.reward))
              : "reward not known yet";
  if (row.next_state >= 0) text += ", led to " + state.mdp().state_name(row.next_state);
  return text;
}

const study::Author* author_of(const study::State& state, const study::Conflict& conflict) {
  return state.authors[static_cast<std::size_t>(conflict.event) - 1].get();
}

}  // namespace

std::string result_in_words(const study::State& state, const study::ObservationRow& row) {
  return fmt::format("{}, step {}: {}", state.units[row.unit].name, row.step, said_by(state, row));
}

std::string result_in_words(const study::FieldResult& sent) {
  std::string text = fmt::format("{}, step {}: ", sent.unit, sent.step);
  if (sent.is_void) return text + "no visit";
  if (sent.action) text += fmt::format("did {}, ", *sent.action);
  if (sent.reward) text += fmt::format("reward {}{}", bound_words(sent.bound), base::shortest(*sent.reward));
  if (sent.next_state) text += (sent.reward ? ", led to " : "led to ") + *sent.next_state;
  return text;
}

std::vector<const study::Conflict*> open_conflicts(const study::State& state) {
  std::vector<const study::Conflict*> open;
  for (const study::Conflict& conflict : state.conflicts) {
    if (conflict.settled == 0) open.push_back(&conflict);
  }
  return open;
}

std::string conflict_in_words(const study::State& state, const study::Conflict& conflict) {
  const study::Author* author = author_of(state, conflict);
  const std::int32_t holds = state.result[conflict.assignment];
  return fmt::format(
      "conflict {}: {} sent {}, but the log has {} ({})", conflict.event,
      author == nullptr ? "somebody" : base::printable(author->who),
      base::printable(result_in_words(conflict.sent), 300),
      holds < 0 ? "nothing"
                : base::printable(said_by(state, state.observations[static_cast<std::size_t>(holds)]), 300),
      base::printable(conflict.reason));
}

Json json_of_conflicts(const study::State& state) {
  Json list = Json::array();
  for (const study::Conflict* conflict : open_conflicts(state)) {
    const study::Author* author = author_of(state, *conflict);
    list.push_back({{"conflict", conflict->event},
                    {"reason", conflict->reason},
                    {"unit", conflict->sent.unit},
                    {"step", conflict->sent.step},
                    {"sent", Json::parse(study::to_json(conflict->sent))},
                    {"who", author == nullptr ? Json(nullptr) : Json(author->who)},
                    {"time", state.times[static_cast<std::size_t>(conflict->event) - 1]},
                    {"why", author == nullptr ? Json(nullptr) : Json(author->why)}});
  }
  return list;
}

}  // namespace mindgap::view
