#include "mindgap/view/convert.h"

#include "mindgap/view/print.h"

namespace mindgap::view {

std::string text_of_written(const mdp::Model& model, const std::string& path) {
  return headline(model) + "  written to " + path + "\n";
}

Json json_of_written(const mdp::Model& model, const std::string& path) {
  return {{"written", path},
          {"states", model.mdp.states()},
          {"pairs", model.mdp.pairs()},
          {"nonzeros", model.mdp.nonzeros()}};
}

}  // namespace mindgap::view
