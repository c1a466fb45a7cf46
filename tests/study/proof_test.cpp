// What is proved, and against whom: by a hash that was noted, by anchors, by signatures.
#include <sys/stat.h>

#include <nlohmann/json.hpp>

#include "mindgap/study/anchor.h"
#include "mindgap/study/signing.h"
#include "study/field.h"

namespace mindgap::study {
namespace proof_test {

class ProofTest : public StudyTest {
 protected:
  // What somebody can do who has the file and knows its format: the log, changed by `change`, written anew
  // with all its hashes. In folder "forged".
  template <typename Change>
  std::unique_ptr<Storage> forged(Change change) {
    std::filesystem::remove_all(path("forged"));
    Log log = at("s")->begin_reading()->read_log();
    change(log);
    const std::unique_ptr<Storage> storage = at("forged");
    const std::unique_ptr<Transaction> transaction = storage->begin(Access::create, kWriter);
    for_each_event(log, [&](const Event& event, auto units, auto assignments, auto observations) {
      transaction->append(event, {units.begin(), units.end()}, {assignments.begin(), assignments.end()},
                          {observations.begin(), observations.end()});
    });
    transaction->commit();
    return at("forged");
  }
  static void cut_last_event(Log& log) {
    log.observations.resize(log.observations.size() -
                            static_cast<std::size_t>(log.events.back().observations));
    log.assignments.resize(log.assignments.size() - static_cast<std::size_t>(log.events.back().assignments));
    log.events.pop_back();
  }
  static void raise_rewards(Log& log) {
    for (ObservationRow& row : log.observations) row.reward += 1;
  }
  Writer with_key(const std::string& name) {
    if (!std::filesystem::exists(path(name))) make_signing_key(path(name));
    Writer writer = kWriter;
    writer.key = std::make_shared<SigningKey>(path(name));
    return writer;
  }
  Verification against(const Storage& storage, const Proofs& proofs) { return verify(storage, 1, proofs); }
  Proofs keys(const std::vector<std::string>& names) {
    Proofs proofs;
    for (const std::string& name : names) proofs.keys.push_back(read_public_key(path(name + ".pub")));
    return proofs;
  }
  static Proofs anchors(std::vector<Anchor> list) {
    Proofs proofs;
    proofs.anchors = std::move(list);
    return proofs;
  }
};

// A chain of hashes alone proves nothing against whoever can write the file; a hash kept elsewhere does.
TEST_F(ProofTest, AChainMadeAnewIsFoundByWhoKeptAHash) {
  const Anchor begun = start().after;
  play(truth(), 2);
  const Anchor last = study_anchor(*at("s"), kWriter.time);
  EXPECT_EQ(last.study, begun.study);
  EXPECT_EQ(last.events, 6);
  EXPECT_TRUE(against(*at("s"), anchors({begun, last})).good);
  EXPECT_EQ(against(*at("s"), anchors({begun, last})).anchors, 2);

  const auto shorter = forged(cut_last_event);
  EXPECT_TRUE(verify(*shorter, 1).good);  // by itself it is a good study
  EXPECT_TRUE(against(*shorter, anchors({begun})).good);
  EXPECT_NE(against(*shorter, anchors({begun, last})).problem.find("the log was cut off"), std::string::npos);
  EXPECT_FALSE(against(*shorter, Proofs(last.head)).good);

  const auto changed = forged(raise_rewards);
  EXPECT_TRUE(verify(*changed, 1).good);
  EXPECT_NE(against(*changed, anchors({last})).problem.find("the log up to event 6 is not what it was"),
            std::string::npos);
  EXPECT_TRUE(against(*changed, anchors({begun})).good);  // what came before is as it was
  EXPECT_FALSE(against(*changed, Proofs(last.head)).good);

  Anchor other = last;
  other.study = std::string(64, '0');
  EXPECT_NE(against(*at("s"), anchors({other})).problem.find("none of the anchors is of this study"),
            std::string::npos);
}

TEST_F(ProofTest, SignaturesAreOfWhoeverHasTheKey) {
  const Writer writer = with_key("a.key");
  begin_study(*at("s"), row_of_places(), units_in(8, 4), {.horizon = 6}, writer, 1);
  const Assigned assigned = assign(*at("s"), {}, writer);
  record(*at("s"), text_file("results.csv", truth().results(assigned)), {}, writer);
  EXPECT_EQ(assign(*at("s"), {}, writer).added, 8);
  const Assigned again = assign(*at("s"), {}, writer);  // nothing new, nothing signed
  EXPECT_EQ(again.after.events, 2 + 1 + 2 + 2 + 2);
  const Verification found = against(*at("s"), keys({"a.key"}));
  EXPECT_TRUE(found.good) << found.problem;
  EXPECT_EQ(found.signatures, 4);
  EXPECT_EQ(found.keys, std::vector{writer.key->public_key()});
  EXPECT_TRUE(verify(*at("s"), 1).good);

  EXPECT_NE(message([&] { ask(); }).find("the study is signed"), std::string::npos);
  // Without the key nothing before a signature can be changed ...
  const auto changed = forged(raise_rewards);
  EXPECT_NE(verify(*changed, 1).problem.find("is not of the log before it"), std::string::npos);
  // ... signatures left out are missed ...
  const auto bare = forged([](Log& log) { cut_last_event(log); });
  EXPECT_EQ(against(*bare, keys({"a.key"})).problem, "the last event is not signed");
  // ... and those of another key are told apart.
  const Writer other = with_key("b.key");
  record(*at("s"), text_file("results.csv", truth().results(again)), {}, other);
  EXPECT_NE(against(*at("s"), keys({"a.key"})).problem.find("a key that is not among those given"),
            std::string::npos);
  EXPECT_TRUE(against(*at("s"), keys({"a.key", "b.key"})).good);
  // What signatures do not show: that the end is missing, up to an earlier signature.
  const auto cut = forged([](Log& log) { cut_last_event(log), cut_last_event(log); });
  EXPECT_TRUE(against(*cut, keys({"a.key", "b.key"})).good);
}

TEST_F(ProofTest, AStudyThatWasNeverSignedHasNoSignatures) {
  start();
  make_signing_key(path("a.key"));
  EXPECT_EQ(against(*at("s"), keys({"a.key"})).problem, "nothing in it is signed");
}

TEST_F(ProofTest, KeysAreKeptForTheirOwner) {
  const std::string key = make_signing_key(path("a.key"));
  EXPECT_EQ(key.size(), 64u);
  EXPECT_EQ(read_public_key(path("a.key.pub")), key);
  EXPECT_EQ(SigningKey(path("a.key")).public_key(), key);
  struct stat status {};
  ASSERT_EQ(::stat(path("a.key").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  EXPECT_THROW(make_signing_key(path("a.key")), StoreError);  // never over one that is there
  EXPECT_EQ(SigningKey(path("a.key")).public_key(), key);
  EXPECT_THROW(SigningKey(path("a.key.pub")), InvalidArgument);
  EXPECT_THROW(read_public_key(path("a.key")), InvalidArgument);
  EXPECT_THROW(SigningKey(path("none")), StoreError);
}

// RFC 8032, section 7.1, test 2: one byte, 0x72.
TEST(Signing, IsEd25519) {
  const std::string key = "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c";
  std::string signature =
      "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
      "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00";
  EXPECT_TRUE(is_signed_by(key, "\x72", signature));
  EXPECT_FALSE(is_signed_by(key, "\x73", signature));
  signature[0] = '8';
  EXPECT_FALSE(is_signed_by(key, "\x72", signature));
  for (const std::string& bad : {std::string(), std::string(128, 'g'), std::string(126, '0')})
    EXPECT_FALSE(is_signed_by(key, "\x72", bad));
  EXPECT_FALSE(is_signed_by("12", "\x72", std::string(128, '0')));
}

TEST_F(ProofTest, AnchorsAreLinesOfAnyText) {
  const Anchor one{std::string(64, 'a'), 3, std::string(64, 'b'), "2026-03-01T09:30:00Z"};
  Anchor two = one;
  two.events = 5;
  two.head = std::string(64, 'c');
  note_anchor(path("heads.txt"), one);
  note_anchor(path("heads.txt"), one);  // the same again: nothing
  note_anchor(path("heads.txt"), two);
  EXPECT_EQ(parse_anchors(files::open_text_file(path("heads.txt"))), (std::vector{one, two}));
  const std::string mail = "Hello,\r\n> " + to_line(one) + "\r\n\r\nbye";
  EXPECT_EQ(parse_anchors(text_file("mail", mail)), std::vector{one});
  EXPECT_TRUE(parse_anchors(text_file("mail", "nothing here")).empty());
  for (const char* bad : {"", " study=12 events=3 head=12", " events=0 study=x head=y"})
    EXPECT_NE(message([&] {
                parse_anchors(text_file("list", "\nmindgap-anchor/1" + std::string(bad)));
              }).find("list:2: the anchor is malformed"),
              std::string::npos);
}

// A study that another version or machine computes otherwise says what differs.
TEST_F(ProofTest, WhatDoesNotFollowIsNamed) {
  start();
  const auto other = forged([](Log& log) {
    auto content = nlohmann::ordered_json::parse(log.events[1].content);
    ASSERT_FALSE(content.empty());
    const std::string key = content.begin().key();
    content[key] = 1234.5;
    log.events[1].content = content.dump();
    log.events[1].program = "mindgap 0.0.9";
  });
  const std::string problem = verify(*other, 1).problem;
  EXPECT_NE(problem.find("event 2 (design) does not follow from the log before it"), std::string::npos)
      << problem;
  EXPECT_NE(problem.find("1234.5 in the log and"), std::string::npos) << problem;
  EXPECT_NE(problem.find("written by mindgap 0.0.9"), std::string::npos) << problem;
  // The model and the settings are in the first row: another model is another study, or no study.
  const auto model = forged([](Log& log) { log.events[0].data[log.events[0].data.size() / 2] ^= 1; });
  EXPECT_NE(verify(*model, 1).problem.find("the model is not the one the study began with"),
            std::string::npos);
}

}  // namespace proof_test
}  // namespace mindgap::study
