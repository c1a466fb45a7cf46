#include "mindgap/study/log.h"

#include <fmt/format.h>

#include "mindgap/base/error.h"
#include "mindgap/base/parallel.h"
#include "mindgap/study/state.h"

namespace mindgap::study {

const char* to_string(Arm arm) {
  return arm == Arm::control ? "control" : "explore";
}

const Digest& Chain::add_written() {
  hash_.begin();
  hash_.add(head_.data(), head_.size());
  hash_.add(out_.bytes());
  out_.clear();
  head_ = hash_.finish();
  return head_;
}

const Digest& Chain::add(const Event& event) {
  out_.text("event").whole(event.number).text(event.time).text(event.program).text(event.kind);
  out_.text(event.content).text(event.data);
  out_.whole(event.units).whole(event.assignments).whole(event.observations);
  return add_written();
}

const Digest& Chain::add(const UnitRow& row) {
  out_.text("unit").text(row.name).whole(row.state).text(row.group).whole(static_cast<int>(row.arm));
  return add_written();
}

const Digest& Chain::add(const AssignmentRow& row) {
  out_.text("assignment").whole(row.unit).whole(row.step).whole(row.state).whole(row.action).whole(row.batch);
  out_.whole(static_cast<int>(row.arm)).whole(row.route).number(row.draw_probability).number(row.probability);
  return add_written();
}

const Digest& Chain::add(const ObservationRow& row) {
  out_.text("observation").whole(row.unit).whole(row.step).whole(row.state).whole(row.action);
  out_.whole(row.has_reward ? 1 : 0).number(row.reward).whole(row.next_state);
  out_.whole(row.censored ? (row.at_most ? 2 : 1) : 0)
      .whole(row.is_void ? 1 : 0)
      .whole(row.deviation ? 1 : 0)
      .whole(row.replaces);
  return add_written();
}

namespace {

// Compares hashes with those that rows must have.
class ChainCheck {
 public:
  template <typename Row>
  void rows(std::span<const Row> rows, std::span<const Digest> stored, std::size_t& from, const char* what) {
    if (stored.size() < from + rows.size())
      throw StoreError(fmt::format("the study is damaged: {} {} has no hash", what, stored.size() + 1));
    stored = stored.subspan(from, rows.size());
    // Where every stored hash follows from the stored one before it, all follow from the first: pieces can be
    // looked at side by side.
    const auto size = static_cast<std::int64_t>(rows.size());
    const auto piece = [&](Chain& chain, std::size_t begin, std::size_t end) {
      chain.continue_from(begin == 0 ? before_ : stored[begin - 1]);
      for (std::size_t i = begin; i < end; ++i) {
        if (chain.add(rows[i]) != stored[i])
          throw StoreError(
              fmt::format("the study is damaged: {} {} is not as it was written: its hash does "
                          "not follow",
                          what, from + i + 1));
      }
    };
    if (size <= kPiece) {
      piece(chain_, 0, rows.size());
    } else {
      if (!threads_) threads_.emplace();
      base::parallel_for(*threads_, size, kPiece, [&](std::int64_t begin, std::int64_t end) {
        Chain chain;
        piece(chain, static_cast<std::size_t>(begin), static_cast<std::size_t>(end));
      });
    }
    if (!rows.empty()) before_ = stored.back();
    from += rows.size();
  }

  /// The hash of the last row looked at.
  const Digest& head() const { return before_; }

 private:
  static constexpr std::int64_t kPiece = 8192;
  std::optional<base::Threads> threads_;
  Chain chain_;
  Digest before_{};
};

}  // namespace

Digest check_chain(const Log& log, const LogHashes& hashes) {
  ChainCheck check;
  std::size_t event = 0, unit = 0, assignment = 0, observation = 0;
  for_each_event(log, [&](const Event& row, auto units, auto assignments, auto observations) {
    check.rows(std::span(&row, 1), hashes.events, event, "event");
    check.rows(units, hashes.units, unit, "unit");
    check.rows(assignments, hashes.assignments, assignment, "assignment");
    check.rows(observations, hashes.observations, observation, "observation");
  });
  return check.head();
}

}  // namespace mindgap::study
