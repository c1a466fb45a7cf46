#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mindgap/base/error.h"
#include "mindgap/files/hdf5_model.h"
#include "mindgap/files/in_file.h"
#include "mindgap/files/model_toml.h"
#include "mindgap/files/text_file.h"

namespace mindgap::files {

using namespace mdp;  // what these files hold
namespace {

constexpr const char* kOrderWanted =
    "rows must be in the order of states and actions, each state with one or more, where parts of a file are "
    "read; "
    "`mindgap convert` writes them so";

// Reads the rows of one rank out of a file with those of all.
class PartReader {
 public:
  PartReader(const Hdf5Reader& file, std::int32_t rank, std::int32_t ranks)
      : file_(file), rank_(rank), ranks_(ranks) {}

  ModelPart read() {
    read_attributes();
    find_rows();
    read_pairs();
    read_rows();
    read_start();
    in_file(file_.name(), [&] { check_part(part_); });
    return std::move(part_);
  }

 private:
  void read_attributes() {
    const std::optional<std::string> format = file_.text_attribute("format");
    if (!format) file_.fail("the attribute 'format' is missing");
    if (*format != kModelFormat)
      file_.fail(fmt::format("the format must be '{}'", kModelFormat), excerpt(*format));
    file_.check_known(known_datasets(), known_attributes());
    for (const char* name : {"member_reward", "restart"}) {
      if (file_.has(name)) file_.fail(fmt::format("a model with '{}' cannot be solved in parts", name));
    }
    const std::optional<double> discount = file_.number_attribute("discount");
    if (!discount) file_.fail("the attribute 'discount' is missing");
    part_.name = file_.text_attribute("name").value_or("");
    part_.discount = *discount;
    part_.reward_max = file_.number_attribute("reward_max");
    if (part_.reward_max && !(std::isfinite(*part_.reward_max) && *part_.reward_max >= 0))
      file_.fail("reward_max must be finite and not negative", fmt::format("{}", *part_.reward_max));
  }

  // The rows from `begin_` to `end_` are those of whole states.
  void find_rows() {
    const Hdf5Dataset states = file_.get("state_of_row");
    rows_ = states.size;
    if (rows_ == 0) file_.fail("the model has no states: 'state_of_row' is empty");
    if (rows_ >= INT32_MAX) file_.fail("there are too many rows");
    part_.pairs = static_cast<std::int64_t>(rows_);
    const std::int32_t last = file_.int32s(states, rows_ - 1, 1)[0];
    if (last < 0 || last >= static_cast<std::int64_t>(rows_)) file_.fail(kOrderWanted);
    part_.states = last + 1;
    if (const auto names = file_.find("state_names");
        names && names->size != static_cast<std::size_t>(part_.states))
      file_.fail(fmt::format("dataset 'state_names' has {} entries, expected {}", names->size, part_.states));
    begin_ = first_row_near(states, rank_);
    end_ = first_row_near(states, rank_ + 1);
  }

  // The first row of the state that the row at this rank's share of all rows belongs to.
  std::size_t first_row_near(const Hdf5Dataset& states, std::int32_t rank) const {
    if (rank == 0) return 0;
    if (rank == ranks_) return rows_;
    std::size_t row = rows_ * static_cast<std::size_t>(rank) / static_cast<std::size_t>(ranks_);
    const std::int32_t state = file_.int32s(states, row, 1)[0];
    constexpr std::size_t kBlock = 4096;
    while (row > 0) {
      const std::size_t from = row > kBlock ? row - kBlock : 0;
      const std::vector<std::int32_t> before = file_.int32s(states, from, row - from);
      const auto other =
          std::find_if(before.rbegin(), before.rend(), [&](std::int32_t s) { return s != state; });
      row -= static_cast<std::size_t>(other - before.rbegin());
      if (other != before.rend()) break;
    }
    return row;
  }

