#include "mindgap/files/hdf5_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mindgap/base/error.h"
#include "mindgap/files/in_file.h"
#include "mindgap/files/model_toml.h"
#include "mindgap/files/text_file.h"
#include "mindgap/mdp/memory.h"
#include "mindgap/mdp/restart.h"

namespace mindgap::files {

using namespace mdp;  // what these files hold
namespace {

constexpr std::string_view kDatasets[] = {"state_names",
                                          "state_groups",
                                          "x",
                                          "y",
                                          "start",
                                          "action_names",
                                          "state_of_row",
                                          "action_of_row",
                                          "indptr",
                                          "indices",
                                          "data",
                                          "reward",
                                          "variance",
                                          "reward_sd",
                                          "transition_strength",
                                          "coverage",
                                          "restart",
                                          "shared_group_sd",
                                          "shared_group_names",
                                          "shared_factors",
                                          "loading_pair",
                                          "loading_factor",
                                          "loading",
                                          "member_reward",
                                          "member_data",
                                          "member_weight",
                                          "member_names",
                                          "parameter_names",
                                          "parameters"};
constexpr std::string_view kAttributes[] = {"format",
                                            "name",
                                            "discount",
                                            "reward_max",
                                            "reward_variance",
                                            "odds",
                                            "drift_sd",
                                            "unseen",
                                            "unseen_strength",
                                            "actions",
                                            "prior_reward_min",
                                            "prior_reward_max",
                                            "prior_rewards",
                                            "shared_kernel_sd",
                                            "shared_kernel_length",
                                            "shared_kernel_over",
                                            "about_reward_unit",
                                            "about_step_unit",
                                            "about_unit",
                                            "about_perspective",
                                            "about_population",
                                            "about_decision_maker",
                                            "about_sources",
                                            "about_funding",
                                            "about_contact"};

const Hdf5Dataset& require_vector(const Hdf5Reader& file, const Hdf5Dataset& dataset) {
  if (dataset.scalar) file.fail(fmt::format("dataset '{}' has rank 0, expected 1", dataset.name));
  return dataset;
}

// Reads one file, step by step, into the arrays of an Mdp.
class ModelReader {
 public:
  ModelReader(const Hdf5Reader& file, const MappedFile* mapped) : file_(file), mapped_(mapped) {}

  Model read() {
    read_attributes();
    read_names();
    read_rows();
    read_structure();
    read_start_and_coordinates();
    std::optional<MemberRows> rows = read_member_rows(file_, rows_, entries_);
    if (rows && mapped_) file_.fail("an ensemble cannot be mapped; read it into memory");
    std::optional<Members> members;
    if (rows) {
      members = build_members(*rows);
    } else {
      mapped_ ? map_numbers() : read_numbers();
    }
    Model model{.name = file_.text_attribute("name").value_or(""),
                .mdp = members ? members->mean() : build()};
    model.members = std::move(members);
    if (rows) model.parameters = std::move(rows->parameters);
    model.about = read_about();
    model.reward_variance = file_.number_attribute("reward_variance");
    model.variance = optional_per_pair("variance");
    model.coverage = optional_per_pair("coverage");
    read_prior(file_, order_, model);
    read_ends(model);
    check(model);
    return model;
  }

 private:
  About read_about() const {
    About about;
    for (const AboutKey& key : kAboutKeys) {
      const std::string name = fmt::format("about_{}", key.name);
      about.*key.text = file_.text_attribute(name.c_str()).value_or("");
      if (!is_clean_utf8(about.*key.text))
        file_.fail(fmt::format("the attribute '{}' must be valid UTF-8 without NUL bytes", name));
    }
    return about;
  }

  void read_attributes() {
    const std::optional<std::string> format = file_.text_attribute("format");
    if (!format) file_.fail("the attribute 'format' is missing");
    if (*format != kModelFormat)
      file_.fail(fmt::format("the format must be '{}'", kModelFormat), excerpt(*format));
    file_.check_known(kDatasets, kAttributes);
    const std::optional<double> discount = file_.number_attribute("discount");
    if (!discount) file_.fail("the attribute 'discount' is missing");
    arrays_.discount = *discount;
    arrays_.reward_max = file_.number_attribute("reward_max");
  }

