#include "study/memory_storage.h"

#include "mindgap/study/state.h"

namespace mindgap::study {
namespace {

using Content = MemoryStorage::Content;

// Works on a copy, which takes the place of what is there when it is committed.
class MemoryTransaction final : public Transaction {
 public:
  MemoryTransaction(std::shared_ptr<std::unique_ptr<Content>> content, bool write, int overtakes)
      : Transaction("memory"), shared_(std::move(content)), write_(write), overtakes_(overtakes) {
    reopen();
  }

  void commit() override {
    if (!write_) throw StoreError("memory: it was opened to read");
    *shared_ = std::make_unique<Content>(std::move(mine_));
  }
  std::string damage() override { return ""; }  // no bytes but those of the log
  std::int64_t version() override { return kLogVersion; }
  void sign() override {}
  // The same events in a file.
  void copy_to(const std::filesystem::path& folder) override {
    const std::unique_ptr<Transaction> copy = storage_at(folder)->begin(Access::create, {});
    for_each_event(mine_.log, [&](const Event& event, auto units, auto assignments, auto observations) {
      copy->append(event, {units.begin(), units.end()}, {assignments.begin(), assignments.end()},
                   {observations.begin(), observations.end()});
    });
    copy->commit();
  }
  bool overtaken() const override { return overtakes_ > 0; }

 private:
  void read(Log& log, LogHashes& hashes) override {
    log = mine_.log;
    hashes = mine_.hashes;
  }
  End read_end() override {
    return {static_cast<std::int64_t>(mine_.log.events.size()), check_chain(mine_.log, mine_.hashes)};
  }
  void write(const Event& event, std::span<const UnitRow> units, std::span<const AssignmentRow> assignments,
             std::span<const ObservationRow> observations, const LogHashes& hashes) override {
    const auto add = [](auto& list, const auto& more) { list.insert(list.end(), more.begin(), more.end()); };
    mine_.log.events.push_back(event);
    add(mine_.log.units, units);
    add(mine_.log.assignments, assignments);
    add(mine_.log.observations, observations);
    add(mine_.hashes.events, hashes.events);
    add(mine_.hashes.units, hashes.units);
    add(mine_.hashes.assignments, hashes.assignments);
    add(mine_.hashes.observations, hashes.observations);
  }
  void reopen() override {
    if (opened_) --overtakes_;
    opened_ = true;
    mine_ = *shared_ ? **shared_ : Content();
  }

  std::shared_ptr<std::unique_ptr<Content>> shared_;
  Content mine_;
  bool write_, opened_ = false;
  int overtakes_;
};

}  // namespace

void MemoryStorage::check_free() const {
  if (exists()) throw StoreError("memory: there is a study already");
}

std::unique_ptr<Transaction> MemoryStorage::begin(Access access, const Writer&) const {
  access == Access::create ? check_free() : check_there();
  const bool write = access == Access::create || access == Access::write;
  return std::make_unique<MemoryTransaction>(content_, write, write ? 0 : overtakes);
}

}  // namespace mindgap::study
