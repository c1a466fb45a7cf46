#include "mindgap/study/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "mindgap/base/error.h"
#include "mindgap/base/listener.h"
#include "mindgap/study/assign.h"
#include "mindgap/study/check_event.h"
#include "mindgap/study/decisions.h"
#include "mindgap/study/place_result.h"
#include "mindgap/study/whole_number.h"

namespace mindgap::study {
namespace {

// The problem is put into words only where there is one: most of this is asked for every row.
template <typename... Values>
void require(bool good, fmt::format_string<Values...> problem, Values&&... values) {
  if (!good) throw StoreError(fmt::format(problem, std::forward<Values>(values)...));
}

// The version the file claims is the one its log says.
void check_version(const Log& log, std::int64_t version) {
  std::int64_t told = whole_number(nlohmann::json::parse(log.events.front().content).at("schema"));
  for (const Event& event : log.events) {
    if (event.kind == "migrate") told = whole_number(nlohmann::json::parse(event.content).at("to"));
  }
  require(told == version, "the file says it is of version {}, its log {}", version, told);
}

void check_arms(const State& state, std::span<const UnitRow> units) {
  std::vector<std::int32_t> unit_state;
  for (const UnitRow& unit : units) unit_state.push_back(unit.state);
  const std::size_t present = state.units.size();
  const std::vector<Arm> arms = present == 0 ? draw_arms(unit_state, state.options, state.mdp())
                                             : draw_later_arms(unit_state, state.options, present);
  for (std::size_t u = 0; u < units.size(); ++u)
    require(units[u].arm == arms[u], "unit {} is not in the arm it was drawn into", present + u + 1);
}

void check_assignments(const State& state, const Event& event, std::span<const AssignmentRow> stored) {
  const auto content = nlohmann::json::parse(event.content);
  const std::optional<std::int64_t> step =
      content.contains("step") ? std::optional(whole_number(content["step"])) : std::nullopt;
  require(!update_is_due(state, step), "event {} assigned by a policy that was to be updated", event.number);
  const std::vector<AssignmentRow> wanted = next_assignments(state, step);
  require(wanted.size() == stored.size(), "event {} assigned {} units, but {} were to be assigned",
          event.number, stored.size(), wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i)
    require(wanted[i] == stored[i], "assignment {} does not follow from the log before it",
            state.assignments.size() + i + 1);
}

// New states come only where the study allows them, each because a result names it.
void check_new_states(const State& state, const Event& event, std::span<const ObservationRow> rows) {
  const std::vector<std::string> names = new_states_of(event);
  require(names.empty() || state.options.allow_new_states,
          "event {} has new states, which the study does not allow", event.number);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto number = state.mdp().states() + static_cast<std::int32_t>(i);
    require(std::any_of(rows.begin(), rows.end(), [&](const auto& row) { return row.next_state == number; }),
            "event {} has a new state that no result names", event.number);
  }
}

void check_deviations(const State& state, std::span<const ObservationRow> rows) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::int32_t assignment = state.find_assignment(rows[i].unit, rows[i].step);
    require(assignment >= 0 && state.assignments[assignment].state == rows[i].state &&
                (state.assignments[assignment].action != rows[i].action) == rows[i].deviation,
            "observation {} does not follow from the log before it", state.observations.size() + i + 1);
  }
}

// Which part of a decision differs from what is computed now, and who wrote it.
std::string difference_of(const Event& stored, const Event& again) {
  std::string what = stored.data == again.data ? "" : "its data";
  const auto before = nlohmann::json::parse(stored.content, nullptr, false),
             now = nlohmann::json::parse(again.content, nullptr, false);
  if (before.is_object() && now.is_object()) {
    for (const auto& [key, value] : before.items()) {
      if (now.contains(key) && now[key] == value) continue;
      what = fmt::format("'{}' is {} in the log and {} now", key, base::printable(value.dump()),
                         now.contains(key) ? base::printable(now[key].dump()) : "missing");
      break;
    }
  }
  return fmt::format("{}; it was written by {}", what.empty() ? "its content" : what,
                     base::printable(stored.program));
}

// An author cannot have seen what came later, and says who they are.
void check_author(const Event& event, const Author& author) {
  require(author.seen >= 0 && author.seen < event.number,
          "the author of event {} had seen event {}, which came later", event.number, author.seen);
  require(!author.who.empty(), "event {} has an author without a name", event.number);
}

