#include "mindgap/files/model_file.h"

#include "mindgap/base/error.h"
#include "mindgap/files/ensemble_folder.h"
#include "mindgap/files/model_folder.h"
#include "mindgap/files/model_hdf5.h"
#include "mindgap/files/place.h"

namespace mindgap::files {

using namespace mdp;  // what these files hold
namespace fs = std::filesystem;

Model read_model(const fs::path& path) {
  const fs::file_status status = status_at(path);
  if (!fs::exists(status)) throw StoreError(path.string() + ": no such file or folder");
  if (path.filename() == kEnsembleFile || (fs::is_directory(status) && is_there(path / kEnsembleFile)))
    return read_ensemble(path);
  if (fs::is_directory(status) || path.extension() == ".toml") return read_model_folder(path);
  return read_model_hdf5(path);
}

void write_model(const Model& model, const fs::path& path) {
  if (path.extension() == ".h5" || path.extension() == ".hdf5") {
    write_model_hdf5(model, path);
  } else if (model.members) {
    write_ensemble(model, path);
  } else {
    write_model_folder(model, path);
  }
}

}  // namespace mindgap::files
