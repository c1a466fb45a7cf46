#include "mindgap/files/model_hdf5.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mindgap/base/error.h"
#include "mindgap/files/hdf5_file.h"
#include "mindgap/files/isolation.h"
#include "mindgap/files/model_toml.h"
#include "mindgap/files/output.h"
#include "mindgap/files/text_file.h"
#include "mindgap/mdp/memory.h"
#include "mindgap/mdp/restart.h"

namespace mindgap::files {

using namespace mdp;  // what these files hold
namespace fs = std::filesystem;
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
                                          "loading"};
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
                                            "shared_kernel_over"};
// Without names an action's number is all that bounds how many actions there are.
constexpr std::int32_t kUnnamedActionsMax = 1'000'000;

// Reads one file, step by step, into the arrays of an Mdp.
class ModelReader {
 public:
  explicit ModelReader(const Hdf5Reader& file) : file_(file) {}

  Model read() {
    read_attributes();
    read_names();
    read_rows();
    read_transitions();
    arrays_.reward = per_pair(file_.get("reward"));
    read_start_and_coordinates();
    Model model{.name = file_.text_attribute("name").value_or(""), .mdp = build()};
    model.reward_variance = file_.number_attribute("reward_variance");
    model.variance = optional_per_pair("variance");
    model.coverage = optional_per_pair("coverage");
    read_prior(model);
    read_ends(model);
    check(model);
    return model;
  }

 private:
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

  NameTable names(const Hdf5Dataset& dataset, const char* what) const {
    NameTable table;
    if (dataset.size == 0) file_.fail(fmt::format("dataset '{}' is empty", dataset.name));
    if (dataset.size >= INT32_MAX) file_.fail(fmt::format("dataset '{}' is too long", dataset.name));
    file_.strings(dataset, [&](std::string_view name) {
      try {
        check_name(what, name);
      } catch (const InvalidModel& error) {
        file_.fail(fmt::format("{}, in dataset '{}' at {}", error.problem(), dataset.name, table.size()),
                   error.where().value);
      }
      if (table.add(name) < 0) file_.fail(fmt::format("the {} name occurs twice", what), excerpt(name));
    });
    return table;
  }