bool same_rows(const Placed& placed, std::span<const ObservationRow> rows) {
  const bool adds = placed.outcome != Outcome::already && placed.outcome != Outcome::conflict;
  return adds ? rows.size() == 1 && rows[0] == placed.row : rows.empty();
}

// What was made of a result that somebody sent is what must be made of it, given the log before it.
void check_sent(const State& state, const Event& event, std::span<const ObservationRow> rows) {
  const auto content = nlohmann::ordered_json::parse(event.content);
  const bool is_conflict = event.kind == "conflict", is_confirmed = event.kind == "confirm";
  if (!content.contains("sent")) {
    require(event.kind == "record", "event {} is about no result", event.number);
    return;
  }
  const std::shared_ptr<const Author> author = author_of(event);
  require(author != nullptr, "event {} has a result that nobody sent", event.number);
  try {
    const Placed placed = place_result(state, field_result_from(content["sent"].dump()), author->seen);
    require(
        is_conflict == (placed.outcome == Outcome::conflict) &&
            is_confirmed == (placed.outcome == Outcome::already) && same_rows(placed, rows) &&
            placed.new_states == new_states_of(event) &&
            (!is_conflict || content.at("reason").get<std::string>() == placed.reason) &&
            (event.kind != "record" ||
             content.at("correct").get<bool>() == (placed.outcome == Outcome::corrected)) &&
            (event.kind != "record" || content.at("outcome").get<std::string>() == to_string(placed.outcome)),
        "event {} ({}) does not follow from the result that was sent", event.number, event.kind);
  } catch (const Refused& refused) {
    throw StoreError(
        fmt::format("event {} has a result that was to be refused: {}", event.number, refused.what()));
  }
}

void check_settled(const State& state, const Event& event, std::span<const ObservationRow> rows) {
  const auto content = nlohmann::json::parse(event.content);
  const Conflict* conflict = state.find_conflict(whole_number(content.at("conflict")));
  const std::optional<Choice> choice = choice_from(content.at("choose").get<std::string>());
  require(conflict != nullptr && conflict->settled == 0 && choice.has_value(),
          "event {} settles no open conflict", event.number);
  require(same_rows(settle_conflict(state, *conflict, *choice), rows),
          "event {} does not settle its conflict as it says", event.number);
}

// `state` is what the decision was made on, `now` where the log stood when it was written.
void check_decision(const State& state, const State& now, const Event& event, int threads) {
  Event again;
  const auto content = nlohmann::json::parse(event.content);
  if (event.kind == "design") again = decide_design(state, threads);
  if (event.kind == "redesign")
    again = decide_redesign(state, summarise(state), content.at("explore").get<bool>(), threads);
  if (event.kind == "update") {
    require(update_is_due(now), "event {}: no update was due", event.number);
    again = decide_update(state, threads);
  }
  if (event.kind == "stop") again = decide_stop(summarise(state), content.at("why").get<std::string>());
  again = with_as_of(std::move(again), as_of(event), event.number);
  if (const auto author = author_of(event)) again.content = with_author(again.content, *author);
  const bool same = again.content == event.content && again.data == event.data;
  require(same, "event {} ({}) does not follow from the log before it: {}", event.number, event.kind,
          same ? "" : difference_of(event, again));
}

// What the log's last row was after each event.
std::vector<Digest> heads_of(const Log& log, const LogHashes& hashes) {
  std::vector<Digest> heads;
  std::size_t unit = 0, assignment = 0, observation = 0;
  for_each_event(log, [&](const Event& event, auto units, auto assignments, auto observations) {
    unit += units.size(), assignment += assignments.size(), observation += observations.size();
    heads.push_back(!observations.empty()  ? hashes.observations[observation - 1]
                    : !assignments.empty() ? hashes.assignments[assignment - 1]
                    : !units.empty()       ? hashes.units[unit - 1]
                                           : hashes.events[static_cast<std::size_t>(event.number) - 1]);
  });
  return heads;
}

