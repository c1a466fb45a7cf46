#include <atomic>

#include "mdp/random_models.h"
#include "mindgap/server/writer.h"
#include "mindgap/study/decisions.h"
#include "mindgap/study/deeds.h"
#include "server/served.h"

// Decisions are computed beside the log: nobody who records waits for them, and what they were made on is in
// the log.
namespace mindgap::server {
namespace decision_test {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

class DecisionTest : public ServedTest {
 protected:
  // A model so large that a design takes seconds.
  void begin_large(std::int32_t states, std::int32_t units) {
    std::filesystem::remove_all(folder_);
    mdp::Model model{.name = "Large",
                     .mdp = mdp::random_mdp(3, {.states = states, .actions = 6, .successors = 8})};
    model.reward_variance = .25;
    model.prior = mdp::PriorSpec{.reward_sd = 1.0, .transition_strength = 5.0};
    study::StudyOptions options;
    options.horizon = 24;
    study::begin_study(*study::storage_at(folder_), model, study::units_in(units, states), options,
                       study::kWriter, 1);
    study::assign(*study::storage_at(folder_), std::nullopt, study::kWriter, 1);
  }

  study::Author author() { return {.who = "olga", .role = "owner", .id = id(), .seen = 1}; }
  study::Order order() { return {study::Order::Kind::redesign, author()}; }
  study::FieldResult result_of(const std::string& unit, int step, const std::string& place) {
    return {.unit = unit, .step = step, .reward = 1.0, .next_state = place};
  }

