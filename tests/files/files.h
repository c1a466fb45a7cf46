#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "mindgap/base/error.h"
#include "mindgap/mdp/model.h"

// Help for tests that read and write files.
namespace mindgap::files {

/// A folder of its own for each test, removed at the end.
class FileTest : public ::testing::Test {
 protected:
  FileTest() {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ =
        std::filesystem::temp_directory_path() / (std::string("mindgap-") + test->test_suite_name() + "-" +
                                                  test->name() + "-" + std::to_string(::getpid()));
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~FileTest() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path path(const std::string& name) const { return folder_ / name; }

  std::filesystem::path write(const std::string& name, std::string_view text) const {
    std::filesystem::create_directories(path(name).parent_path());
    std::ofstream(path(name), std::ios::binary) << text;
    return path(name);
  }

  static std::string read(const std::filesystem::path& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
  }

  /// What is in a folder, in order: to see that nothing half-written stayed.
  static std::vector<std::string> listing(const std::filesystem::path& folder) {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
      names.push_back(entry.path().lexically_relative(folder).string());
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  /// The message of the Error that `deed` throws, with this test's folder left out.
  template <typename Deed>
  std::string message(Deed deed) const {
    try {
      deed();
    } catch (const Error& error) {
      std::string text = error.what();
      const std::string prefix = folder_.string() + "/";
      for (std::size_t at = text.find(prefix); at != std::string::npos; at = text.find(prefix)) {
        text.erase(at, prefix.size());
      }
      return text;
    }
    return "no error";
  }

  std::filesystem::path folder_;
};

/// Equal bit for bit, so that -0.0 and 0.0 differ.
inline bool same_bits(std::span<const double> a, std::span<const double> b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
}

inline bool same_bits(const mdp::Model& a, const mdp::Model& b) {
  const mdp::PriorSpec none, &p = a.prior ? *a.prior : none, &q = b.prior ? *b.prior : none;
  return a == b && same_bits(a.mdp.probability(), b.mdp.probability()) &&
         same_bits(a.mdp.reward(), b.mdp.reward()) && same_bits(a.mdp.start(), b.mdp.start()) &&
         same_bits(a.mdp.labels().x, b.mdp.labels().x) && same_bits(a.mdp.labels().y, b.mdp.labels().y) &&
         same_bits(a.variance, b.variance) && same_bits(a.coverage, b.coverage) &&
         same_bits(p.pair_reward_sd, q.pair_reward_sd) &&
         same_bits(p.pair_transition_strength, q.pair_transition_strength);
}

/// Models of all shapes: names that need quotes, numbers at the ends of their range, every optional part
/// there or not. `named` false: no names at all.
class RandomModels {
 public:
  explicit RandomModels(std::uint64_t seed) : random_(seed) {}

  mdp::Model next(bool named = true) {
    mdp::MdpArrays arrays;
    const std::int32_t states = 1 + pick(12), actions = 1 + pick(4);
    arrays.discount = static_cast<double>(random_() >> 11) * 0x1p-53;
    arrays.actions = actions;
    if (coin()) arrays.reward_max = number();
    add_rows(arrays, states, actions);
    if (named) add_labels(arrays, states, actions);
    if (coin()) add_start(arrays, states);
    mdp::Model model{.name = coin() ? name(0) : "", .mdp = mdp::Mdp(std::move(arrays))};
    const auto pairs = static_cast<std::size_t>(model.mdp.pairs());
    if (coin()) model.variance = each(pairs, [this] { return variance(); });
    if (coin()) model.reward_variance = variance();
    if (coin()) add_prior(model, pairs);
    return model;
  }

  std::vector<double> numbers(std::size_t size) {
    std::vector<double> values(size);
    for (double& value : values) value = number();
    return values;
  }

  bool coin() { return random_() % 2 == 0; }

 private:
  std::int32_t pick(int limit) { return static_cast<std::int32_t>(random_() % static_cast<unsigned>(limit)); }

  /// Zero or more, often extreme.
  double number() {
    switch (pick(6)) {
      case 0:
        return 0;
      case 1:
        return 5e-324 * pick(1000);
      case 2:
        return 1.7976931348623157e308;
      case 3:
        return pick(100);
      default: {
        const std::uint64_t bits = random_() & 0x7fffffffffffffffU;
        double value;
        std::memcpy(&value, &bits, sizeof value);
        return std::isfinite(value) ? value : 1.5;
      }
    }
  }

  double sd() { return std::min(number(), 1e100); }
  double variance() {
    const double value = number();
    return value == 0 ? 0 : std::clamp(value, 1e-200, 1e200);
  }
  template <typename Make>
  std::vector<double> each(std::size_t size, Make make) {
    std::vector<double> values(size);
    for (double& value : values) value = make();
    return values;
  }

  std::string name(int number) {
    static const char* const kPieces[] = {"a",    ",", "\"", "\n", "\r",   "\r\n", " ",     "\t",   "ü",
                                          "日",   "'", "\\", "#",  "=",    "\x7f", "\x01",  "🙂", "0",
                                          "\"\"", "]", "s",  "-",  "true", "[",    "longer"};
    std::string text;
    for (int i = pick(6); i >= 0; --i) text += kPieces[pick(std::size(kPieces))];
    return text + std::to_string(number);
  }

  void add_rows(mdp::MdpArrays& arrays, std::int32_t states, std::int32_t actions) {
    arrays.pair_begin = {0};
    arrays.row_begin = {0};
    for (std::int32_t s = 0; s < states; ++s) {
      const std::int32_t sure = pick(actions);
      for (std::int32_t a = 0; a < actions; ++a) {
        if (a != sure && coin()) continue;
        arrays.pair_action.push_back(a);
        arrays.reward.push_back(coin() ? number() : -number());
        double left = 1;
        for (int i = pick(4); i > 0; --i) {
          const double p = left * static_cast<double>(random_() >> 11) * 0x1p-53;
          arrays.next_state.push_back(pick(states));
          arrays.probability.push_back(p);
          left -= p;
        }
        arrays.next_state.push_back(pick(states));
        arrays.probability.push_back(left);
        arrays.next_state.push_back(pick(states));
        arrays.probability.push_back(5e-324);
        arrays.row_begin.push_back(static_cast<std::int64_t>(arrays.next_state.size()));
      }
      arrays.pair_begin.push_back(static_cast<std::int32_t>(arrays.pair_action.size()));
    }
  }

  void add_labels(mdp::MdpArrays& arrays, std::int32_t states, std::int32_t actions) {
    mdp::Labels& labels = arrays.labels;
    const bool groups = coin(), coordinates = coin();
    for (std::int32_t a = 0; a < actions; ++a) labels.actions.add(name(a));
    for (std::int32_t s = 0; s < states; ++s) {
      labels.states.add(name(s));
      if (groups) {
        const std::string group = coin() ? "" : "group, " + std::to_string(pick(3));
        if (!group.empty()) labels.groups.add(group);
        labels.group_of_state.push_back(group.empty() ? -1 : labels.groups.find(group));
      }
      if (coordinates) {
        labels.x.push_back(coin() ? -number() : number());
        labels.y.push_back(number());
      }
    }
  }

  void add_start(mdp::MdpArrays& arrays, std::int32_t states) {
    arrays.start.assign(static_cast<std::size_t>(states), -0.0);
    double left = 1;
    for (std::int32_t s = 0; s + 1 < states; ++s) {
      arrays.start[s] = coin() ? 5e-324 : left / 3;
      left -= arrays.start[s];
    }
    arrays.start.back() = left;
  }

  void add_prior(mdp::Model& model, std::size_t pairs) {
    mdp::PriorSpec& prior = model.prior.emplace();
    const auto positive = [&] { return std::clamp(number(), 1e-12, 1e100); };
    if (coin()) prior.reward_sd = sd();
    if (coin()) prior.transition_strength = positive();
    if (!prior.reward_sd && coin()) prior.pair_reward_sd = each(pairs, [this] { return sd(); });
    if (!prior.transition_strength && coin()) {
      for (std::size_t k = 0; k < pairs; ++k) prior.pair_transition_strength.push_back(positive());
    }
    if (coin()) prior.odds = 1 + pick(5);
    if (coin()) prior.drift_sd = sd();
    double least = model.mdp.reward()[0], most = least;
    for (const double r : model.mdp.reward()) least = std::min(least, r), most = std::max(most, r);
    if (least >= 0 && most <= 1 && coin()) {
      prior.rewards = mdp::RewardKind::bernoulli;
      return;
    }
    if (least > -1e15 && coin()) prior.reward_min = least - 1;
    if (most < 1e15 && coin()) prior.reward_max = most + 1;
    if (!prior.reward_min && !prior.reward_max && coin()) add_shared(model.mdp, prior.shared);
  }

  void add_shared(const mdp::Mdp& mdp, mdp::SharedSpec& shared) {
    if (!mdp.labels().groups.empty() && coin()) {
      if (coin()) {
        shared.group_sd = sd();
      } else {
        shared.group_sds =
            each(static_cast<std::size_t>(mdp.labels().groups.size()), [this] { return sd(); });
      }
    }
    if (coin()) {
      shared.kernel = {.sd = sd(), .length = std::max(number(), 5e-324), .over = mdp::KernelOver::graph};
      if (!mdp.labels().x.empty() && coin()) shared.kernel->over = mdp::KernelOver::place;
    }
    if (coin()) return;
    shared.factors = {"winter, cold"};
    for (std::int32_t k = 0; k < mdp.pairs(); ++k) {
      if (k == 0 || coin()) shared.loadings.push_back({k, 0, coin() ? -number() : number()});
    }
  }

  std::mt19937_64 random_;
};

}  // namespace mindgap::files
