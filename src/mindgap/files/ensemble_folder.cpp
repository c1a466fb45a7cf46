#include "mindgap/files/ensemble_folder.h"

#include <fmt/format.h>

#include "mindgap/base/error.h"
#include "mindgap/files/csv.h"
#include "mindgap/files/folder_write.h"
#include "mindgap/files/in_file.h"
#include "mindgap/files/model_file.h"
#include "mindgap/files/model_hdf5.h"
#include "mindgap/files/model_toml.h"
#include "mindgap/files/named_file.h"
#include "mindgap/files/output.h"
#include "mindgap/files/place.h"
#include "mindgap/files/text_file.h"
#include "mindgap/files/toml_table.h"

namespace mindgap::files {

using namespace mdp;  // what these files hold
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kEnsembleFormat = "mindgap-ensemble/1";
constexpr const char* kMembersFile = "members.csv";

struct EnsembleToml {
  ModelToml stated;  // name, prior and observation
  std::string members;
};

EnsembleToml parse_ensemble_toml(const TextFile& file) {
  const toml::table table = parse_toml(file.text, file.name);
  TomlTable top(table, "", file.name);
  EnsembleToml result;
  read_format(top, kEnsembleFormat);
  result.stated.name = read_name(top);
  result.members = top.path("members");
  read_prior_table(top, result.stated);
  result.stated.reward_variance = read_reward_variance(top);
  result.stated.about = read_about(top);
  top.finish();
  if (result.stated.prior_file || result.stated.shared.any())
    throw InvalidModel("the prior of an ensemble is stated in numbers for all pairs (reward_sd, ...)",
                       {.file = file.name});
  return result;
}

// The table of members: which models, how likely each is before any data, and what tells them apart.
struct MemberTable {
  std::vector<std::string> models;
  std::vector<double> weights;  // empty: all equal
  std::vector<Parameter> parameters;
};

MemberTable read_members(const TextFile& file) {
  CsvReader reader(file.text, file.name, {"model"}, {"weight"}, OtherColumns::taken);
  const std::size_t model = reader.column("model");
  const std::optional<std::size_t> weight = reader.find_column("weight");
  MemberTable table;
  std::vector<std::size_t> columns;
  for (std::size_t i = 0; i < reader.header().size(); ++i) {
    if (i == model || i == weight) continue;
    columns.push_back(i);
    table.parameters.push_back({reader.header()[i], {}});
  }
  while (const std::size_t count = reader.next()) {
    for (std::size_t record = 0; record < count; ++record) {
      table.models.emplace_back(reader.field(record, model));
      if (weight) table.weights.push_back(reader.number(record, *weight, "weight"));
      for (std::size_t p = 0; p < columns.size(); ++p)
        table.parameters[p].value.push_back(reader.number(record, columns[p], table.parameters[p].name));
    }
  }
  if (table.models.empty()) throw InvalidModel("there are no members", {.file = file.name});
  return table;
}

// What the members are made of does not know the file.
Members members_of(const std::vector<Mdp>& models, const MemberTable& table, const std::string& file) {
  try {
    return in_file(file, [&] { return Members(models, table.weights, table.models); });
  } catch (const InvalidArgument& error) {
    throw InvalidModel(error.what(), {.file = file});
  }
}

Model read_ensemble_file(const fs::path& file, const fs::path& folder) {
  const TextFile text = open_text_file(file);
  const EnsembleToml toml = parse_ensemble_toml(text);
  const TextFile table_file = open_text_file(path_in(folder, toml.members));
  MemberTable table = read_members(table_file);
  std::vector<Mdp> models;
  std::optional<Model> first;
  for (const std::string& name : table.models) {
    const fs::path place = path_in(folder, name);
    const bool nested =
        (is_folder(place) && is_there(place / kEnsembleFile)) || fs::path(name).filename() == kEnsembleFile;
    std::optional<Model> read = nested ? std::nullopt : std::optional(read_model(place));
    if (nested || read->members)
      throw InvalidModel("a member cannot be an ensemble itself", {.file = place.string()});
    models.push_back(read->mdp);
    if (!first) first = std::move(read);
  }
  const Members members = members_of(models, table, table_file.name);
  Model model{.name = toml.stated.name.empty() ? first->name : toml.stated.name, .mdp = members.mean()};
  model.variance = toml.stated.reward_variance ? std::vector<double>() : first->variance;
  model.reward_variance = toml.stated.reward_variance ? toml.stated.reward_variance : first->reward_variance;
  model.prior = toml.stated.prior ? toml.stated.prior : first->prior;
  model.members = members;
  model.about = toml.stated.about;
  model.parameters = std::move(table.parameters);
  in_file(text.name, [&] { check_model(model); });
  return model;
}

}  // namespace

Model read_ensemble(const fs::path& path) {
  const fs::path file = is_folder(path) ? path / kEnsembleFile : path, folder = file.parent_path();
  return without_echo(folder, [&] { return read_ensemble_file(file, folder); });
}

void write_ensemble(const Model& model, const fs::path& folder) {
  check_model(model);
  const Members& members = *model.members;
  StagedFolder staged(folder, kEnsembleFile);
  std::vector<std::string> files;
  for (std::int32_t i = 0; i < members.size(); ++i) {
    files.push_back(fmt::format("member-{}.h5", i));
    // Priors and variances per pair have no place in ensemble.toml: they stand in the members.
    Model member{.name = members.name(i),
                 .mdp = members.model(i),
                 .variance = model.variance,
                 .reward_variance = model.reward_variance,
                 .prior = model.prior};
    write_model_hdf5(member, staged.add(files.back()));
  }
  TextWriter table(staged.add(kMembersFile), (folder / kMembersFile).string());
  table.text("model,weight");
  for (const Parameter& parameter : model.parameters) table.text(",").field(parameter.name);
  table.text("\n");
  for (std::int32_t i = 0; i < members.size(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    table.field(files[at]).text(",").number(members.weights()[at]);
    for (const Parameter& parameter : model.parameters) table.text(",").number(parameter.value[at]);
    table.text("\n");
  }
  table.close();
  TextWriter toml(staged.add(kEnsembleFile), (folder / kEnsembleFile).string());
  toml.text(fmt::format("format = \"{}\"\nname = {}\nmembers = \"{}\"\n", kEnsembleFormat,
                        toml_string(model.name), kMembersFile));
  toml.text(format_about(model.about));
  toml.close();
  staged.commit();
}

}  // namespace mindgap::files
