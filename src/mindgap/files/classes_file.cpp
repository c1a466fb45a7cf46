#include "mindgap/files/classes_file.h"

#include "mindgap/base/check.h"
#include "mindgap/files/output.h"

namespace mindgap::files {

void write_classes(const std::filesystem::path& path, const mdp::Mdp& mdp,
                   std::span<const std::int32_t> class_of_state, std::span<const std::int32_t> first_state) {
  base::check_size("write_classes", "class_of_state", class_of_state.size(),
                   static_cast<std::size_t>(mdp.states()));
  StagedFile staged(path);
  TextWriter out(staged.temporary(), path.string());
  out.text("state,class\n");
  for (std::int32_t s = 0; s < mdp.states(); ++s) {
    out.field(mdp.state_name(s)).text(",").field(mdp.state_name(first_state[class_of_state[s]])).text("\n");
  }
  out.close();
  staged.commit();
}

}  // namespace mindgap::files
