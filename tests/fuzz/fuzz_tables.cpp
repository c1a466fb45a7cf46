// The bytes are a table; the first one says which: an observation log, coverage, positions, forbidden pairs,
// capacities, costs, a matrix, or a log as coverage. Whatever they are, the reader returns or throws an
// Error.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "mindgap/base/error.h"
#include "mindgap/files/log_file.h"
#include "mindgap/files/matrix_file.h"
#include "mindgap/files/pilot_tables.h"
#include "mindgap/mdp/builder.h"
#include "mindgap/mdp/observation_log.h"

namespace {

using namespace mindgap::mdp;
using namespace mindgap::files;

const Mdp& small() {
  static const Mdp mdp = [] {
    MdpBuilder builder(0.9);
    for (const char* name : {"a", "b,c"}) builder.add_state(name);
    for (const char* name : {"x", "y"}) builder.add_action(name);
    for (const auto& [s, a] : {std::pair{0, 0}, {0, 1}, {1, 0}}) {
      builder.set_reward(s, a, 0);
      builder.add_transition(s, a, s, 1);
    }
    return builder.build();
  }();
  return mdp;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const TextFile file{"table.csv", {reinterpret_cast<const char*>(data) + 1, size - 1}, {}};
  try {
    switch (data[0] % 7) {
      case 0: {
        const ObservationLog log = parse_log(file, small());
        lines_of_rows(file, repeated_rows(log));
        break;
      }
      case 1:
        parse_coverage(file, small());
        break;
      case 2:
        parse_positions(file, small());
        break;
      case 3:
        parse_forbidden(file, small());
        break;
      case 4:
        parse_capacities(file, small());
        break;
      case 5:
        parse_costs(file, small());
        break;
      default:
        parse_square_matrix(file);
        break;
    }
  } catch (const mindgap::Error&) {
  }
  return 0;
}
