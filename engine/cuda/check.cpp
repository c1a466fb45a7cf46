// check_engine LIBRARY [SIDE ...]: compares an engine's functions with the same ones computed here on a small
// model, then times them on square grids with sides given (default 31 100 316), 4 actions, 5 successors each.
// Needs nothing but the C++ library: to try a device where the rest is not installed.
#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include "host_engine.h"

namespace {

using mindgap::engine::host_engine;

struct Model {
  std::vector<std::int32_t> pair_begin, next_state;
  std::vector<std::int64_t> row_begin;
  std::vector<double> mean, sd, alpha, weights;
  std::vector<std::int32_t> deployed;
  std::int32_t states() const { return static_cast<std::int32_t>(pair_begin.size()) - 1; }
  std::int64_t nonzeros() const { return row_begin.back(); }
  MindgapShape shape() const {
    return {states(), pair_begin.back(), nonzeros(), pair_begin.data(), row_begin.data(), next_state.data()};
  }
  MindgapLaw law() const { return {mean.data(), sd.data(), alpha.data(), 42, 3}; }
};

// A walk on a square: an action moves its way with .7, and to every neighbour or nowhere with the rest.
Model grid(std::int32_t side) {
  Model model;
  model.pair_begin.push_back(0);
  model.row_begin.push_back(0);
  const std::int32_t states = side * side;
  for (std::int32_t s = 0; s < states; ++s) {
    const std::int32_t x = s % side, y = s / side;
    const std::int32_t ways[5] = {s, y > 0 ? s - side : s, y + 1 < side ? s + side : s, x > 0 ? s - 1 : s,
                                  x + 1 < side ? s + 1 : s};
    std::vector<std::int32_t> next(ways, ways + 5);
    std::sort(next.begin(), next.end());
    next.erase(std::unique(next.begin(), next.end()), next.end());
    for (int a = 0; a < 4; ++a) {
      const double rest = .3 / static_cast<double>(next.size());
      for (const std::int32_t n : next) {
        model.next_state.push_back(n);
        model.alpha.push_back(5 * (rest + (n == ways[a + 1] ? .7 : 0)));
      }
      model.row_begin.push_back(static_cast<std::int64_t>(model.next_state.size()));
      model.mean.push_back(static_cast<double>((s * 7 + a * 13) % 101) / 101 +
                           (x > side / 2 && y > side / 2 ? 1 : 0));
      model.sd.push_back(.3 + static_cast<double>(s % 7) / 20);
    }
    model.pair_begin.push_back(4 * (s + 1));
    model.deployed.push_back(4 * s + s % 4);
    model.weights.push_back(1.0 / states);
  }
  return model;
}

class Batch {
 public:
  Batch(const MindgapEngine* engine, const Model& model, std::int32_t models)
      : engine_(*engine), model_(model), n_(models), price(models, 0), a(models), b(models), c(models) {
    const MindgapShape shape = model.shape();
    ok(engine_.create(&shape, models, &batch_));
  }
  ~Batch() { engine_.destroy(batch_); }