  void read_names() {
    Labels& labels = arrays_.labels;
    if (const auto dataset = file_.find("state_names"))
      labels.states = names(require_vector(*dataset), "state");
    if (const auto dataset = file_.find("action_names"))
      labels.actions = names(require_vector(*dataset), "action");
    if (const auto dataset = file_.find("state_groups")) {
      file_.strings(require_vector(*dataset), [&](std::string_view name) {
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

  const Hdf5Dataset& require_vector(const Hdf5Dataset& dataset) const {
    if (dataset.scalar) file_.fail(fmt::format("dataset '{}' has rank 0, but 1 is wanted", dataset.name));
    return dataset;
  }

  void require_size(const Hdf5Dataset& dataset, std::size_t size) const {
    require_vector(dataset);
    if (dataset.size == size) return;
    file_.fail(
        fmt::format("dataset '{}' has {} entries, but {} are wanted", dataset.name, dataset.size, size));
  }

  // The pairs, in the order of states and actions; `rank_` where the file has another order.
  void read_rows() {
    const Hdf5Dataset state_set = file_.get("state_of_row"), action_set = file_.get("action_of_row");
    rows_ = state_set.size;
    if (rows_ == 0) file_.fail("the model has no states: 'state_of_row' is empty");
    if (rows_ >= INT32_MAX) file_.fail("there are too many rows");
    require_size(action_set, rows_);
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
    rank_.resize(rows_);
    for (std::size_t i = 0; i < rows_; ++i) rank_[order[i]] = static_cast<std::int32_t>(i);
    state = ranked(state);
    action = ranked(action);
  }

  template <typename T>
  std::vector<T> ranked(const std::vector<T>& values) const {
    std::vector<T> result(values.size());
    for (std::size_t r = 0; r < values.size(); ++r) result[rank_[r]] = values[r];
    return result;
  }

  void read_transitions() {
    const Hdf5Dataset indptr_set = file_.get("indptr"), indices = file_.get("indices"),
                      data = file_.get("data");
    require_size(indptr_set, rows_ + 1);
    require_size(data, indices.size);
    std::vector<std::int64_t> indptr = file_.int64s(indptr_set);
    const auto entries = static_cast<std::int64_t>(indices.size);
    if (indptr.front() != 0 || indptr.back() != entries) {
      file_.fail(fmt::format("'indptr' must run from 0 to {}, the size of 'indices'; it runs from {} to {}",
                             entries, indptr.front(), indptr.back()));
    }
    for (std::size_t r = 0; r < rows_; ++r) {
      if (indptr[r + 1] < indptr[r]) file_.fail(fmt::format("'indptr' decreases after {}", r));
    }
    if (rank_.empty()) {
      arrays_.row_begin = std::move(indptr);
      arrays_.next_state = file_.int32s(indices);
      arrays_.probability = file_.numbers(data);
      return;
    }
    arrays_.row_begin.assign(rows_ + 1, 0);
    for (std::size_t r = 0; r < rows_; ++r) arrays_.row_begin[rank_[r] + 1] = indptr[r + 1] - indptr[r];
    std::partial_sum(arrays_.row_begin.begin(), arrays_.row_begin.end(), arrays_.row_begin.begin());
    scatter(indices, indptr, arrays_.next_state);
    scatter(data, indptr, arrays_.probability);
  }

  // Reads a dataset of transitions piece by piece and puts each row where it belongs.
  template <typename T>
  void scatter(const Hdf5Dataset& dataset, const std::vector<std::int64_t>& indptr,
               std::vector<T>& out) const {
    resize_on_large_pages(out, dataset.size);
    std::size_t row = 0;
    const auto take = [&](std::size_t begin, std::span<const T> values) {
      for (std::size_t i = 0; i < values.size();) {
        const auto at = static_cast<std::int64_t>(begin + i);
        while (indptr[row + 1] <= at) ++row;
        const auto count = std::min(values.size() - i, static_cast<std::size_t>(indptr[row + 1] - at));
        std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(i), count,
                    out.begin() + arrays_.row_begin[rank_[row]] + (at - indptr[row]));
        i += count;
      }
    };
    file_.pieces(dataset, std::function<void(std::size_t, std::span<const T>)>(take));
  }

  std::vector<double> per_pair(const Hdf5Dataset& dataset) const {
    require_size(dataset, rows_);
    std::vector<double> values = file_.numbers(dataset);
    return rank_.empty() ? values : ranked(values);
  }

  std::vector<double> optional_per_pair(const char* name) const {
    const std::optional<Hdf5Dataset> dataset = file_.find(name);
    return dataset ? per_pair(*dataset) : std::vector<double>();
  }

  std::vector<double> per_state(const char* name) const {
    const std::optional<Hdf5Dataset> dataset = file_.find(name);
    if (!dataset) return {};
    require_size(*dataset, arrays_.pair_begin.size() - 1);
    return file_.numbers(*dataset);
  }

  void read_start_and_coordinates() {
    arrays_.start = per_state("start");
    arrays_.labels.x = per_state("x");
    arrays_.labels.y = per_state("y");
  }

  void read_prior(Model& model) const {
    PriorSpec prior;
    bool any = false;
    const auto read_numbers = [&](const char* name, std::optional<double>& one, std::vector<double>& each) {
      const std::optional<Hdf5Dataset> dataset = file_.find(name);
      if (!dataset) return;
      any = true;
      if (dataset->scalar) {
        one = file_.numbers(*dataset).front();
      } else {
        each = per_pair(*dataset);
      }
    };
    const auto read_attribute = [&](const char* name, double& value) {
      const std::optional<double> stated = file_.number_attribute(name);
      any = any || stated;
      value = stated.value_or(value);
    };
    read_numbers("reward_sd", prior.reward_sd, prior.pair_reward_sd);
    read_numbers("transition_strength", prior.transition_strength, prior.pair_transition_strength);
    read_attribute("odds", prior.odds);
    read_attribute("drift_sd", prior.drift_sd);
    prior.unseen = file_.number_attribute("unseen");
    any = any || prior.unseen;
    read_attribute("unseen_strength", prior.unseen_strength);
    prior.reward_min = file_.number_attribute("prior_reward_min");
    prior.reward_max = file_.number_attribute("prior_reward_max");
    any = any || prior.reward_min || prior.reward_max;
    if (const std::optional<std::string> name = file_.text_attribute("prior_rewards")) {
      const std::optional<RewardKind> kind = reward_kind_from(*name);
      if (!kind)
        file_.fail(
            fmt::format("{}; the attribute 'prior_rewards' is '{}'", kRewardKindWanted, excerpt(*name)));
      prior.rewards = *kind;
      any = true;
    }
    prior.shared = read_shared(model.mdp);
    if (any || prior.shared.any()) model.prior = std::move(prior);
  }

  SharedSpec read_shared(const Mdp& mdp) const {
    SharedSpec shared;
    if (const std::optional<Hdf5Dataset> sds = file_.find("shared_group_sd")) {
      const std::vector<double> values = file_.numbers(*sds);
      if (sds->scalar) {
        shared.group_sd = values.front();
      } else {
        read_group_sds(mdp, values, shared);
      }
    }
    if (const std::optional<double> sd = file_.number_attribute("shared_kernel_sd")) {
      KernelSpec& kernel = shared.kernel.emplace();
      kernel.sd = *sd;
      kernel.length = file_.number_attribute("shared_kernel_length").value_or(0);
      const std::string name = file_.text_attribute("shared_kernel_over").value_or("place");
      const std::optional<KernelOver> over = kernel_over_from(name);
      if (!over)
        file_.fail(
            fmt::format("{}; the attribute 'shared_kernel_over' is '{}'", kKernelOverWanted, excerpt(name)));
      kernel.over = *over;
    }
    if (const std::optional<Hdf5Dataset> loading = file_.find("loading")) {
      const std::vector<double> values = file_.numbers(*loading);
      const std::vector<std::int32_t> pairs = file_.int32s(file_.get("loading_pair"));
      const std::vector<std::int32_t> factors = file_.int32s(file_.get("loading_factor"));
      file_.strings(file_.get("shared_factors"),
                    [&](std::string_view name) { shared.factors.emplace_back(name); });
      if (pairs.size() != values.size() || factors.size() != values.size())
        file_.fail("'loading', 'loading_pair' and 'loading_factor' must have the same length");
      for (std::size_t i = 0; i < values.size(); ++i)
        shared.loadings.push_back({pairs[i], factors[i], values[i]});
    }
    return shared;
  }

  void read_group_sds(const Mdp& mdp, const std::vector<double>& values, SharedSpec& shared) const {
    const NameTable& groups = mdp.labels().groups;
    shared.group_sds.assign(static_cast<std::size_t>(groups.size()), 0.0);
    std::size_t i = 0;
    file_.strings(file_.get("shared_group_names"), [&](std::string_view name) {
      const std::int32_t group = groups.find(name);
      if (group < 0 || i == values.size())
        file_.fail("'shared_group_names' must name groups of the states, one for each 'shared_group_sd'",
                   excerpt(name));
      shared.group_sds[static_cast<std::size_t>(group)] = values[i++];
    });
  }

  // Mdp and check_model do not know the file.
  template <typename Deed>
  auto with_file_name(Deed deed) const {
    try {
      return deed();
    } catch (const InvalidModel& error) {
      ModelLocation where = error.where();
      where.file = file_.name();
      throw InvalidModel(error.problem(), std::move(where));
    }
  }

  // 'restart': the numbers of the states that end an episode.
  void read_ends(Model& model) const {
    const std::optional<Hdf5Dataset> dataset = file_.find("restart");
    if (!dataset) return;
    model.ends = file_.int32s(require_vector(*dataset));
    for (const std::int32_t s : model.ends) {
      if (s < 0 || s >= model.mdp.states())
        file_.fail(fmt::format("'restart' names the state {}, but there are {}", s, model.mdp.states()));
    }
    std::sort(model.ends.begin(), model.ends.end());
    with_file_name([&] { model.mdp = with_restart(model.mdp, model.ends); });
  }

  Mdp build() {
    return with_file_name([&] { return Mdp(std::move(arrays_)); });
  }

  void check(const Model& model) const {
    with_file_name([&] { check_model(model); });
  }

  const Hdf5Reader& file_;
  MdpArrays arrays_;
  std::size_t rows_ = 0;
  std::vector<std::int32_t> rank_;  // of each row of the file among the pairs; empty where they agree
};

void write_names_and_states(const Mdp& mdp, Hdf5Writer& out) {
  const Labels& labels = mdp.labels();
  const auto states = static_cast<std::size_t>(mdp.states());
  const auto write_names = [&](const char* name, const NameTable& names) {
    if (names.empty()) return;
    out.strings(name, static_cast<std::size_t>(names.size()),
                [&](std::size_t i) { return names[static_cast<std::int32_t>(i)]; });
  };
  write_names("state_names", labels.states);
  write_names("action_names", labels.actions);
  if (!labels.group_of_state.empty()) {
    out.strings("state_groups", states, [&](std::size_t s) {
      const std::int32_t group = labels.group_of_state[s];
      return group < 0 ? std::string_view() : labels.groups[group];
    });
  }
  if (!labels.x.empty()) {
    out.numbers("x", labels.x);
    out.numbers("y", labels.y);
  }
  const double share = 1.0 / mdp.states();
  const bool uniform =
      std::all_of(mdp.start().begin(), mdp.start().end(), [&](double p) { return p == share; });
  if (!uniform) out.numbers("start", mdp.start());
}

void write_rows(const Mdp& mdp, Hdf5Writer& out) {
  std::vector<std::int32_t> state_of_row(static_cast<std::size_t>(mdp.pairs()));
  for (std::int32_t s = 0; s < mdp.states(); ++s) {
    for (std::int32_t k = mdp.pair_begin()[s]; k < mdp.pair_begin()[s + 1]; ++k) state_of_row[k] = s;
  }
  out.int32s("state_of_row", state_of_row);
  out.int32s("action_of_row", mdp.pair_action());
  out.int64s("indptr", mdp.row_begin());
  out.int32s("indices", mdp.next_state());
  out.numbers("data", mdp.probability());
  out.numbers("reward", mdp.reward());
}

void write_prior(const PriorSpec& prior, Hdf5Writer& out) {
  out.number_attribute("odds", prior.odds);
  out.number_attribute("drift_sd", prior.drift_sd);
  if (prior.unseen) out.number_attribute("unseen", *prior.unseen);
  if (prior.unseen_strength != 1) out.number_attribute("unseen_strength", prior.unseen_strength);
  if (prior.reward_min) out.number_attribute("prior_reward_min", *prior.reward_min);
  if (prior.reward_max) out.number_attribute("prior_reward_max", *prior.reward_max);
  if (prior.rewards != RewardKind::gaussian) out.text_attribute("prior_rewards", to_string(prior.rewards));
  if (prior.reward_sd) out.scalar("reward_sd", *prior.reward_sd);
  if (!prior.pair_reward_sd.empty()) out.numbers("reward_sd", prior.pair_reward_sd);
  if (prior.transition_strength) out.scalar("transition_strength", *prior.transition_strength);
  if (!prior.pair_transition_strength.empty()) {
    out.numbers("transition_strength", prior.pair_transition_strength);
  }
}

void write_shared(const Mdp& mdp, const SharedSpec& shared, Hdf5Writer& out) {
  if (shared.group_sd) out.scalar("shared_group_sd", *shared.group_sd);
  if (!shared.group_sds.empty()) {
    const NameTable& groups = mdp.labels().groups;
    out.numbers("shared_group_sd", shared.group_sds);
    out.strings("shared_group_names", shared.group_sds.size(),
                [&](std::size_t g) { return std::string_view(groups[static_cast<std::int32_t>(g)]); });
  }
  if (shared.kernel) {
    out.number_attribute("shared_kernel_sd", shared.kernel->sd);
    out.number_attribute("shared_kernel_length", shared.kernel->length);
    out.text_attribute("shared_kernel_over", to_string(shared.kernel->over));
  }
  if (shared.loadings.empty()) return;
  std::vector<std::int32_t> pairs, factors;
  std::vector<double> values;
  for (const Loading& one : shared.loadings) {
    pairs.push_back(one.pair);
    factors.push_back(one.factor);
    values.push_back(one.loading);
  }
  out.strings("shared_factors", shared.factors.size(),
              [&](std::size_t i) { return std::string_view(shared.factors[i]); });
  out.int32s("loading_pair", pairs);
  out.int32s("loading_factor", factors);
  out.numbers("loading", values);
}

void write_content(const Model& model, Hdf5Writer& out) {
  const Mdp& mdp = model.mdp;
  out.text_attribute("format", kModelFormat);
  out.text_attribute("name", model.name);
  out.number_attribute("discount", mdp.discount());
  if (mdp.reward_max() != mdp.reward_magnitude()) out.number_attribute("reward_max", mdp.reward_max());
  if (model.reward_variance) out.number_attribute("reward_variance", *model.reward_variance);
  if (mdp.labels().actions.empty()) out.integer_attribute("actions", mdp.actions());
  write_names_and_states(mdp, out);
  write_rows(mdp, out);
  if (!model.variance.empty()) out.numbers("variance", model.variance);
  if (!model.coverage.empty()) out.numbers("coverage", model.coverage);
  if (!model.ends.empty()) out.int32s("restart", model.ends);
  if (model.prior) write_prior(*model.prior, out);
  if (model.prior) write_shared(mdp, model.prior->shared, out);
}

// HDF5 1.10 crashes or loops on some damaged files. So a copy of the process looks at the file first; only
// what it survives is read here.
Model read_with_care(const std::function<Hdf5Handle()>& open, std::uint64_t bytes, const std::string& name) {
  constexpr int kSecondsMin = 2;
  constexpr std::uint64_t kBytesPerSecond = 20'000'000;  // compressed data on a slow machine
  const auto probe = [&] {
    if (const Hdf5Handle file = open()) Hdf5Reader(file.get(), name).probe(kDatasets, kAttributes);
  };
  const auto seconds = static_cast<int>(std::min<std::uint64_t>(bytes / kBytesPerSecond, 1'000'000));
  if (!comes_through(probe, kSecondsMin + seconds)) {
    throw StoreError(name + ": the file is damaged; the HDF5 library fails on it");
  }
  const Hdf5Handle file = open();
  if (!file) {
    throw StoreError(name + ": cannot be opened as HDF5; the file may be truncated or damaged");
  }
  const Hdf5Reader reader(file.get(), name);
  return ModelReader(reader).read();
}

}  // namespace

Model read_model_hdf5(const fs::path& path) {
  std::uint64_t bytes = 0;
  {
    // Our own look first: HDF5 does not say why it cannot open a file.
    const TextFile file = open_text_file(path);
    constexpr std::string_view kSignature("\x89HDF\r\n\x1a\n", 8);
    if (file.text.empty()) throw StoreError(file.name + ": the file is empty, but an HDF5 file is wanted");
    if (!file.text.starts_with(kSignature)) {
      throw StoreError(file.name + ": is not an HDF5 file (a model is one, or a folder with model.toml)");
    }
    bytes = file.text.size();
  }
  const Hdf5Session session;
  const auto open = [&] { return Hdf5Handle(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose); };
  return read_with_care(open, bytes, path.string());
}

Model parse_model_hdf5(std::span<const std::byte> bytes, const std::string& name) {
  const Hdf5Session session;
  const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_fapl_core(access.get(), 1 << 16, false);
  // HDF5 copies the image; it promises not to change it, but its interface is not const.
  H5Pset_file_image(access.get(), const_cast<std::byte*>(bytes.data()), bytes.size());
  const auto open = [&] { return Hdf5Handle(H5Fopen(name.c_str(), H5F_ACC_RDONLY, access.get()), H5Fclose); };
  return read_with_care(open, bytes.size(), name);
}

void write_model_hdf5(const Model& model, const fs::path& path) {
  check_model(model);
  if (model.members)
    throw StoreError(path.string() + ": an ensemble is written as a folder, not as one file");
  StagedFile staged(path);
  {
    const Hdf5Session session;
    // The latest format: attributes may be longer than 64 KiB, and strings are stored compactly.
    const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    H5Pset_libver_bounds(access.get(), H5F_LIBVER_V18, H5F_LIBVER_V110);
    Hdf5Handle file(H5Fcreate(staged.temporary().c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.get()),
                    H5Fclose);
    if (!file) throw StoreError(path.string() + ": cannot write (no such folder, or no permission)");
    Hdf5Writer out(file.get(), path.string());
    write_content(model, out);
    if (!file.reset()) throw StoreError(path.string() + ": cannot write (is the disk full?)");
  }
  staged.commit();
}

}  // namespace mindgap::files
