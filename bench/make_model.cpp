// Writes one of the benchmark's models: make_model
// random|random:STATES[:ACTIONS:SUCCESSORS]|lumpable:STATES:CLASSES|maze|walls|pendulum|regions:SIDE OUT.h5
#include <charconv>
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "mindgap/base/error.h"
#include "mindgap/files/model_file.h"
#include "mindgap/mdp/model.h"
#include "models.h"

namespace {

using namespace mindgap;

// The numbers behind a kind: "random:1000:4:5" after "random".
std::vector<std::int32_t> numbers_of(std::string_view rest) {
  std::vector<std::int32_t> numbers;
  while (rest.starts_with(':')) {
    std::int32_t number = 0;
    const auto end = std::from_chars(rest.data() + 1, rest.data() + rest.size(), number).ptr;
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    if (number > 0) numbers.push_back(number);
  }
  return rest.empty() ? numbers : std::vector<std::int32_t>();
}

mdp::Mdp make(std::string_view kind) {
  if (kind == "random") return bench::random_sparse(100'000);
  if (kind == "maze") return bench::maze(500, 0);
  if (kind == "walls") return bench::maze(500, .3);
  if (kind == "pendulum") return bench::pendulum();
  const std::string_view name = kind.substr(0, kind.find(':'));
  const std::vector<std::int32_t> n = numbers_of(kind.substr(name.size()));
  if (name == "random" && n.size() == 1) return bench::random_sparse(n[0]);
  if (name == "random" && n.size() == 3) return bench::random_sparse(n[0], n[1], n[2]);
  if (name == "lumpable" && n.size() == 2) return bench::lumpable(n[0], n[1]);
  throw InvalidArgument("unknown kind of model: " + std::string(kind));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs(
        "usage: make_model "
        "random|random:STATES[:ACTIONS:SUCCESSORS]|lumpable:STATES:CLASSES|maze|walls|pendulum|"
        "regions:SIDE OUT.h5\n",
        stderr);
    return 2;
  }
  try {
    const std::string_view kind = argv[1], regions = "regions";
    const auto side =
        kind.starts_with(regions) ? numbers_of(kind.substr(regions.size())) : std::vector<std::int32_t>();
    files::write_model(
        side.size() == 1 ? bench::two_regions(side[0]) : mdp::Model{.name = argv[1], .mdp = make(kind)},
        argv[2]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "make_model: error: %s\n", error.what());
    return 2;
  }
}
