#include "mindgap/files/model_hdf5.h"

#include <fmt/format.h>

#include <functional>

#include "mindgap/base/error.h"
#include "mindgap/files/hdf5_model.h"
#include "mindgap/files/isolation.h"
#include "mindgap/files/output.h"
#include "mindgap/files/text_file.h"

namespace mindgap::files {

using namespace mdp;  // what these files hold
namespace fs = std::filesystem;
namespace {

// HDF5 1.10 crashes or loops on some damaged files. So a copy of the process looks at the file first; only
// what it survives is read here.
void probe_with_care(const std::function<Hdf5Handle()>& open, const std::string& name) {
  const auto probe = [&](const GoesOn& goes_on) {
    if (const Hdf5Handle file = open())
      Hdf5Reader(file.get(), name).probe(known_datasets(), known_attributes(), goes_on);
  };
  if (!comes_through(probe, kProbeSeconds)) {
    throw StoreError(name + ": the file is damaged; the HDF5 library fails on it");
  }
}

Hdf5Handle opened(const std::function<Hdf5Handle()>& open, const std::string& name) {
  Hdf5Handle file = open();
  if (!file) throw StoreError(name + ": cannot be opened as HDF5; the file may be truncated or damaged");
  return file;
}

Model read_with_care(const std::function<Hdf5Handle()>& open, const std::string& name,
                     const MappedFile* mapped = nullptr) {
  probe_with_care(open, name);
  const Hdf5Handle file = opened(open, name);
  const Hdf5Reader reader(file.get(), name);
  return read_content(reader, mapped);
}

Hdf5Handle open_to_read(const fs::path& path) {
  return {H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose};
}

// Our own look first: HDF5 does not say why it cannot open a file.
void check_signature(const fs::path& path) {
  constexpr std::string_view kSignature("\x89HDF\r\n\x1a\n", 8);
  const std::string name = path.string(), first = first_bytes(path, kSignature.size());
  if (first.empty()) throw StoreError(name + ": the file is empty, expected an HDF5 file");
  if (first != kSignature) {
    throw StoreError(name + ": is not an HDF5 file (a model is one, or a folder with model.toml)");
  }
}

Model read_file(const fs::path& path, const MappedFile* mapped) {
  const Hdf5Session session;
  return read_with_care([&] { return open_to_read(path); }, path.string(), mapped);
}

}  // namespace

Model read_model_hdf5(const fs::path& path) {
  check_signature(path);
  return read_file(path, nullptr);
}

Model map_model_hdf5(const fs::path& path) {
  check_signature(path);
  const MappedFile mapped(path);
  try {
    return read_file(path, &mapped);
  } catch (const InvalidModel&) {
    check_mapped_files();  // zeros where the file was cut meanwhile are no fault of the model
    throw;
  }
}

void probe_model_hdf5(const fs::path& path) {
  check_signature(path);
  const Hdf5Session session;
  probe_with_care([&] { return open_to_read(path); }, path.string());
}

ModelPart read_model_part(const fs::path& path, std::int32_t rank, std::int32_t ranks) {
  const Hdf5Session session;
  const Hdf5Handle file = opened([&] { return open_to_read(path); }, path.string());
  return read_part_content(Hdf5Reader(file.get(), path.string()), rank, ranks);
}

Labels read_model_names(const fs::path& path) {
  const Hdf5Session session;
  const Hdf5Handle file = opened([&] { return open_to_read(path); }, path.string());
  const Hdf5Reader reader(file.get(), path.string());
  Labels labels;
  if (const auto dataset = reader.find("state_names"))
    labels.states = read_name_table(reader, *dataset, "state");
  if (const auto dataset = reader.find("action_names"))
    labels.actions = read_name_table(reader, *dataset, "action");
  return labels;
}

Model parse_model_hdf5(std::span<const std::byte> bytes, const std::string& name) {
  const Hdf5Session session;
  const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_fapl_core(access.get(), 1 << 16, false);
  // HDF5 copies the image; it promises not to change it, but its interface is not const.
  H5Pset_file_image(access.get(), const_cast<std::byte*>(bytes.data()), bytes.size());
  const auto open = [&] { return Hdf5Handle(H5Fopen(name.c_str(), H5F_ACC_RDONLY, access.get()), H5Fclose); };
  return read_with_care(open, name);
}

void leave_hdf5_quietly() {
  H5dont_atexit();
}

void write_model_hdf5(const Model& model, const fs::path& path) {
  check_model(model);
  StagedFile staged(path);
  {
    const Hdf5Session session;
    // The latest format: attributes may be longer than 64 KiB, and strings are stored compactly.
    const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    H5Pset_alignment(access.get(), 1, 8);  // so that numbers can be mapped where they lie
    H5Pset_libver_bounds(access.get(), H5F_LIBVER_V18, H5F_LIBVER_V110);
    Hdf5Handle file(H5Fcreate(staged.temporary().c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.get()),
                    H5Fclose);
    if (!file) throw StoreError(path.string() + ": cannot write (no such folder, or no permission)");
    Hdf5Writer out(file.get(), path.string());
    write_content(model, out);
    if (!file.reset()) throw StoreError(path.string() + ": cannot write (is the disk full?)");
  }
  staged.commit();
}

}  // namespace mindgap::files