  void draw() {
    const MindgapLaw law = model_.law();
    ok(engine_.draw(batch_, &law, 1000));
  }
  void follow(double discount, std::int64_t steps, bool picks) {
    ok(engine_.follow(batch_, picks ? nullptr : model_.deployed.data(), model_.weights.data(), discount,
                      steps, a.data(), b.data()));
  }
  void mark() { ok(engine_.mark_outside(batch_, 2e-4, c.data())); }
  void sum_visits(std::vector<double>& visits) {
    visits.resize(model_.weights.size());
    ok(engine_.sum_visits(batch_, std::vector<double>(n_, 1.0 / n_).data(), visits.data()));
  }
  void ranges() { ok(engine_.ranges(batch_, a.data(), b.data(), c.data())); }
  void finite(std::int64_t steps, const std::uint8_t* active = nullptr) {
    ok(engine_.finite_horizon(batch_, .95, steps, model_.weights.data(), price.data(), active, a.data(),
                              b.data()));
  }
  void start() { ok(engine_.set_value(batch_, std::vector<double>(model_.weights.size(), 10).data())); }
  void improve(int evaluations) {
    ok(engine_.improve(batch_, .95, price.data(), nullptr, evaluations, a.data(), b.data(), c.data()));
  }
  void weigh() { ok(engine_.weigh_value(batch_, model_.weights.data(), a.data())); }
  void visit_outside(int sweeps) {
    ok(engine_.visit_outside(batch_, .95, model_.weights.data(), nullptr, sweeps, 1, a.data(), b.data(),
                             c.data()));
  }
  void read(std::int32_t m, std::vector<double>& reward, std::vector<double>& probability) {
    reward.resize(model_.mean.size());
    probability.resize(model_.alpha.size());
    ok(engine_.read(batch_, m, reward.data(), probability.data()));
  }
  void load(std::int32_t m, const std::vector<double>& reward, const std::vector<double>& probability) {
    ok(engine_.load(batch_, m, reward.data(), probability.data()));
  }
  void read_value(std::int32_t m, std::vector<double>& value) {
    value.resize(model_.weights.size());
    std::vector<std::int32_t> pair(value.size());
    ok(engine_.read_value(batch_, m, value.data(), pair.data()));
  }

 private:
  void ok(int status) const {
    if (status != 0) throw std::runtime_error(engine_.message());
  }
  const MindgapEngine& engine_;
  const Model& model_;
  std::int32_t n_;
  MindgapBatch* batch_ = nullptr;

