#include "mindgap/files/about_file.h"

#include "mindgap/files/ensemble_folder.h"
#include "mindgap/files/model_folder.h"
#include "mindgap/files/model_hdf5.h"
#include "mindgap/files/model_toml.h"
#include "mindgap/files/text_file.h"
#include "mindgap/files/toml_table.h"

namespace mindgap::files {

namespace fs = std::filesystem;

mdp::About read_about(const fs::path& path) {
  const bool folder = fs::is_directory(path);
  const bool ensemble = path.filename() == kEnsembleFile || (folder && fs::exists(path / kEnsembleFile));
  if (!ensemble && !folder && path.extension() != ".toml") return read_about_hdf5(path);
  const fs::path file = !folder ? path : path / (ensemble ? kEnsembleFile : "model.toml");
  const TextFile text = open_text_file(file);
  const toml::table table = parse_toml(text.text, text.name);
  TomlTable top(table, "", text.name);
  return read_about(top);
}

void write_model_about(const mdp::Model& model, const mdp::About& about, const fs::path& path) {
  if (path.extension() == ".h5" || path.extension() == ".hdf5") {
    write_model_hdf5(model, path, about);
  } else if (model.members) {
    write_ensemble(model, path, about);
  } else {
    write_model_folder(model, path, about);
  }
}

}  // namespace mindgap::files
