// How fast a model folder is read: makes one in a temporary directory and prints megabytes per second of
// transitions.csv, whole and by phase, and the peak memory. Usage: bench_csv_read [states] [repeats]
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>

#include "mindgap/files/folder_tables.h"
#include "mindgap/files/model_file.h"
#include "mindgap/mdp/model.h"

namespace {

using namespace mindgap::mdp;
using namespace mindgap::files;
namespace fs = std::filesystem;
constexpr int kActions = 5;
constexpr int kSuccessors = 10;

Model random_model(std::int32_t states) {
  std::mt19937_64 random(42);
  MdpArrays arrays;
  arrays.discount = 0.99;
  for (int a = 0; a < kActions; ++a) arrays.labels.actions.add(fmt::format("a{}", a));
  arrays.pair_begin.push_back(0);
  arrays.row_begin.push_back(0);
  for (std::int32_t s = 0; s < states; ++s) {
    arrays.labels.states.add(fmt::format("s{}", s));
    for (int a = 0; a < kActions; ++a) {
      double sum = 0;
      double weight[kSuccessors];
      for (double& w : weight) sum += w = static_cast<double>(random() >> 40) + 1;
      for (const double w : weight) {
        arrays.next_state.push_back(static_cast<std::int32_t>(random() % static_cast<std::uint64_t>(states)));
        arrays.probability.push_back(w / sum);
      }
      arrays.row_begin.push_back(static_cast<std::int64_t>(arrays.next_state.size()));
      arrays.pair_action.push_back(a);
      arrays.reward.push_back(static_cast<double>(random() % 1000) / 100);
    }
    arrays.pair_begin.push_back(static_cast<std::int32_t>(arrays.pair_action.size()));
  }
  return {.name = "random", .mdp = Mdp(std::move(arrays))};
}

template <typename Deed>
double seconds(Deed deed) {
  const auto begin = std::chrono::steady_clock::now();
  deed();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// The most memory that a process of its own has resident while it does `deed`.
template <typename Deed>
double peak_megabytes(Deed deed) {
  const pid_t child = ::fork();
  if (child == 0) {
    deed();
    ::_exit(0);
  }
  rusage usage{};
  ::wait4(child, nullptr, 0, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024 / 1e6;
}

double model_megabytes(const Mdp& mdp) {
  const double pairs = mdp.pairs(), entries = static_cast<double>(mdp.nonzeros());
  return (entries * 12 + pairs * 20 + mdp.states() * (12.0 + 24 * 2)) / 1e6;
}

void report(const fs::path& path, double bytes, int repeats, const char* what) {
  double best = 1e9;
  for (int i = 0; i < repeats; ++i) best = std::min(best, seconds([&] { read_model(path); }));
  fmt::print("{}: {:.3f} s, {:.0f} MB/s (best of {})\n", what, best, bytes / best / 1e6, repeats);
}

void report_phases(const fs::path& folder) {
  const TextFile states = open_text_file(folder / "states.csv"),
                 rewards = open_text_file(folder / "rewards.csv");
  const TextFile transitions = open_text_file(folder / "transitions.csv");
  MdpArrays arrays;
  arrays.discount = 0.99;
  for (int a = 0; a < kActions; ++a) arrays.labels.actions.add(fmt::format("a{}", a));
  std::vector<double> variance;
  fmt::print("  cut into fields only  {:.3f} s\n", seconds([&] {
               CsvReader reader(transitions.text, "", {"state", "action", "next_state", "probability"});
               while (reader.next() > 0) {
               }
             }));
  fmt::print("  states                {:.3f} s\n", seconds([&] { read_states(states, arrays); }));
  fmt::print("  rewards               {:.3f} s\n",
             seconds([&] { read_rewards(rewards, states, {}, arrays, variance); }));
  fmt::print("  transitions           {:.3f} s\n",
             seconds([&] { read_transitions(transitions, rewards, arrays); }));
  fmt::print("  validation            {:.3f} s\n", seconds([&] { Mdp mdp(std::move(arrays)); }));
}

}  // namespace

int main(int argc, char** argv) {
  const std::int32_t states = argc > 1 ? std::atoi(argv[1]) : 100'000;
  const int repeats = argc > 2 ? std::atoi(argv[2]) : 5;
  const fs::path folder = fs::temp_directory_path() / fmt::format("mindgap-bench-{}", ::getpid());
  const fs::path file = folder.string() + ".h5";
  {
    const Model model = random_model(states);
    fmt::print("write folder {:.3f} s\n", seconds([&] { write_model(model, folder); }));
    fmt::print("write HDF5 {:.3f} s\n", seconds([&] { write_model(model, file); }));
  }
  const auto bytes = static_cast<double>(fs::file_size(folder / "transitions.csv"));
  fmt::print("transitions.csv {:.1f} MB, HDF5 {:.1f} MB\n", bytes / 1e6,
             static_cast<double>(fs::file_size(file)) / 1e6);
  report(folder, bytes, repeats, "read folder");
  report_phases(folder);
  report(file, static_cast<double>(fs::file_size(file)), repeats, "read HDF5");
  const double model = model_megabytes(read_model(file).mdp);
  const double folder_peak = peak_megabytes([&] { read_model(folder); });
  const double file_peak = peak_megabytes([&] { read_model(file); });
  fmt::print(
      "arrays of the model {:.1f} MB; peak of reading HDF5 {:.1f} MB ({:.2f} times), of the folder {:.1f} MB",
      model, file_peak, file_peak / model, folder_peak);
  fmt::print(" ({:.2f} times, beside up to {:.1f} MB of mapped file)\n", (folder_peak - bytes / 1e6) / model,
             bytes / 1e6);
  fs::remove_all(folder);
  fs::remove(file);
}
