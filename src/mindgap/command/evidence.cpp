#include "mindgap/command/evidence.h"

#include "mindgap/files/log_file.h"
#include "mindgap/files/unknown_states.h"
#include "mindgap/mdp/extend_states.h"
#include "mindgap/view/print.h"

namespace mindgap::command {

Source open_source(const std::filesystem::path& path) {
  return {files::open_text_file(path)};
}

std::optional<Source> source_of(const std::filesystem::path& path) {
  if (path.empty()) return std::nullopt;
  return open_source(path);
}

Known read_evidence(mdp::Model model, const Evidence& evidence) {
  Known known{std::move(model), std::nullopt, std::nullopt, {}};
  if (evidence.allow_new_states) {
    for (const std::optional<Source>* source : {&evidence.coverage, &evidence.log}) {
      if (!*source) continue;
      const std::vector<std::string> names = files::unknown_states((*source)->file, known.model.mdp);
      if (!names.empty()) known.model = mdp::extend_states(known.model, names);
    }
    if (!known.model.added.empty()) known.warnings.push_back(view::new_states_in_words(known.model));
  }
  if (evidence.log) known.log = files::parse_log(evidence.log->file, known.model.mdp);
  if (evidence.coverage) known.coverage = files::parse_coverage(evidence.coverage->file, known.model.mdp);
  return known;
}

}  // namespace mindgap::command