  void read_names() {
    Labels& labels = arrays_.labels;
    if (const auto dataset = file_.find("state_names"))
      labels.states = read_name_table(file_, require_vector(file_, *dataset), "state");
    if (const auto dataset = file_.find("action_names"))
      labels.actions = read_name_table(file_, require_vector(file_, *dataset), "action");
    if (const auto dataset = file_.find("state_groups")) {
      file_.strings(require_vector(file_, *dataset), [&](std::string_view name) {
        if (!name.empty() && labels.groups.find(name) < 0) {
          if (!is_clean_utf8(name)) file_.fail("a group name must be valid UTF-8", excerpt(name));
          labels.groups.add(name);
        }
        labels.group_of_state.push_back(name.empty() ? -1 : labels.groups.find(name));
      });
    }
    if (const std::optional<double> actions = file_.number_attribute("actions")) {
      if (!(*actions >= 1 && *actions <= kUnnamedActionsMax && *actions == std::floor(*actions))) {
        file_.fail("the attribute 'actions' must be a whole number from 1 to 1000000",
                   fmt::format("{}", *actions));
      }
      arrays_.actions = static_cast<std::int32_t>(*actions);
    }
  }

  // The pairs, in the order of states and actions; order_ where the file has another.
  void read_rows() {
    const Hdf5Dataset state_set = file_.get("state_of_row"), action_set = file_.get("action_of_row");
    rows_ = state_set.size;
    if (rows_ == 0) file_.fail("the model has no states: 'state_of_row' is empty");
    if (rows_ >= INT32_MAX) file_.fail("there are too many rows");
    order_ = RowOrder(rows_, {});
    require_size(file_, action_set, rows_);
    std::vector<std::int32_t> state = file_.int32s(state_set);
    std::vector<std::int32_t> action = file_.int32s(action_set);
    const std::int32_t states = check_row_states(state);
    check_row_actions(action);
    sort_rows(state, action);
    arrays_.pair_begin.assign(static_cast<std::size_t>(states) + 1, 0);
    for (const std::int32_t s : state) ++arrays_.pair_begin[s + 1];
    std::partial_sum(arrays_.pair_begin.begin(), arrays_.pair_begin.end(), arrays_.pair_begin.begin());
    arrays_.pair_action = std::move(action);
  }

  // Every state has a row, so there are at most as many states as rows: nothing larger is ever allocated.
  std::int32_t check_row_states(const std::vector<std::int32_t>& state) const {
    const std::int32_t named = arrays_.labels.states.size();
    const auto limit = named > 0 ? named : static_cast<std::int32_t>(rows_);
    std::vector<bool> seen(static_cast<std::size_t>(limit));
    std::int32_t states = named;
    for (std::size_t r = 0; r < rows_; ++r) {
      const std::int32_t s = state[r];
      if (s < 0 || s >= limit) {
        file_.fail(fmt::format("'state_of_row' at {} is {}, but must be from 0 to {}", r, s, limit - 1));
      }
      if (seen[s] && state[r - 1] != s) {
        file_.fail(
            fmt::format("the rows of a state must be adjacent; 'state_of_row' at {} comes back to {}", r, s));
      }
      seen[s] = true;
      states = std::max(states, s + 1);
    }
    return states;
  }

  void check_row_actions(const std::vector<std::int32_t>& action) const {
    const std::int32_t named = arrays_.labels.actions.size();
    const std::int32_t limit = named > 0 ? named : arrays_.actions > 0 ? arrays_.actions : kUnnamedActionsMax;
    for (std::size_t r = 0; r < rows_; ++r) {
      if (action[r] >= 0 && action[r] < limit) continue;
      file_.fail(
          fmt::format("'action_of_row' at {} is {}, but must be from 0 to {}", r, action[r], limit - 1));
    }
  }

  void sort_rows(std::vector<std::int32_t>& state, std::vector<std::int32_t>& action) {
    const auto less = [&](std::int32_t i, std::int32_t j) {
      return state[i] != state[j] ? state[i] < state[j] : action[i] < action[j];
    };
    bool ordered = true;
    for (std::size_t r = 1; r < rows_ && ordered; ++r) {
      ordered = less(static_cast<std::int32_t>(r - 1), static_cast<std::int32_t>(r));
    }
    if (ordered) return;
    std::vector<std::int32_t> order(rows_);
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), less);
    for (std::size_t i = 1; i < rows_; ++i) {
      if (!less(order[i - 1], order[i])) {
        file_.fail(fmt::format("the pair of state {} and action {} has two rows", state[order[i]],
                               action[order[i]]));
      }
    }
    std::vector<std::int32_t> rank(rows_);
    for (std::size_t i = 0; i < rows_; ++i) rank[order[i]] = static_cast<std::int32_t>(i);
    order_ = RowOrder(rows_, std::move(rank));
    state = order_.ranked(state);
    action = order_.ranked(action);
  }