  // Does one deed, and throws what it throws.
  static void write(study::LiveStudy& study, const study::LiveStudy::Deed& deed) {
    const std::exception_ptr failure = study.write(std::span(&deed, 1)).front();
    if (failure) std::rethrow_exception(failure);
  }
  void record(study::LiveStudy& study, const study::FieldResult& result) {
    write(study, [&](study::LiveWriting& writing) { study::take_result(writing, result, author()); });
  }
  static std::optional<study::Done> carry_out(study::LiveStudy& study, const study::Order& order,
                                              const std::optional<study::Draft>& draft) {
    std::optional<study::Done> done;
    write(study, [&](study::LiveWriting& writing) { done = study::carry_out(writing, order, draft); });
    return done;
  }
  std::vector<study::Event> events() const {
    return study::storage_at(folder_)->begin_reading()->read_log().events;
  }
};

TEST_F(DecisionTest, ResultsAreTakenWhileADesignIsComputed) {
  constexpr int kUnits = 100;
  begin_large(50, kUnits);
  start();
  const Client client = local();
  const auto send = [&](int unit) {
    Json body = result("u" + std::to_string(unit), 0, unit % 7, 1);
    body["next_state"] = "0";
    return client.post("/api/v1/results", body).status;
  };
  for (int u = 0; u < kUnits / 2; ++u) ASSERT_EQ(send(u), 201);

  std::atomic<bool> designed = false;
  Reply answer;
  Clock::duration took{};
  std::thread owner([&] {
    const auto from = Clock::now();
    Line line(client.port);
    line.send(client.bytes("POST", "/api/v1/redesign", Json{{"id", "a-new-design"}, {"seen", 1}}.dump()));
    answer = line.receive(300);
    took = Clock::now() - from;
    designed = true;
  });
  std::this_thread::sleep_for(100ms);
  int meanwhile = 0;
  Clock::duration slowest{};
  for (int u = kUnits / 2; u < kUnits && !designed; ++u) {
    const auto from = Clock::now();
    EXPECT_EQ(send(u), 201);
    slowest = std::max(slowest, Clock::now() - from);
    meanwhile += !designed;
    std::this_thread::sleep_for(5ms);
  }
  owner.join();
  const auto milliseconds = [](auto d) {
    return std::chrono::duration_cast<std::chrono::milliseconds>(d).count();
  };
  std::cout << "a design of " << milliseconds(took) << " ms, " << meanwhile
            << " results meanwhile, the slowest took " << milliseconds(slowest) << " ms\n";
  ASSERT_EQ(answer.status, 200) << answer.body;
  EXPECT_GE(meanwhile, 10);
  EXPECT_LT(slowest, 1s);
  // The same again is not done again, and the next assignments follow the design.
  EXPECT_EQ(client.post("/api/v1/redesign", {{"id", "a-new-design"}, {"seen", 1}}).json()["repeated"], true);
  EXPECT_EQ(client.post("/api/v1/assignments", {{"id", id()}, {"seen", 1}}).status, 200);
  stop();
  const study::Event made = events().at(answer.json()["event"].get<std::size_t>() - 1);
  EXPECT_EQ(made.kind, "redesign");
  EXPECT_LE(study::as_of(made) + meanwhile, made.number - 1);
  expect_verified();
}

// Whoever is answered may stop the server: nobody can be told of the new entry after that.
TEST_F(DecisionTest, OthersAreToldOfAnEntryBeforeItsAuthorIsAnswered) {
  study::LiveStudy study(folder_, "test", nullptr, "here");
  std::atomic<bool> told = false;
  LogWriter writer(study, [&](std::int64_t) {
    std::this_thread::sleep_for(50ms);
    told = true;
  });
  writer.write([&](study::LiveWriting& writing) {
    return study::take_result(writing, result_of("u0", 0, "north"), author());
  });
  EXPECT_TRUE(told);
}

TEST_F(DecisionTest, ADraftHoldsWhileOnlyResultsCome) {
  study::LiveStudy study(folder_, "test", nullptr, "here");
  record(study, result_of("u0", 0, "north"));
  const study::Order order = this->order();
  const std::optional<study::Draft> draft = study::draft(study, order, 1);
  ASSERT_TRUE(draft.has_value());
  record(study, result_of("u1", 0, "south"));  // was out when the draft was made
  const std::optional<study::Done> done = carry_out(study, order, draft);
  ASSERT_TRUE(done.has_value());
  EXPECT_FALSE(done->repeated);
  EXPECT_EQ(study::as_of(events().back()), draft->as_of);
  EXPECT_EQ(done->event, draft->as_of + 2);
  EXPECT_FALSE(study::draft(study, order, 1).has_value());
  EXPECT_TRUE(carry_out(study, order, std::nullopt)->repeated);
  write(study, [&](study::LiveWriting& writing) { study::assign_next(writing, {}, author(), 1); });
  expect_verified();
}

TEST_F(DecisionTest, ADraftIsMadeAgainWhereTheLogMovedOn) {
  study::LiveStudy study(folder_, "test", nullptr, "here");
  record(study, result_of("u0", 0, "north"));
  study::FieldResult elsewhere = result_of("u0", 0, "south");
  elsewhere.correct = true;
  study::Author seen = author();
  seen.seen = 1000;
  const std::vector<study::LiveStudy::Deed> moves = {
      [&](study::LiveWriting& writing) {  // a unit that had its result in is elsewhere now
        seen.seen = writing.log().sequence();
        seen.why = "misread";
        study::take_result(writing, elsewhere, seen);
      },
      [&](study::LiveWriting& writing) { study::assign_next(writing, {}, author(), 1); },
      [&](study::LiveWriting& writing) { study::carry_out_now(writing, this->order(), 1); }};
  for (const study::LiveStudy::Deed& move : moves) {
    const study::Order order = this->order();
    const std::optional<study::Draft> draft = study::draft(study, order, 1);
    write(study, move);
    EXPECT_FALSE(carry_out(study, order, draft).has_value());
  }
  expect_verified();
  // Nor does verify take such a decision for a good one.
  const study::Order order = this->order();
  const std::optional<study::Draft> draft = study::draft(study, order, 1);
  record(study, result_of("u0", 1, "north"));
  write(study, [&](study::LiveWriting& writing) { study::assign_next(writing, {}, author(), 1); });
  write(study, [&](study::LiveWriting& writing) {
    writing.append(study::with_as_of(draft->event, draft->as_of, writing.log().sequence() + 1));
  });
  const study::Verification found = study::verify(*study::storage_at(folder_), 1);
  EXPECT_FALSE(found.good);
  EXPECT_NE(found.problem.find("had moved on"), std::string::npos) << found.problem;
}

// An update of the policy before assignments, with results that came while it was computed.
TEST_F(DecisionTest, AnUpdateIsOfTheLogThatItKnew) {
  std::filesystem::remove_all(folder_);
  study::StudyOptions options;
  options.horizon = 6;
  options.update_every = 1;
  study::begin_study(*study::storage_at(folder_), study::row_of_places(), study::units_in(8, 4), options,
                     study::kWriter, 1);
  study::assign(*study::storage_at(folder_), std::nullopt, study::kWriter, 1);
  study::LiveStudy study(folder_, "test", nullptr, "here");
  EXPECT_FALSE(study::draft_update(study, {}, 1).has_value());
  for (int u = 0; u < 8; ++u) record(study, result_of("u" + std::to_string(u), 0, "north"));
  const std::optional<study::Draft> draft = study::draft_update(study, {}, 1);
  ASSERT_TRUE(draft.has_value());
  study::FieldResult more = result_of("u0", 0, "north");
  more.reward = 2;
  more.correct = true;
  write(study, [&](study::LiveWriting& writing) {
    study::Author seen = author();
    seen.seen = writing.log().sequence();
    seen.why = "misread";
    study::take_result(writing, more, seen);
  });
  study::AssignedNow assigned;
  write(study,
        [&](study::LiveWriting& writing) { assigned = study::assign_next(writing, {}, author(), 1, draft); });
  EXPECT_TRUE(assigned.updated);
  EXPECT_EQ(assigned.added, 8);
  const std::vector<study::Event> all = events();
  EXPECT_EQ(all.at(all.size() - 2).kind, "update");
  EXPECT_EQ(study::as_of(all.at(all.size() - 2)), draft->as_of);
  expect_verified();
}

}  // namespace decision_test
}  // namespace mindgap::server
