#include "mindgap/study/log.h"

#include "mindgap/study/bytes.h"

namespace mindgap::study {

const char* to_string(Arm arm) {
  return arm == Arm::control ? "control" : "explore";
}

const Digest& Chain::add(const std::string& bytes) {
  hash_.begin();
  hash_.add(head_.data(), head_.size());
  hash_.add(bytes);
  head_ = hash_.finish();
  return head_;
}

const Digest& Chain::add(const Event& event) {
  ByteWriter out;
  out.text("event").whole(event.number).text(event.time).text(event.program).text(event.kind);
  out.text(event.content).text(event.data);
  out.whole(event.units).whole(event.assignments).whole(event.observations);
  return add(out.bytes());
}

const Digest& Chain::add(const UnitRow& row) {
  ByteWriter out;
  out.text("unit").text(row.name).whole(row.state).text(row.group).whole(static_cast<int>(row.arm));
  return add(out.bytes());
}

const Digest& Chain::add(const AssignmentRow& row) {
  ByteWriter out;
  out.text("assignment").whole(row.unit).whole(row.step).whole(row.state).whole(row.action).whole(row.batch);
  out.whole(static_cast<int>(row.arm)).whole(row.route).number(row.draw_probability).number(row.probability);
  return add(out.bytes());
}

const Digest& Chain::add(const ObservationRow& row) {
  ByteWriter out;
  out.text("observation").whole(row.unit).whole(row.step).whole(row.state).whole(row.action);
  out.whole(row.has_reward ? 1 : 0).number(row.reward).whole(row.next_state);
  out.whole(row.censored ? 1 : 0).whole(row.is_void ? 1 : 0).whole(row.deviation ? 1 : 0).whole(row.replaces);
  return add(out.bytes());
}

}  // namespace mindgap::study