  void read_pairs() {
    const Hdf5Dataset action_set = file_.get("action_of_row");
    require_size(file_, action_set, rows_);
    const std::vector<std::int32_t> state = file_.int32s(file_.get("state_of_row"), begin_, end_ - begin_);
    part_.pair_action = file_.int32s(action_set, begin_, end_ - begin_);
    read_action_count();
    part_.pair_begin = {0};
    // A rank may have no state of its own, where there are few.
    part_.first_state = !state.empty() ? state.front()
                        : begin_ == 0  ? 0
                                       : file_.int32s(file_.get("state_of_row"), begin_ - 1, 1)[0] + 1;
    if (begin_ == 0 && part_.first_state != 0) file_.fail(kOrderWanted);
    for (std::size_t r = 0; r < state.size(); ++r) {
      const bool same = r > 0 && state[r] == state[r - 1];
      const bool next = r == 0 || state[r] == state[r - 1] + 1;
      const std::int32_t action = part_.pair_action[r];
      if (!same && !next) file_.fail(kOrderWanted);
      if (same && action <= part_.pair_action[r - 1]) file_.fail(kOrderWanted);
      if (action < 0 || action >= part_.actions) {
        file_.fail(fmt::format("'action_of_row' at {} is {}, but must be from 0 to {}", begin_ + r, action,
                               part_.actions - 1));
      }
      if (!same && r > 0) part_.pair_begin.push_back(static_cast<std::int32_t>(r));
    }
    if (!state.empty()) part_.pair_begin.push_back(static_cast<std::int32_t>(state.size()));
    // What follows must be the next rank's first state.
    const std::int64_t after = static_cast<std::int64_t>(part_.first_state) + part_.own_states();
    const std::int64_t wanted =
        end_ == rows_ ? part_.states : file_.int32s(file_.get("state_of_row"), end_, 1)[0];
    if (after != wanted) file_.fail(kOrderWanted);
  }

  void read_action_count() {
    if (const auto names = file_.find("action_names")) {
      part_.actions = static_cast<std::int32_t>(std::min<std::size_t>(names->size, INT32_MAX));
    } else {
      const double stated = file_.number_attribute("actions").value_or(kUnnamedActionsMax);
      if (!(stated >= 1 && stated <= kUnnamedActionsMax)) {
        file_.fail("the attribute 'actions' must be a whole number from 1 to 1000000",
                   fmt::format("{}", stated));
      }
      part_.actions = static_cast<std::int32_t>(stated);
    }
  }

  void read_rows() {
    const Hdf5Dataset indptr = file_.get("indptr"), indices = file_.get("indices"), data = file_.get("data"),
                      reward = file_.get("reward");
    require_size(file_, indptr, rows_ + 1);
    require_size(file_, data, indices.size);
    require_size(file_, reward, rows_);
    part_.nonzeros = static_cast<std::int64_t>(indices.size);
    part_.row_begin = file_.int64s(indptr, begin_, end_ - begin_ + 1);
    const std::int64_t first = part_.row_begin.front(), last = part_.row_begin.back();
    const bool ends_fit = (begin_ > 0 || first == 0) && (end_ < rows_ || last == part_.nonzeros);
    if (!ends_fit || first < 0 || last > part_.nonzeros ||
        !std::is_sorted(part_.row_begin.begin(), part_.row_begin.end())) {
      file_.fail(fmt::format("'indptr' must ascend from 0 to {}, the size of 'indices'", part_.nonzeros));
    }
    for (std::int64_t& at : part_.row_begin) at -= first;
    const auto from = static_cast<std::size_t>(first), count = static_cast<std::size_t>(last - first);
    part_.next_state = file_.int32s(indices, from, count);
    part_.probability = file_.numbers(data, from, count);
    part_.reward = file_.numbers(reward, begin_, end_ - begin_);
  }

  void read_start() {
    const auto own = static_cast<std::size_t>(part_.own_states());
    const std::optional<Hdf5Dataset> start = file_.find("start");
    if (!start) {
      part_.start.assign(own, 1.0 / part_.states);
      return;
    }
    require_size(file_, *start, static_cast<std::size_t>(part_.states));
    part_.start = file_.numbers(*start, static_cast<std::size_t>(part_.first_state), own);
  }

  const Hdf5Reader& file_;
  std::int32_t rank_, ranks_;
  std::size_t rows_ = 0, begin_ = 0, end_ = 0;
  ModelPart part_;
};

}  // namespace

ModelPart read_part_content(const Hdf5Reader& file, std::int32_t rank, std::int32_t ranks) {
  return PartReader(file, rank, ranks).read();
}

}  // namespace mindgap::files
