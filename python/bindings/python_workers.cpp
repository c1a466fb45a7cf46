#include "bindings/python_workers.h"

#include <nanobind/stl/function.h>

#include <cstring>

namespace mindgap::python {
namespace {

nb::bytes bytes_of(const std::vector<double>& numbers) {
  return nb::bytes(numbers.data(), numbers.size() * sizeof(double));
}

std::vector<double> numbers_of(const nb::bytes& bytes) {
  if (bytes.size() % sizeof(double) != 0)
    throw InvalidArgument("numbers that another process computed are damaged: half a number came");
  std::vector<double> numbers(bytes.size() / sizeof(double));
  if (!numbers.empty()) std::memcpy(numbers.data(), bytes.c_str(), bytes.size());
  return numbers;
}

class PythonWorkers final : public base::Workers {
 public:
  PythonWorkers(nb::object given, LongCall& call) : given_(std::move(given)), call_(call) {}

  void begin(const std::string& inputs) override {
    ask([&] { given_.attr("begin")(inputs); });
  }

  void run(const base::Stage& stage, const Here& here, const Take& take) override {
    ask([&] {
      const nb::object compute = nb::cpp_function([&](std::int64_t first, std::int64_t last) {
        std::vector<double> numbers;
        {
          const nb::gil_scoped_release free;
          numbers = here(first, last);
        }
        return bytes_of(numbers);
      });
      const nb::object took =
          nb::cpp_function([&](std::int64_t first, std::int64_t last, const nb::bytes& bytes) {
            const std::vector<double> numbers = numbers_of(bytes);
            const nb::gil_scoped_release free;
            return take(first, last, numbers);
          });
      nb::object digest = nb::none();
      if (stage.digest) {
        digest = nb::cpp_function([&](std::int64_t first, std::int64_t last, const nb::bytes& bytes) {
          return bytes_of(stage.digest(first, last, numbers_of(bytes)));
        });
      }
      given_.attr("run")(stage.name, stage.first, stage.last, stage.grain, compute, took, digest);
    });
  }

 private:
  template <typename Ask>
  void ask(Ask question) {
    const nb::gil_scoped_acquire held;
    try {
      question();
    } catch (...) {
      call_.stop();
      throw;
    }
  }

  nb::object given_;
  LongCall& call_;
};

}  // namespace

std::unique_ptr<base::Workers> python_workers(nb::object given, LongCall& call) {
  if (given.is_none()) return nullptr;
  return std::make_unique<PythonWorkers>(std::move(given), call);
}

}  // namespace mindgap::python