void check_anchors(const std::vector<Digest>& heads, const std::string& id,
                   const std::vector<Anchor>& anchors, Verification& result) {
  for (const Anchor& anchor : anchors) {
    if (anchor.study != id) continue;
    ++result.anchors;
    const auto events = static_cast<std::size_t>(anchor.events);
    require(events <= heads.size(),
            "the anchor of {} says that there were {} events, but there are {}: the log was cut off",
            base::printable(anchor.time), anchor.events, heads.size());
    require(hex(heads[events - 1]) == anchor.head,
            "the log up to event {} is not what it was at the anchor of {}: it was changed since",
            anchor.events, base::printable(anchor.time));
  }
  require(anchors.empty() || result.anchors > 0,
          "none of the anchors is of this study: it is another one, or made anew");
}

// Every signature is good, and is of the log as it was before it.
void check_signatures(const Log& log, const std::vector<Digest>& heads, const std::vector<std::string>& keys,
                      Verification& result) {
  for (const Event& event : log.events) {
    if (event.kind != "signature") continue;
    const auto content = nlohmann::json::parse(event.content);
    const auto key = content.at("key").get<std::string>(), head = content.at("head").get<std::string>();
    const auto events = whole_number(content.at("events"));
    const auto place = static_cast<std::size_t>(event.number) - 1;
    require(place > 0 && events == event.number - 1 && head == hex(heads[place - 1]) &&
                is_signed_by(key, message_to_sign(head, events), content.at("signature").get<std::string>()),
            "the signature of event {} is not of the log before it", event.number);
    require(keys.empty() || std::find(keys.begin(), keys.end(), key) != keys.end(),
            "event {} was signed with a key that is not among those given: {}", event.number, key);
    ++result.signatures;
    if (std::find(result.keys.begin(), result.keys.end(), key) == result.keys.end())
      result.keys.push_back(key);
  }
  require(keys.empty() || log.events.back().kind == "signature", "{}",
          result.signatures == 0 ? "nothing in it is signed" : "the last event is not signed");
}

}  // namespace

void check_event(const State& state, const Event& event, std::span<const UnitRow> units,
                 std::span<const AssignmentRow> assignments, std::span<const ObservationRow> observations,
                 EarlierStates& earlier, int threads) {
  const std::string& kind = event.kind;
  const bool decision = is_decision(kind);
  require(decision || kind == "study" || kind == "assign" || kind == "record" || kind == "units" ||
              kind == "migrate" || kind == "signature" || kind == "conflict" || kind == "confirm" ||
              kind == "settle" || kind == "people",
          "event {} is of no known kind", event.number);
  require(!state.batches.empty() || kind == "study" || kind == "design",
          "event {} comes before the first design", event.number);
  require((units.empty() || kind == "study" || kind == "units") &&
              (assignments.empty() || kind == "assign") &&
              (observations.empty() || kind == "record" || kind == "settle"),
          "event {} has rows that are not its own", event.number);
  if (kind == "study" || kind == "units") check_arms(state, units);
  if (kind == "assign") check_assignments(state, event, assignments);
  if (const auto author = author_of(event)) check_author(event, *author);
  if (kind == "record" || kind == "settle") {
    check_new_states(state, event, observations);
    check_deviations(state, observations);
  }
  if (kind == "record" || kind == "conflict" || kind == "confirm") check_sent(state, event, observations);
  if (kind == "settle") check_settled(state, event, observations);
  if (decision) {
    const State* made_on = earlier.of(event, state);
    require(made_on != nullptr && still_holds(*made_on, state),
            "event {} is a decision of event {}, and the log had moved on", event.number, as_of(event));
    check_decision(*made_on, state, event, threads);
    earlier.forget(event);
  }
}