  // Where rows lead; numbers come later.
  void read_structure() {
    const Hdf5Dataset indptr_set = file_.get("indptr"), indices = file_.get("indices");
    require_size(file_, indptr_set, rows_ + 1);
    indptr_ = file_.int64s(indptr_set);
    const auto entries = static_cast<std::int64_t>(indices.size);
    if (indptr_.front() != 0 || indptr_.back() != entries) {
      file_.fail(fmt::format("'indptr' must run from 0 to {}, the size of 'indices'; it runs from {} to {}",
                             entries, indptr_.front(), indptr_.back()));
    }
    for (std::size_t r = 0; r < rows_; ++r) {
      if (indptr_[r + 1] < indptr_[r]) file_.fail(fmt::format("'indptr' decreases after {}", r));
    }
    entries_ = indices.size;
    if (mapped_) {
      if (!order_.agrees()) {
        file_.fail(
            "rows cannot be mapped that are not in the order of states and actions; `mindgap convert` "
            "writes them so");
      }
      shared_.next_state = mapped_->array<std::int32_t>(file_.place(indices, H5T_NATIVE_INT32), indices.size);
      arrays_.row_begin = std::move(indptr_);
      return;
    }
    if (order_.agrees()) {
      arrays_.row_begin = indptr_;
      arrays_.next_state = file_.int32s(indices);
      return;
    }
    arrays_.row_begin.assign(rows_ + 1, 0);
    for (std::size_t r = 0; r < rows_; ++r)
      arrays_.row_begin[order_.pair(r) + 1] = indptr_[r + 1] - indptr_[r];
    std::partial_sum(arrays_.row_begin.begin(), arrays_.row_begin.end(), arrays_.row_begin.begin());
    scatter(indices, arrays_.next_state);
  }

  void map_numbers() {
    const Hdf5Dataset data = file_.get("data"), reward = file_.get("reward");
    require_size(file_, data, entries_);
    require_size(file_, reward, rows_);
    shared_.probability = mapped_->array<double>(file_.place(data, H5T_NATIVE_DOUBLE), data.size);
    shared_.reward = mapped_->array<double>(file_.place(reward, H5T_NATIVE_DOUBLE), reward.size);
  }

  // Of one model.
  void read_numbers() {
    const Hdf5Dataset data = file_.get("data");
    require_size(file_, data, entries_);
    if (order_.agrees()) {
      arrays_.probability = file_.numbers(data);
    } else {
      scatter(data, arrays_.probability);
    }
    arrays_.reward = per_pair(file_.get("reward"));
  }

  // Reads a dataset of transitions piece by piece and puts each row where it belongs.
  template <typename T>
  void scatter(const Hdf5Dataset& dataset, std::vector<T>& out) const {
    resize_on_large_pages(out, dataset.size);
    std::size_t row = 0;
    const auto take = [&](std::size_t begin, std::span<const T> values) {
      put(begin, values, row, std::span<T>(out));
    };
    file_.pieces(dataset, std::function<void(std::size_t, std::span<const T>)>(take));
  }

