#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

// Deterministic parallel loops. The range is cut into chunks whose boundaries depend on the range alone,
// never on the number of threads, and partial results are combined in chunk order: results are bit-identical
// for any number of threads.
namespace mindgap::base {

/// A fixed number of threads that loops run on. Cheap to pass by reference; create one per computation.
class Threads {
 public:
  /// count = 0: as many as the machine (and the process's CPU mask) offers.
  explicit Threads(int count = 0);
  ~Threads();
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

  int count() const { return count_; }

  /// Calls body(chunk) for chunk = 0..chunks-1, each once, in no particular order. The first exception by
  /// chunk number is rethrown after all chunks ended.
  void for_each_chunk(std::int64_t chunks, const std::function<void(std::int64_t)>& body) const;

 private:
  template <typename Run>
  void run_on_threads(std::int64_t chunks, const Run& run) const;

  struct Arena;
  int count_;
  std::unique_ptr<Arena> arena_;
};

struct Range {
  std::int64_t begin, end;
};

/// The chunk-th of `chunks` nearly equal pieces of [0, size).
Range chunk_range(std::int64_t size, std::int64_t chunks, std::int64_t chunk);

/// body(begin, end) over [0, size) in pieces of about `grain` items.
template <typename Body>
void parallel_for(const Threads& threads, std::int64_t size, std::int64_t grain, Body body) {
  const std::int64_t chunks = (size + grain - 1) / grain;
  if (chunks == 1) return body(std::int64_t{0}, size);  // small models run such loops by the million
  threads.for_each_chunk(chunks, [&](std::int64_t chunk) {
    const Range range = chunk_range(size, chunks, chunk);
    body(range.begin, range.end);
  });
}

/// Combines piece(begin, end) over [0, size): combine(...combine(combine(identity, p0), p1)..., pk) in chunk
/// order.
template <typename Result, typename Piece, typename Combine>
Result parallel_reduce(const Threads& threads, std::int64_t size, std::int64_t grain, Result identity,
                       Piece piece, Combine combine) {
  const std::int64_t chunks = (size + grain - 1) / grain;
  if (chunks == 1) return combine(identity, piece(std::int64_t{0}, size));
  std::vector<Result> parts(static_cast<std::size_t>(chunks), identity);
  threads.for_each_chunk(chunks, [&](std::int64_t chunk) {
    const Range range = chunk_range(size, chunks, chunk);
    parts[static_cast<std::size_t>(chunk)] = piece(range.begin, range.end);
  });
  Result result = identity;
  for (const Result& part : parts) result = combine(result, part);
  return result;
}

}  // namespace mindgap::base
