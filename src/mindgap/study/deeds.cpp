#include "mindgap/study/deeds.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "mindgap/study/assign.h"
#include "mindgap/study/decisions.h"
#include "mindgap/study/study.h"
#include "mindgap/study/summary.h"

namespace mindgap::study {
namespace {

using DeedJson = nlohmann::ordered_json;

const Event& event_at(const LiveLog& log, std::int64_t number) {
  return log.entries[static_cast<std::size_t>(number) - 1].event;
}

// The event that this deed was before, if it was. `kinds` are those that it can have made; `same` says
// whether what was asked for is the same.
template <typename Same>
const Event* done_before(const LiveLog& log, const Author& author,
                         std::initializer_list<std::string_view> kinds, Same same) {
  const auto found = log.state.ids.find(author.id);
  if (found != log.state.ids.end()) {
    const Event& event = event_at(log, found->second);
    const Author& before = *log.state.authors[static_cast<std::size_t>(found->second) - 1];
    const bool of_kind = std::find(kinds.begin(), kinds.end(), event.kind) != kinds.end();
    if (!of_kind || before.who != author.who || before.why != author.why ||
        !same(DeedJson::parse(event.content, nullptr, false)))
      throw Refused(
          "id_reused",
          fmt::format("the id {} belongs to something else that was done: choose a new one", author.id));
    return &event;
  }
  if (author.seen > log.sequence())
    throw Refused(
        "ahead",
        fmt::format("you have seen event {}, but the study has {}: it was restored from an older copy; load "
                    "it anew, and look at what is missing",
                    author.seen, log.sequence()));
  return nullptr;
}

void refuse_when_stopped(const State& state) {
  if (state.stopped)
    throw Refused("stopped", fmt::format("the study was stopped ({})", base::printable(state.why)));
}

Event by(const Author& author, Event event) {
  event.content = with_author(event.content, author);
  return event;
}

Taken taken_before(const Event& event) {
  const auto content = DeedJson::parse(event.content);
  Taken taken;
  taken.event = event.number;
  taken.repeated = true;
  taken.outcome = event.kind == "conflict" ? Outcome::conflict : Outcome::already;
  taken.reason = event.kind == "conflict" ? content.value("reason", "") : "";
  if (event.kind != "record") return taken;
  const std::string word = content.value("outcome", "");
  for (const Outcome outcome : {Outcome::recorded, Outcome::completed, Outcome::corrected}) {
    if (word == to_string(outcome)) taken.outcome = outcome;
  }
  return taken;
}

std::string sent_content(const FieldResult& result, const Placed& placed) {
  DeedJson content;
  if (placed.outcome == Outcome::conflict) {
    content["reason"] = placed.reason;
  } else if (placed.outcome != Outcome::already) {
    content["correct"] = placed.outcome == Outcome::corrected;
    content["outcome"] = to_string(placed.outcome);
    if (!placed.new_states.empty()) content["new_states"] = placed.new_states;
  }
  content["sent"] = DeedJson::parse(to_json(result));
  return content.dump();
}

const Event* ordered_before(const LiveLog& log, const Order& order) {
  if (order.kind == Order::Kind::stop)
    return done_before(log, order.author, {"stop"}, [](const DeedJson&) { return true; });
  return done_before(log, order.author, {"redesign"}, [&](const DeedJson& content) {
    return content.value("explore", !order.explore) == order.explore;
  });
}

// What is ordered, by what is known in a state of the log.
Event decided(const State& state, const Order& order, int threads) {
  if (order.kind == Order::Kind::stop) return decide_stop(summarise(state), order.author.why);
  refuse_changed_model(state);
  const Summary look = summarise(state);
  if (look.phase == Phase::finished)
    throw Refused("finished", "every unit has done all its steps: nothing is left to design");
  return decide_redesign(state, look, order.explore, threads);
}

}  // namespace

Taken take_result(LiveWriting& writing, const FieldResult& result, const Author& author) {
  const std::string sent = to_json(result);
  if (const Event* before =
          done_before(writing.log(), author, {"record", "confirm", "conflict"}, [&](const DeedJson& content) {
            return content.contains("sent") && content["sent"].dump() == sent;
          }))
    return taken_before(*before);
  const Placed placed = place_result(writing.state(), result, author.seen);
  const bool adds = placed.outcome != Outcome::already && placed.outcome != Outcome::conflict;
  Taken taken;
  taken.outcome = placed.outcome;
  taken.reason = placed.reason;
  if (adds) taken.row = placed.row;
  taken.event = writing.append(by(author, {.kind = adds                                  ? "record"
                                                   : placed.outcome == Outcome::conflict ? "conflict"
                                                                                         : "confirm",
                                           .content = sent_content(result, placed)}),
                               {}, {}, adds ? std::vector{placed.row} : std::vector<ObservationRow>{});
  return taken;
}

Done settle(LiveWriting& writing, std::int64_t number, Choice choice, const Author& author) {
  const auto same = [&](const DeedJson& content) {
    return content.value("conflict", std::int64_t{0}) == number &&
           content.value("choose", "") == to_string(choice);
  };
  if (const Event* before = done_before(writing.log(), author, {"settle"}, same))
    return {before->number, true};
  const Conflict* conflict = writing.state().find_conflict(number);
  if (conflict == nullptr) throw Refused("not_found", fmt::format("there is no conflict {}", number));
  if (conflict->settled != 0)
    throw Refused("settled", fmt::format("the conflict was settled by event {}", conflict->settled));
  const Placed placed = settle_conflict(writing.state(), *conflict, choice);
  DeedJson content;
  content["conflict"] = number;
  content["choose"] = to_string(choice);
  if (!placed.new_states.empty()) content["new_states"] = placed.new_states;
  std::vector<ObservationRow> rows;
  if (placed.outcome == Outcome::corrected) rows.push_back(placed.row);
  return {writing.append(by(author, {.kind = "settle", .content = content.dump()}), {}, {}, rows), false};
}

std::optional<Draft> draft_update(const LiveStudy& study, std::optional<std::int64_t> step, int threads) {
  std::optional<Draft> draft = study.read([&](const LiveLog& log) {
    const bool due = !log.state.stopped && update_is_due(log.state, step);
    return due ? std::optional(Draft{log.sequence(), log.state}) : std::nullopt;
  });
  if (draft) draft->event = decide_update(draft->state, threads);
  return draft;
}

AssignedNow assign_next(LiveWriting& writing, std::optional<std::int64_t> step, const Author& author,
                        int threads, const std::optional<Draft>& drafted) {
  const State& state = writing.state();
  const auto count = [&](AssignedNow& answer) {
    for (const UnitPlace& place : state.places) {
      answer.finished += !place.pending && place.next_step >= state.options.horizon;
      answer.waiting += place.pending;
    }
  };
  AssignedNow answer;
  if (const Event* before =
          done_before(writing.log(), author, {"assign", "update"}, [&](const DeedJson& content) {
            return content.contains("results") ||
                   (step ? content.value("step", std::int64_t{-1}) == *step : !content.contains("step"));
          })) {
    answer.event = before->number;
    answer.repeated = true;
    answer.added = before->assignments;
    const auto place = static_cast<std::size_t>(before->number) - 1;
    answer.updated =
        before->kind == "update" || (place > 0 && writing.log().entries[place - 1].event.kind == "update");
    count(answer);
    return answer;
  }
  refuse_when_stopped(state);
  if (step && (*step < 0 || *step >= state.options.horizon))
    throw Refused("invalid", fmt::format("the study has steps 0 to {}", state.options.horizon - 1));
  refuse_changed_model(state);
  answer.updated = update_is_due(state, step);
  std::optional<State> after;  // with the update, before anything is written
  Event update;
  if (answer.updated) {
    const std::int64_t number = writing.log().sequence() + 1;
    const bool holds = drafted && still_holds(drafted->state, state);
    update = holds ? with_as_of(drafted->event, drafted->as_of, number) : decide_update(state, threads);
    after = state;
    update.number = number;
    apply(*after, update, {}, {}, {});
  }
  const std::vector<AssignmentRow> rows = next_assignments(after ? *after : state, step);
  if (answer.updated) {
    Author first = author;  // an id is of one event
    if (!rows.empty()) first.id.clear();
    answer.event = writing.append(by(first, update));
  }
  if (!rows.empty()) {
    const std::string content = step ? fmt::format("{{\"step\":{}}}", *step) : "{}";
    answer.event = writing.append(by(author, {.kind = "assign", .content = content}), {}, rows);
  }
  answer.added = static_cast<std::int64_t>(rows.size());
  count(answer);
  return answer;
}

std::optional<Draft> draft(const LiveStudy& study, const Order& order, int threads) {
  std::optional<Draft> draft = study.read([&](const LiveLog& log) -> std::optional<Draft> {
    if (ordered_before(log, order) != nullptr) return std::nullopt;
    refuse_when_stopped(log.state);
    return Draft{log.sequence(), log.state};
  });
  if (draft) draft->event = decided(draft->state, order, threads);
  return draft;
}

std::optional<Done> carry_out(LiveWriting& writing, const Order& order, const std::optional<Draft>& draft) {
  if (const Event* before = ordered_before(writing.log(), order)) return Done{before->number, true};
  refuse_when_stopped(writing.state());
  if (!draft || !still_holds(draft->state, writing.state())) return std::nullopt;
  const std::int64_t number = writing.log().sequence() + 1;
  return Done{writing.append(by(order.author, with_as_of(draft->event, draft->as_of, number))), false};
}

Done carry_out_now(LiveWriting& writing, const Order& order, int threads) {
  if (const Event* before = ordered_before(writing.log(), order)) return {before->number, true};
  refuse_when_stopped(writing.state());
  return {writing.append(by(order.author, decided(writing.state(), order, threads))), false};
}

Done note_people(LiveWriting& writing, const std::map<std::string, Person>& people, const Author& author) {
  const std::string content = people_change(writing.state().people, people);
  if (content.empty()) return {};
  return {writing.append(by(author, {.kind = "people", .content = content})), false};
}

}  // namespace mindgap::study
