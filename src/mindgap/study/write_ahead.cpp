#include "mindgap/study/write_ahead.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <vector>

#include "mindgap/base/error.h"

namespace mindgap::study {
namespace {

// The format (sqlite.org/fileformat2.html, section 4): a header of 32 bytes, then frames: 24 bytes and a
// page. Numbers are big-endian.
//   header: magic, version, page size, count, salt (8 bytes), sums (8 bytes) of the 24 bytes before
//   frame:  page number, size after a commit, salt, sums of the first 8 bytes and the page, continued from
//           the frame before
constexpr std::size_t kLogHeader = 32, kFrameHeader = 24;

using Bytes = std::vector<unsigned char>;
using FrameSums = std::array<std::uint32_t, 2>;

std::uint32_t number_at(const unsigned char* bytes) {
  return std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 | std::uint32_t{bytes[2]} << 8 |
         bytes[3];
}

std::uint64_t pair_at(const unsigned char* bytes) {
  return std::uint64_t{number_at(bytes)} << 32 | number_at(bytes + 4);
}

std::uint64_t joined(const FrameSums& sums) {
  return std::uint64_t{sums[0]} << 32 | sums[1];
}

// The lowest bit of the magic number says which way round the words are that are summed.
std::uint32_t word_at(const unsigned char* bytes, bool big) {
  const std::uint32_t value = number_at(bytes);
  return big ? value : __builtin_bswap32(value);
}

FrameSums sum(const unsigned char* bytes, std::size_t size, FrameSums sums, bool big) {
  for (std::size_t at = 0; at < size; at += 8) {
    sums[0] += word_at(bytes + at, big) + sums[1];
    sums[1] += word_at(bytes + at + 4, big) + sums[0];
  }
  return sums;
}

bool is_header(const unsigned char* header) {
  const std::uint32_t magic = number_at(header), page = number_at(header + 8);
  return (magic & ~1u) == 0x377f0682 && number_at(header + 4) == 3007000 && page >= 512 && page <= 65536 &&
         std::has_single_bit(page) && joined(sum(header, 24, {}, (magic & 1) != 0)) == pair_at(header + 24);
}

FrameSums sums_of_frame(const unsigned char* frame, std::size_t page, const FrameSums& before, bool big) {
  return sum(frame + kFrameHeader, page, sum(frame, 8, before, big), big);
}

// Whether turning one bit of a frame's page number, commit size or page makes its sums what is stored.
// FrameSums are linear: with M = (1 1; 1 2), the step of one pair of words (x, y) is s <- M s + x (1, 1) + y
// (0, 1), so a change d of a word with k pairs behind it changes the sums by d M^k (1, 1) or d M^k (0, 1).
bool one_bit_away(const unsigned char* frame, std::size_t page, const FrameSums& found, bool big) {
  const FrameSums wanted = {number_at(frame + 16) - found[0], number_at(frame + 20) - found[1]};
  FrameSums first = {1, 1}, second = {0, 1};
  const auto explains = [&](const unsigned char* bytes, const FrameSums& weight) {
    const std::uint32_t word = word_at(bytes, big);
    for (std::uint32_t bit = 1; bit != 0; bit <<= 1) {
      const std::uint32_t change = (word & bit) != 0 ? -bit : bit;
      if (change * weight[0] == wanted[0] && change * weight[1] == wanted[1]) return true;
    }
    return false;
  };
  for (std::size_t left = page + 8; left > 0; left -= 8) {
    const unsigned char* pair = left > 8 ? frame + kFrameHeader + left - 16 : frame;
    if (explains(pair, first) || explains(pair + 4, second)) return true;
    for (FrameSums* weight : {&first, &second}) {
      const auto [a, b] = *weight;
      *weight = {a + b, a + 2 * b};
    }
  }
  return false;
}

// A frame that does not follow from the one before. The salt is compared, not summed.
bool frame_changed(const unsigned char* frame, std::size_t page, std::uint64_t salt, const FrameSums& found,
                   bool big) {
  const int salt_bits = std::popcount(pair_at(frame + 8) ^ salt);
  const int sum_bits = std::popcount(pair_at(frame + 16) ^ joined(found));
  if (salt_bits != 0) return salt_bits == 1 && sum_bits == 0;  // else left over from an earlier round
  return sum_bits == 1 || one_bit_away(frame, page, found, big);
}

bool header_changed(unsigned char* header) {
  for (std::size_t bit = 0; bit < 8 * kLogHeader; ++bit) {
    const auto mask = static_cast<unsigned char>(1u << (bit % 8));
    header[bit / 8] = static_cast<unsigned char>(header[bit / 8] ^ mask);
    if (is_header(header)) return true;
    header[bit / 8] = static_cast<unsigned char>(header[bit / 8] ^ mask);
  }
  return false;
}

}  // namespace

std::string write_ahead_damage(const std::filesystem::path& database) {
  errno = 0;
  std::ifstream in(database.string() + "-wal", std::ios::binary);
  if (!in && errno != ENOENT && errno != 0)
    throw StoreError(fmt::format("{}-wal: cannot open: {}; without it the latest rows are not seen",
                                 database.string(), std::strerror(errno)));
  Bytes header(kLogHeader);
  if (!in || !in.read(reinterpret_cast<char*>(header.data()), kLogHeader)) return "";
  const std::string name = database.filename().string() + "-wal";
  if (!is_header(header.data())) {
    return header_changed(header.data())
               ? fmt::format("the header of {} has changed since it was written", name)
               : "";
  }
  const bool big = (number_at(header.data()) & 1) != 0;
  const std::size_t page = number_at(header.data() + 8);
  const std::uint64_t salt = pair_at(header.data() + 16);
  FrameSums sums = {number_at(header.data() + 24), number_at(header.data() + 28)};
  Bytes frame(kFrameHeader + page);
  for (std::int64_t number = 1;
       in.read(reinterpret_cast<char*>(frame.data()), static_cast<std::streamsize>(frame.size())); ++number) {
    const FrameSums next = sums_of_frame(frame.data(), page, sums, big);
    if (pair_at(frame.data() + 8) != salt || joined(next) != pair_at(frame.data() + 16)) {
      return frame_changed(frame.data(), page, salt, next, big)
                 ? fmt::format("frame {} of {} has changed since it was written", number, name)
                 : "";
    }
    sums = next;
  }
  return "";
}

}  // namespace mindgap::study
