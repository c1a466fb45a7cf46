// Writes one of the benchmark's models: make_model random|random:STATES|maze|walls|pendulum OUT.h5
#include <charconv>
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>

#include "mindgap/base/error.h"
#include "mindgap/files/model_file.h"
#include "mindgap/mdp/model.h"
#include "models.h"

namespace {

using namespace mindgap;

mdp::Mdp make(std::string_view kind) {
  constexpr std::string_view kRandom = "random:";
  if (kind == "random") return bench::random_sparse(100'000);
  if (kind == "maze") return bench::maze(500, 0);
  if (kind == "walls") return bench::maze(500, .3);
  if (kind == "pendulum") return bench::pendulum();
  std::int32_t states = 0;
  if (kind.starts_with(kRandom)) {
    std::from_chars(kind.data() + kRandom.size(), kind.data() + kind.size(), states);
  }
  if (states <= 0) throw InvalidArgument("unknown kind of model: " + std::string(kind));
  return bench::random_sparse(states);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: make_model random|random:STATES|maze|walls|pendulum OUT.h5\n", stderr);
    return 2;
  }
  try {
    files::write_model({.name = argv[1], .mdp = make(argv[1])}, argv[2]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "make_model: error: %s\n", error.what());
    return 2;
  }
}