 public:
  std::vector<double> price, a, b, c;  // results of the last call
};

int failures = 0;

void same(const char* what, const std::vector<double>& one, const std::vector<double>& other,
          double tolerance) {
  double worst = 0;
  for (std::size_t i = 0; i < one.size(); ++i)
    worst = std::max(worst, std::fabs(one[i] - other[i]) / (1 + std::fabs(other[i])));
  const bool good = one.size() == other.size() && worst <= tolerance && !std::isnan(worst);
  failures += good ? 0 : 1;
  std::printf("  %-34s largest difference %.2e  %s\n", what, worst, good ? "same" : "DIFFERENT");
}

void compare(const MindgapEngine* engine) {
  const Model model = grid(20);
  constexpr std::int32_t kModels = 70;
  Batch device(engine, model, kModels), host(host_engine(), model, kModels);
  std::vector<double> r, p, r_host, p_host;
  device.draw();
  host.draw();
  for (const std::int32_t m : {0, 33, 69}) {
    device.read(m, r, p);
    host.read(m, r_host, p_host);
    same("drawn rewards", r, r_host, 1e-13);
    same("drawn probabilities", p, p_host, 1e-12);
  }
  for (std::int32_t m = 0; m < kModels; ++m) {  // from here on the very same models
    host.read(m, r, p);
    device.load(m, r, p);
  }
  device.read(69, r, p);
  same("models loaded and read", p, p_host, 0);
  const auto both = [&](auto step) {
    step(device);
    step(host);
  };
  const auto all = [&](const char* what, double tolerance) {
    same(what, device.a, host.a, tolerance);
    same(what, device.b, host.b, tolerance);
    same(what, device.c, host.c, tolerance);
  };
  both([](Batch& b) { b.ranges(); });
  all("ranges", 1e-15);
  both([](Batch& b) { b.follow(.95, 200, false); });
  both([](Batch& b) { b.mark(); });
  all("visits of a policy, outside", 1e-13);
  both([](Batch& b) { b.finite(50); });
  all("finite horizon", 1e-13);
  for (std::int32_t m = 0; m < kModels; ++m) device.price[m] = host.price[m] = .01 * m;
  both([](Batch& b) { b.finite(50); });
  all("finite horizon with a price", 1e-13);
  std::vector<std::uint8_t> some(kModels);
  for (std::int32_t m = 0; m < kModels; ++m) some[m] = m % 3 == 0;
  both([&](Batch& b) { b.finite(20, some.data()); });
  all("finite horizon of some models", 1e-13);
  both([](Batch& b) { b.start(); });
  for (const int evaluations : {0, 9, 8}) {
    both([&](Batch& b) { b.improve(evaluations); });
    all("residuals", 1e-13);
  }
  both([](Batch& b) { b.weigh(); });
  all("values", 1e-13);
  device.read_value(42, r);
  host.read_value(42, r_host);
  same("value of one model", r, r_host, 1e-13);
  both([](Batch& b) { b.visit_outside(60); });
  all("visits outside", 1e-13);
  both([](Batch& b) { b.follow(.95, 100, true); });
  all("visits of the best actions", 1e-13);
  device.sum_visits(r);
  host.sum_visits(r_host);
  same("visits of all models", r, r_host, 1e-13);
}

template <typename Body>
double milliseconds(int repeats, Body body) {
  const auto begin = std::chrono::steady_clock::now();
  body();
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
  return took.count() / repeats;
}

void time(const MindgapEngine* engine, std::int32_t side, std::int32_t models) {
  const Model model = grid(side);
  const MindgapShape shape = model.shape();
  const std::int64_t fits = engine->capacity(&shape);
  models = static_cast<std::int32_t>(std::min<std::int64_t>(models, fits));
  const double bytes = static_cast<double>(models) *
                       (8 * static_cast<double>(model.nonzeros() + shape.pairs) + 18.0 * shape.states);
  std::printf("%d states, %lld transitions, %d models (%lld would fit), %.1f GB a sweep\n", shape.states,
              static_cast<long long>(model.nonzeros()), models, static_cast<long long>(fits), bytes / 1e9);
  Batch batch(engine, model, models);
  batch.draw();
  const auto line = [&](const char* what, double ms, double moved) {
    std::printf("  %-34s %9.3f ms  %6.2f TB/s\n", what, ms, moved / ms / 1e9);
  };
  line("draw", milliseconds(1, [&] { batch.draw(); }), bytes);
  batch.start();
  batch.improve(0);
  line("Bellman sweep",
       milliseconds(20,
                    [&] {
                      for (int i = 0; i < 10; ++i) batch.improve(0);
                    }),
       bytes);
  line("evaluation sweep (with 1/100 other)", milliseconds(100, [&] { batch.improve(99); }), bytes / 4);
  batch.follow(.95, 2, false);
  line("forward, one policy", milliseconds(99, [&] { batch.follow(.95, 100, false); }), bytes / 4);
  batch.mark();
  batch.follow(.95, 2, true);
  line("forward, best actions", milliseconds(99, [&] { batch.follow(.95, 100, true); }), bytes);
  line("visits outside", milliseconds(100, [&] { batch.visit_outside(100); }), bytes / 4);
  std::fill(batch.price.begin(), batch.price.end(), .1);
  line("finite horizon step", milliseconds(100, [&] { batch.finite(100); }), bytes);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: check_engine LIBRARY|host [SIDE ...]\n");
    return 2;
  }
  const MindgapEngine* engine = host_engine();
  if (std::string(argv[1]) != "host") {
    void* const library = dlopen(argv[1], RTLD_NOW);
    void* const open = library ? dlsym(library, MINDGAP_OPEN_ENGINE) : nullptr;
    if (!open) {
      std::fprintf(stderr, "check_engine: %s\n", dlerror());
      return 2;
    }
    const char* why = "";
    engine = reinterpret_cast<MindgapOpenEngine>(open)(&why);
    if (!engine) {
      std::fprintf(stderr, "check_engine: %s\n", why);
      return 2;
    }
  }
  std::printf("device: %s\n", engine->device);
  try {
    compare(engine);
    for (int i = 2; i < argc; ++i) time(engine, std::atoi(argv[i]), 1024);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "check_engine: %s\n", error.what());
    return 1;
  }
  std::printf(failures == 0 ? "all the same\n" : "%d DIFFERENT\n", failures);
  return failures == 0 ? 0 : 1;
}