namespace {

void check_events(const Log& log, Verification& result, int threads) {
  std::optional<State> state;
  EarlierStates earlier(log);
  std::int64_t done = 0;
  // One bar for all events is enough, but it is told of whenever something goes on in one.
  const base::Listener* outer = base::current_listener();
  const base::Listening all({.progress = [&](const auto&...) {
    if (outer != nullptr) outer->tell("verifying", done, static_cast<std::int64_t>(log.events.size()));
  }});
  for_each_event(log, [&](const Event& event, auto units, auto assignments, auto observations) {
    if (!state) state.emplace(begin(event));
    done = event.number - 1;
    base::report_progress("verifying", done, 0);
    check_event(*state, event, units, assignments, observations, earlier, threads);
    if (event.kind == "design" || event.kind == "redesign") ++result.designs;
    apply(*state, event, units, assignments, observations);
    earlier.look(event.number, *state);
  });
  require(state.has_value(), "there is nothing in it");
}

Digest noted_hash(const std::string& text) {
  Digest digest{};
  const auto value = [](char c) {
    const std::size_t at = std::string_view("0123456789abcdefABCDEF").find(c);
    return at == std::string_view::npos ? -1 : static_cast<int>(at < 16 ? at : at - 6);
  };
  bool good = text.size() == 2 * digest.size();
  for (std::size_t i = 0; good && i < digest.size(); ++i) {
    const int high = value(text[2 * i]), low = value(text[2 * i + 1]);
    good = high >= 0 && low >= 0;
    digest[i] = static_cast<unsigned char>(16 * high + low);
  }
  if (!good) {
    throw InvalidArgument(fmt::format(
        "verify: the hash of a row has 64 hexadecimal digits, but '{}' was given", base::printable(text)));
  }
  return digest;
}

// How many events follow the one that has this row.
std::int64_t events_after(const Log& log, const LogHashes& hashes, const std::string& noted) {
  const Digest wanted = noted_hash(noted);
  std::size_t unit = 0, assignment = 0, observation = 0;
  const auto has = [&](const std::vector<Digest>& list, std::size_t& from, std::size_t count) {
    const auto begin = list.begin() + static_cast<std::ptrdiff_t>(from);
    const auto end = begin + static_cast<std::ptrdiff_t>(count);
    from += count;
    return std::find(begin, end, wanted) != end;
  };
  std::int64_t found = 0;
  for_each_event(log, [&](const Event& event, auto units, auto assignments, auto observations) {
    const bool here = hashes.events[static_cast<std::size_t>(event.number) - 1] == wanted;
    const bool in_units = has(hashes.units, unit, units.size());
    const bool in_assignments = has(hashes.assignments, assignment, assignments.size());
    const bool in_observations = has(hashes.observations, observation, observations.size());
    if (here || in_units || in_assignments || in_observations) found = event.number;
  });
  require(found > 0,
          "no row has the hash {}: rows that were there when it was noted have been cut "
          "off or replaced, or it is another study's",
          noted);
  return static_cast<std::int64_t>(log.events.size()) - found;
}

void check_log(Transaction& transaction, Verification& result, int threads, const Proofs& proofs) {
  const std::string damage = transaction.damage();
  require(damage.empty(), "{}", damage);
  LogHashes hashes;
  const Log log = transaction.read_log(&hashes);
  require(!log.events.empty(), "there is nothing in it");
  result.events = static_cast<std::int64_t>(log.events.size());
  result.units = static_cast<std::int64_t>(log.units.size());
  result.assignments = static_cast<std::int64_t>(log.assignments.size());
  result.observations = static_cast<std::int64_t>(log.observations.size());
  result.head = hex(transaction.head());
  check_version(log, transaction.version());
  if (proofs.head) result.events_since = events_after(log, hashes, *proofs.head);
  const std::vector<Digest> heads = heads_of(log, hashes);
  check_anchors(heads, hex(hashes.events.front()), proofs.anchors, result);
  check_signatures(log, heads, proofs.keys, result);
  check_events(log, result, threads);
}

Verification check_all(const Storage& storage, int threads, const Proofs& proofs) {
  const std::unique_ptr<Transaction> transaction = storage.begin_reading();
  return transaction->steadily([&] {
    Verification found;
    check_log(*transaction, found, threads, proofs);
    found.good = true;
    return found;
  });
}

void sign(const Storage& storage, int threads, const Proofs& proofs) {
  const std::unique_ptr<Transaction> transaction = storage.begin(Access::mend, {});
  Verification found;
  check_log(*transaction, found, threads, proofs);
  transaction->sign();
}

Verification told(const Storage& storage, int threads, const Proofs& proofs, bool anew) {
  storage.check_there();
  if (proofs.head) noted_hash(*proofs.head);
  Verification result;
  try {
    if (anew) sign(storage, threads, proofs);
    result = check_all(storage, threads, proofs);
  } catch (const Error& error) {
    result.problem = error.what();
  } catch (const nlohmann::json::exception& error) {
    result.problem = std::string("what an event says cannot be read: ") + error.what();
  }
  return result;
}

}  // namespace

Verification verify(const Storage& storage, int threads, const Proofs& proofs) {
  return told(storage, threads, proofs, false);
}

Verification verify_and_sign(const Storage& storage, int threads, const Proofs& proofs) {
  return told(storage, threads, proofs, true);
}

}  // namespace mindgap::study
