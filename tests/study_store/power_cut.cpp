#include "study_store/power_cut.h"

#include <algorithm>
#include <fstream>
#include <stdexcept>

namespace mindgap::study {

void Disk::change(const VfsChange& change) {
  using What = VfsChange::What;
  std::vector<Entry>& history = names_.try_emplace(change.file, 1, nullptr).first->second;
  switch (change.what) {
    case What::made:
      history.push_back(std::make_shared<Content>());
      break;
    case What::removed:
      history.push_back(nullptr);
      break;
    case What::written:
    case What::cut:
      if (!history.back()) throw std::logic_error("written to a file that is not there: " + change.file);
      history.back()->since.push_back({change.offset, change.bytes, change.what == What::cut, next_++});
      break;
    case What::synced:
      if (!history.back()) throw std::logic_error("synced a file that is not there: " + change.file);
      for (const Piece& piece : history.back()->since) apply(piece, history.back()->synced);
      history.back()->since.clear();
      break;
  }
  if (change.folder_synced) sync_folder();
}

void Disk::sync_folder() {
  for (auto& [name, history] : names_) history.erase(history.begin(), history.end() - 1);
}

std::vector<std::size_t> Disk::pending() const {
  std::vector<std::size_t> numbers;
  for (const auto& [name, history] : names_) {
    for (const Entry& entry : history) {
      if (!entry) continue;
      for (const Piece& piece : entry->since) numbers.push_back(piece.number);
    }
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

std::string Disk::Choice::shown() const {
  const char* kinds[] = {"nothing", "everything", "up to", "all without", "only", "some, seed"};
  return std::string(kinds[static_cast<int>(kind)]) + " " +
         std::to_string(kind == Kind::some ? static_cast<std::size_t>(seed) : place) +
         (names ? ", names as synced" : ", names as they are");
}

std::vector<Disk::Choice> Disk::choices(int random) const {
  std::vector<Choice> all;
  const bool both =
      std::any_of(names_.begin(), names_.end(), [](const auto& named) { return named.second.size() > 1; });
  const std::vector<std::size_t> changes = pending();
  for (const bool names : {false, true}) {
    if (names && !both) break;
    all.push_back({Choice::Kind::none, 0, names});
    if (changes.empty()) continue;
    all.push_back({Choice::Kind::all, 0, names});
    if (changes.size() == 1) continue;
    for (const std::size_t number : changes) {
      all.push_back({Choice::Kind::up_to, number, names});
      all.push_back({Choice::Kind::without, number, names});
      all.push_back({Choice::Kind::only, number, names});
    }
  }
  for (int i = 0; i < random && (!changes.empty() || both); ++i)
    all.push_back({Choice::Kind::some, 0, false, static_cast<std::uint64_t>(i) + 1});
  return all;
}

void Disk::apply(const Piece& piece, Bytes& to) {
  if (piece.cuts) {
    to.resize(static_cast<std::size_t>(piece.offset));
    return;
  }
  const auto begin = static_cast<std::size_t>(piece.offset);
  to.resize(std::max(to.size(), begin + piece.bytes.size()));
  std::copy(piece.bytes.begin(), piece.bytes.end(), to.begin() + static_cast<std::ptrdiff_t>(begin));
}

Disk::Bytes Disk::bytes_of(const Content& content, const Choice& choice) {
  using Kind = Choice::Kind;
  Bytes bytes = content.synced;
  for (const Piece& piece : content.since) {
    const std::size_t i = piece.number;
    const bool whole = choice.kind == Kind::all || (choice.kind == Kind::up_to && i < choice.place) ||
                       (choice.kind == Kind::without && i != choice.place) ||
                       (choice.kind == Kind::only && i == choice.place);
    if (whole) apply(piece, bytes);
    if (choice.kind != Kind::some) continue;
    base::Stream stream({choice.seed, base::Purpose::test, static_cast<std::uint64_t>(i)});
    const std::uint64_t fate = stream.next() % 4;  // it is there, is not, or in part
    if (fate == 0) continue;
    if (fate == 1 || piece.cuts) {
      apply(piece, bytes);
      continue;
    }
    const auto end = piece.offset + static_cast<std::int64_t>(piece.bytes.size());
    for (std::int64_t at = piece.offset; at < end;) {
      const std::int64_t next = std::min(end, (at / kSector + 1) * kSector);
      if (stream.next() % 2 == 0)
        apply({at, {piece.bytes.begin() + (at - piece.offset), piece.bytes.begin() + (next - piece.offset)}},
              bytes);
      at = next;
    }
  }
  return bytes;
}

void Disk::write(const std::filesystem::path& folder, const Choice& choice) const {
  std::uint64_t number = 0;
  for (const auto& [name, history] : names_) {
    base::Stream stream({choice.seed, base::Purpose::test, 1'000'000 + number++});
    const std::size_t place = choice.kind == Choice::Kind::some ? stream.next() % history.size()
                              : choice.names                    ? 0
                                                                : history.size() - 1;
    if (!history[place]) continue;
    const Bytes bytes = bytes_of(*history[place], choice);
    std::ofstream(folder / name, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  }
}

}  // namespace mindgap::study