  // The values of entries from `begin` on, from the row that the last of them was in.
  template <typename T>
  void put(std::size_t begin, std::span<const T> values, std::size_t& row, std::span<T> out) const {
    for (std::size_t i = 0; i < values.size();) {
      const auto at = static_cast<std::int64_t>(begin + i);
      while (indptr_[row + 1] <= at) ++row;
      const auto count = std::min(values.size() - i, static_cast<std::size_t>(indptr_[row + 1] - at));
      std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(i), count,
                  out.begin() + arrays_.row_begin[order_.pair(row)] + (at - indptr_[row]));
      i += count;
    }
  }

  // Every member is a model of the same rows; Mdp puts them in order, adds entries up and drops zeros.
  Members build_members(const MemberRows& members) const {
    const std::size_t entries = members.probability.size() / members.weights.size();
    std::vector<Mdp> models;
    for (std::size_t i = 0; i < members.weights.size(); ++i) {
      const auto reward = std::span(members.reward).subspan(i * rows_, rows_);
      const auto probability = std::span(members.probability).subspan(i * entries, entries);
      MdpArrays arrays = arrays_;
      arrays.reward = order_.ranked(std::vector<double>(reward.begin(), reward.end()));
      arrays.probability.assign(probability.begin(), probability.end());
      std::size_t row = 0;
      if (!order_.agrees()) put<double>(0, probability, row, arrays.probability);
      models.push_back(
          in_file(fmt::format("{}: member {}", file_.name(),
                              members.names.empty() ? fmt::format("{}", i) : excerpt(members.names[i])),
                  [&] { return Mdp(std::move(arrays)); }));
    }
    try {
      return in_file(file_.name(), [&] { return Members(models, members.weights, members.names); });
    } catch (const InvalidArgument& error) {
      file_.fail(error.what());
    }
  }

  std::vector<double> per_pair(const Hdf5Dataset& dataset) const {
    return read_per_pair(file_, dataset, order_);
  }

  std::vector<double> optional_per_pair(const char* name) const {
    const std::optional<Hdf5Dataset> dataset = file_.find(name);
    return dataset ? per_pair(*dataset) : std::vector<double>();
  }

  std::vector<double> per_state(const char* name) const {
    const std::optional<Hdf5Dataset> dataset = file_.find(name);
    if (!dataset) return {};
    require_size(file_, *dataset, arrays_.pair_begin.size() - 1);
    return file_.numbers(*dataset);
  }

  void read_start_and_coordinates() {
    arrays_.start = per_state("start");
    arrays_.labels.x = per_state("x");
    arrays_.labels.y = per_state("y");
  }

  // 'restart': the numbers of the states that end an episode.
  void read_ends(Model& model) const {
    const std::optional<Hdf5Dataset> dataset = file_.find("restart");
    if (!dataset) return;
    if (mapped_) file_.fail("a model with 'restart' cannot be mapped: its rows are changed by it");
    if (model.members)
      file_.fail("'restart' cannot be combined with members: write their rows as they are after it");
    model.ends = file_.int32s(require_vector(file_, *dataset));
    for (const std::int32_t s : model.ends) {
      if (s < 0 || s >= model.mdp.states())
        file_.fail(fmt::format("'restart' names the state {}, but there are {}", s, model.mdp.states()));
    }
    std::sort(model.ends.begin(), model.ends.end());
    in_file(file_.name(), [&] { model.mdp = with_restart(model.mdp, model.ends); });
  }

  Mdp build() {
    return in_file(file_.name(), [&] {
      return mapped_ ? Mdp(std::move(arrays_), std::move(shared_)) : Mdp(std::move(arrays_));
    });
  }

  void check(const Model& model) const {
    in_file(file_.name(), [&] { check_model(model); });
  }

  const Hdf5Reader& file_;
  const MappedFile* mapped_;
  MdpArrays arrays_;
  SharedRows shared_;  // where mapped
  std::size_t rows_ = 0, entries_ = 0;
  RowOrder order_;
  std::vector<std::int64_t> indptr_;  // of the file; moved on where mapped
};

}  // namespace

std::span<const std::string_view> known_datasets() {
  return kDatasets;
}
std::span<const std::string_view> known_attributes() {
  return kAttributes;
}

void require_size(const Hdf5Reader& file, const Hdf5Dataset& dataset, std::size_t size) {
  require_vector(file, dataset);
  if (dataset.size == size) return;
  file.fail(fmt::format("dataset '{}' has {} entries, expected {}", dataset.name, dataset.size, size));
}

NameTable read_name_table(const Hdf5Reader& file, const Hdf5Dataset& dataset, const char* what) {
  NameTable table;
  if (dataset.size == 0) file.fail(fmt::format("dataset '{}' is empty", dataset.name));
  if (dataset.size >= INT32_MAX) file.fail(fmt::format("dataset '{}' is too long", dataset.name));
  file.strings(dataset, [&](std::string_view name) {
    try {
      check_name(what, name);
    } catch (const InvalidModel& error) {
      file.fail(fmt::format("{}, in dataset '{}' at {}", error.problem(), dataset.name, table.size()),
                error.where().value);
    }
    if (table.add(name) < 0) file.fail(fmt::format("the {} name occurs twice", what), excerpt(name));
  });
  return table;
}

std::vector<double> read_per_pair(const Hdf5Reader& file, const Hdf5Dataset& dataset, const RowOrder& order) {
  require_size(file, dataset, order.rows());
  return order.ranked(file.numbers(dataset));
}

Model read_content(const Hdf5Reader& file, const MappedFile* mapped) {
  return ModelReader(file, mapped).read();
}

}  // namespace mindgap::files
