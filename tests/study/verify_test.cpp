#include "mindgap/study/verify.h"

#include <sqlite3.h>

#include "mindgap/base/listener.h"
#include "mindgap/study/export.h"
#include "mindgap/study/pages.h"
#include "mindgap/study/storage.h"
#include "mindgap/study/write_ahead.h"
#include "study/field.h"

namespace mindgap::study {
namespace verify_test {

std::uint32_t number_at(const std::string& bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

class VerifyTest : public StudyTest {
 protected:
  // The study as it lies there after a kill: the last steps are in the write-ahead log. In folder "k".
  void leave_behind(int steps) {
    {
      const auto reader = at("s")->begin_reading();  // who is still there keeps others from tidying up
      play(truth(), steps);
      std::filesystem::create_directories(path("k"));
      for (const char* name : {"study.db", "study.db-wal"})
        std::filesystem::copy_file(path("s") / name, path("k") / name);
    }
    database_ = read(path("k/study.db"));
    log_ = read(path("k/study.db-wal"));
    ASSERT_GT(log_.size(), 32u + 3 * 4120u);
  }
  Verification check_left(const std::string& database, const std::string& log) {
    std::filesystem::remove_all(path("k"));
    write("k/study.db", database);
    write("k/study.db-wal", log);
    return verify(*at("k"), 1);
  }

  std::string database_, log_;
};

std::string flip(std::string bytes, std::size_t bit) {
  bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << (bit % 8)));
  return bytes;
}

std::string page_of(std::size_t size, std::uint64_t seed) {
  base::Stream words({seed, base::Purpose::test});
  std::string bytes(size, '\0');
  for (char& c : bytes) c = static_cast<char>(base::uniform_index(words, 256));
  return bytes;
}

std::span<unsigned char> span_of(std::string& bytes) {
  return {reinterpret_cast<unsigned char*>(bytes.data()), bytes.size()};
}

// Any single bit, the checksum's own included; and the page in another place.
TEST(Pages, EveryBitAndThePlaceCount) {
  for (const std::size_t size : {512u, 4096u}) {
    for (std::string page : {std::string(size, '\0'), page_of(size, 1)}) {
      sign_page(span_of(page), 7);
      EXPECT_TRUE(is_signed(span_of(page), 7));
      for (const std::int64_t other : {0, 1, 6, 8, 1 << 20}) EXPECT_FALSE(is_signed(span_of(page), other));
      for (std::size_t bit = 0; bit < 8 * size; ++bit) {
        std::string flipped = flip(page, bit);
        ASSERT_FALSE(is_signed(span_of(flipped), 7)) << bit;
      }
    }
  }
}

// Files must stay readable, so the checksum never changes: as the first version with checksums wrote it.
TEST(Pages, TheChecksumIsPinned) {
  std::string page(512, '\0');
  for (std::size_t i = 0; i < page.size(); ++i) page[i] = static_cast<char>(i);
  sign_page(span_of(page), 3);
  std::string digits;
  for (std::size_t i = 496; i < 512; ++i) {
    digits.push_back("0123456789abcdef"[static_cast<unsigned char>(page[i]) >> 4]);
    digits.push_back("0123456789abcdef"[static_cast<unsigned char>(page[i]) & 15]);
  }
  EXPECT_EQ(digits, "77222cb43a3700da5d70f3daf15edb98");
}

// One random bit of every `stride`-th byte, and of every byte of the header.
void flip_bytes(const std::string& bytes, const std::filesystem::path& scratch, std::size_t stride) {
  base::Stream words({static_cast<std::uint64_t>(stride), base::Purpose::test});
  for (std::size_t at = 0; at < bytes.size(); at += at < 110 ? 1 : stride) {
    const std::size_t bit = 8 * at + static_cast<std::size_t>(base::uniform_index(words, 8));
    std::ofstream(scratch, std::ios::binary) << flip(bytes, bit);
    const Verification found = verify(*storage_at(scratch), 1);
    EXPECT_FALSE(found.good) << "bit " << bit % 8 << " of byte " << at;
    EXPECT_NE(found.problem, "");
  }
}

TEST_F(VerifyTest, AFlippedBitIsFound) {
  start(4, 4);
  play(truth(), 2);
  flip_bytes(read(path("s/study.db")), path("flipped.db"), 211);
  EXPECT_TRUE(check().good) << check().problem;
}

// What a command that was killed has left in the write-ahead log counts, and is looked at.
TEST_F(VerifyTest, AFlippedBitOfWhatWasWrittenLastIsFound) {
  start(4, 8);
  const std::int64_t before = check().observations;
  leave_behind(2);
  const Verification found = check_left(database_, log_);
  ASSERT_TRUE(found.good) << found.problem;
  ASSERT_GT(found.observations, before);
  base::Stream words({3, base::Purpose::test});
  for (std::size_t byte = 0; byte < log_.size(); byte += byte < 32 + 24 ? 1 : 509) {
    const std::size_t bit = 8 * byte + static_cast<std::size_t>(base::uniform_index(words, 8));
    EXPECT_FALSE(check_left(database_, flip(log_, bit)).good) << "bit " << bit % 8 << " of byte " << byte;
    EXPECT_NE(message([&] { study_status(*at("k")); }), "no error") << byte;
  }
}

// A writer that was killed leaves the log cut off anywhere: that is no damage, nor is what an earlier round
// left behind the end, nor a frame that was begun over an older one.
TEST_F(VerifyTest, WhatAKillLeavesIsNoDamage) {
  start(4, 8);
  leave_behind(2);
  base::Stream words({4, base::Purpose::test});
  for (std::size_t size = 0; size < log_.size();
       size += 1 + static_cast<std::size_t>(base::uniform_index(words, 3000))) {
    const Verification found = check_left(database_, log_.substr(0, size));
    EXPECT_TRUE(found.good) << size << ": " << found.problem;
    std::string begun = log_.substr(0, size) + page_of(3 * 4120, size);
    EXPECT_EQ(check_left(database_, begun).problem, "") << size;
    begun = log_;
    std::copy_n(page_of(2000, size).begin(), std::min<std::size_t>(2000, log_.size() - size),
                begun.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_EQ(check_left(database_, begun).problem, "") << size;
  }
}

// Pages that the write-ahead log replaces may be torn: the next command writes them again.
TEST_F(VerifyTest, APageThatIsReplacedMayBeTorn) {
  start(4, 8);
  leave_behind(1);
  std::string torn = database_;
  int pages = 0;
  for (std::size_t frame = 32; frame + 4120 <= log_.size(); frame += 4120) {
    const std::size_t at = 4096 * (number_at(log_, frame) - std::size_t{1});
    if (at == 0 || at >= torn.size()) continue;
    std::fill_n(torn.begin() + static_cast<std::ptrdiff_t>(at) + 1024, 2048, 'x');
    ++pages;
  }
  ASSERT_GT(pages, 0);
  const Verification found = check_left(torn, log_);
  EXPECT_TRUE(found.good) << found.problem;
  EXPECT_FALSE(check_left(torn, "").good);
}

// Cut off or longer by a few bytes; whole pages of zeros may be those of a writer that was killed.
TEST_F(VerifyTest, AnotherLengthIsFound) {
  start(4, 8);
  play(truth());
  const std::string bytes = read(path("s/study.db"));
  const auto good = [&](const std::string& changed) {
    write("t/study.db", changed);
    return verify(*at("t"), 1).good;
  };
  for (const std::size_t count : {1u, 8u, 16u, 17u, 100u, 4095u, 4096u, 5000u})
    EXPECT_FALSE(good(bytes.substr(0, bytes.size() - count))) << count;
  for (const std::size_t count : {1u, 16u, 100u, 4095u, 4096u, 5000u}) {
    EXPECT_FALSE(good(bytes + std::string(count, 'x'))) << count;
    EXPECT_EQ(good(bytes + std::string(count, '\0')), count == 4096) << count;
  }
  EXPECT_TRUE(good(bytes));
  // A last page that what waits replaces may have been cut off.
  leave_behind(1);
  std::size_t last = 0;
  for (std::size_t frame = 32; frame + 4120 <= log_.size(); frame += 4120)
    last = std::max<std::size_t>(last, number_at(log_, frame));
  ASSERT_GE(4096 * last, database_.size());
  const bool longer = 4096 * last > database_.size();
  const Verification grown = check_left(
      longer ? database_ + std::string(1000, 'x') : database_.substr(0, database_.size() - 1000), log_);
  EXPECT_TRUE(grown.good) << grown.problem;
}

TEST_F(VerifyTest, FindsARowThatWasNoted) {
  const std::string first = start().after.head;
  EXPECT_EQ(verify(*at("s"), 1, first).events_since, 0);
  const Assigned assigned = ask();
  const std::string second = check().head;
  take(truth().results(assigned));
  std::filesystem::copy_file(path("s/study.db"), path("saved.db"));
  const std::string noted = check().head;
  play(truth(), 2);
  EXPECT_EQ(verify(*at("s"), 1, first).events_since, 6);
  EXPECT_EQ(verify(*at("s"), 1, second).events_since, 5);
  EXPECT_EQ(verify(*at("s"), 1, noted).events_since, 4);
  std::string shouted = noted;
  for (char& c : shouted) c = static_cast<char>(std::toupper(c));
  EXPECT_EQ(verify(*at("s"), 1, shouted).events_since, 4);
  const std::string last = check().head;
  EXPECT_EQ(verify(*at("s"), 1, last).events_since, 0);
  EXPECT_FALSE(check().events_since.has_value());
  // Taken back to an earlier day: a good log, but not for who noted a later row.
  std::filesystem::copy_file(path("saved.db"), path("s/study.db"),
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_TRUE(check().good);
  EXPECT_TRUE(verify(*at("s"), 1, noted).good);
  const Verification cut = verify(*at("s"), 1, last);
  EXPECT_FALSE(cut.good);
  EXPECT_NE(cut.problem.find("no row has the hash " + last), std::string::npos) << cut.problem;
  EXPECT_FALSE(verify(*at("s"), 1, std::string(64, '0')).good);
  for (const std::string& bad : {std::string(), std::string("abc"), std::string(64, 'g'), noted + "0"})
    EXPECT_THROW(verify(*at("s"), 1, bad), InvalidArgument) << bad;
}

// An export is of one moment as a whole, or it is not there.
TEST_F(VerifyTest, AnExportIsWholeOrNotThere) {
  start(4, 8);
  play(truth());
  export_study(*at("s"), path("out/"));
  const std::string before = read(path("out/observations.jsonl")), copy = read(path("out/study.db"));
  const std::vector<std::string> files = listing(path("out"));
  play(truth());
  // What is not an export's model is not overwritten, and then nothing is.
  std::filesystem::rename(path("out/model/model.toml"), path("kept"));
  EXPECT_NE(message([&] { export_study(*at("s"), path("out")); }).find("no model.toml; not overwritten"),
            std::string::npos);
  std::filesystem::rename(path("kept"), path("out/model/model.toml"));
  EXPECT_EQ(read(path("out/observations.jsonl")), before);
  EXPECT_TRUE(read(path("out/study.db")) == copy);
  EXPECT_EQ(listing(path("out")), files);
  // What somebody else put there stays.
  write("out/notes.txt", "mine");
  write("out/model/notes.txt", "mine, too");
  write("out/more/notes.txt", "and this");
  export_study(*at("s"), path("out"));
  EXPECT_NE(read(path("out/observations.jsonl")), before);
  EXPECT_EQ(
      read(path("out/notes.txt")) + read(path("out/model/notes.txt")) + read(path("out/more/notes.txt")),
      "minemine, tooand this");
  EXPECT_EQ(listing(path("out")).size(), files.size() + 4);
  // Who looks at an export does not keep it from being written again.
  EXPECT_TRUE(verify(*at("out"), 1).good);
  EXPECT_EQ(verify(*at("out"), 1).head, check().head);
  play(truth());
  export_study(*at("s"), path("out"));
  EXPECT_EQ(listing(path("out")).size(), files.size() + 4);
  EXPECT_EQ(verify(*at("out"), 1).head, check().head);
  for (const std::string& name : listing(path(""))) EXPECT_EQ(name.find(".tmp-"), std::string::npos) << name;
}

// A copy that was continued has rows that are nowhere else.
TEST_F(VerifyTest, AnExportDoesNotReplaceAStudyThatWentOn) {
  start(4, 8);
  export_study(*at("s"), path("out"));
  assign(*at("out"), {}, {"elsewhere", "2026-03-01T09:00:00Z"});
  const std::string head = verify(*at("out"), 1).head;
  EXPECT_NE(message([&] { export_study(*at("s"), path("out")); }).find("was continued there"),
            std::string::npos);
  play(truth(), 2);
  EXPECT_NE(message([&] { export_study(*at("s"), path("out")); }).find("was continued there"),
            std::string::npos);
  EXPECT_EQ(verify(*at("out"), 1).head, head);
  write("out/study.db", flip(read(path("out/study.db")), 8 * 5000));
  EXPECT_NE(message([&] { export_study(*at("s"), path("out")); }).find("cannot be read"), std::string::npos);
}

// Where nothing can be put beside the folder (here because its name is taken there; else another disk, or a
// closed folder) it is filled from within.
TEST_F(VerifyTest, AnExportFillsAFolderThatCannotBeExchanged) {
  start(4, 8);
  play(truth());
  export_study(*at("s"), path("out"));
  write("out/model/notes.txt", "mine");
  const std::vector<std::string> files = listing(path("out"));
  play(truth());
  for (int i = 0; i < 100; ++i) write("out.tmp-" + std::to_string(::getpid()) + "-" + std::to_string(i), "");
  export_study(*at("s"), path("out"));
  EXPECT_EQ(listing(path("out")), files);
  EXPECT_EQ(read(path("out/model/notes.txt")), "mine");
  EXPECT_EQ(verify(*at("out"), 1).head, check().head);
  EXPECT_NE(message([&] { export_study(*at("s"), path("new/out")); }).find("cannot write"),
            std::string::npos);
}

class VerifyTestLong : public VerifyTest {};

// All eight bits of what SQLite reads first.
TEST_F(VerifyTestLong, EveryBitOfTheHeaderIsSeen) {
  start(4, 4);
  const std::string bytes = read(path("s/study.db"));
  for (std::size_t bit = 0; bit < 800; ++bit) {
    write("flipped.db", flip(bytes, bit));
    EXPECT_FALSE(verify(*at("flipped.db"), 1).good) << "bit " << bit % 8 << " of byte " << bit / 8;
  }
}

TEST_F(VerifyTestLong, ABitOfEveryByteIsFound) {
  start(4, 4);
  play(truth(), 2);
  flip_bytes(read(path("s/study.db")), path("flipped.db"), 1);
}

TEST_F(VerifyTestLong, ABitOfEveryByteOfWhatWasWrittenLastIsFound) {
  start(4, 8);
  leave_behind(1);
  base::Stream words({5, base::Purpose::test});
  for (std::size_t byte = 0; byte < log_.size(); ++byte) {
    write("k/study.db-wal", flip(log_, 8 * byte + static_cast<std::size_t>(base::uniform_index(words, 8))));
    EXPECT_NE(write_ahead_damage(path("k/study.db")), "") << byte;
  }
}

// A study of several hundred pages, with tables of more than one level.
TEST_F(VerifyTestLong, AFlippedBitOfALargerFileIsFound) {
  start(400, 8);
  play(truth(), 6);
  flip_bytes(read(path("s/study.db")), path("flipped.db"), 499);
}

TEST_F(VerifyTest, TellsHowFarItIs) {
  start();
  play(truth());
  std::string told;
  const base::Listening listener({.progress = [&](const std::string& what, auto, auto) { told = what; }});
  study_status(*at("s"));
  EXPECT_EQ(told, "pricing a batch");
  redesign(*at("s"), true, kWriter, 1);
  std::int64_t reports = 0;
  const base::Listening counting(
      {.progress = [&](const std::string& what, std::int64_t done, std::int64_t total) {
        if (what != "verifying") return;
        EXPECT_LT(done, total);
        EXPECT_EQ(total, 5);  // study, design, assign, record, redesign
        ++reports;
      }});
  EXPECT_TRUE(check().good);
  EXPECT_GT(reports, 5 + 4);  // there were designs to be made and a batch to be priced
}

}  // namespace verify_test
}  // namespace mindgap::study
