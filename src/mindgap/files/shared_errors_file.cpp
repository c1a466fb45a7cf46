#include "mindgap/files/shared_errors_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "mindgap/base/error.h"
#include "mindgap/files/csv.h"
#include "mindgap/files/folder_tables.h"
#include "mindgap/files/toml_table.h"

namespace mindgap::files {

using namespace mdp;  // what these files hold
namespace {

const toml::table& as_table(TomlTable& above, std::string_view key, const toml::node& node) {
  if (!node.is_table()) above.wrong_type(key, node, "a table");
  return *node.as_table();
}

KernelSpec read_kernel(const toml::table& table, const std::string& file) {
  TomlTable reader(table, "prior.shared.kernel.", file);
  KernelSpec kernel;
  reader.get("sd");
  kernel.sd = *reader.number("sd", kSharedSd);
  reader.get("length");
  kernel.length = *reader.number("length", kKernelLength);
  if (const toml::node* node = reader.find("over")) {
    const std::string name = reader.as_string("over", *node);
    const std::optional<KernelOver> over = kernel_over_from(name);
    if (!over) reader.fail(*node, kKernelOverWanted, name);
    kernel.over = *over;
  }
  reader.finish();
  return kernel;
}

void read_group_sds(const toml::table& table, const std::string& file, SharedToml& shared) {
  TomlTable reader(table, "prior.shared.group_sd.", file);
  for (const auto& [key, value] : table)
    shared.group_sds.emplace_back(key.str(), *reader.number(key.str(), kSharedSd));
}

std::vector<Loading> read_loadings(const TextFile& file, const Mdp& mdp, std::vector<std::string>& factors) {
  CsvReader reader(file.text, file.name, {"state", "action", "factor", "loading"});
  PairColumns columns(reader, mdp.labels().states, mdp.labels().actions);
  const std::size_t factor_at = reader.column("factor"), loading_at = reader.column("loading");
  NameTable names;
  std::vector<Loading> loadings;
  while (const std::size_t count = reader.next()) {
    for (std::size_t i = 0; i < count; ++i) {
      columns.move_to(i);
      const std::string_view name = reader.field(i, factor_at);
      std::int32_t factor = names.find(name);
      if (factor < 0) factor = names.add(std::string(name));
      const double loading = reader.number(i, loading_at, "loading");
      if (!kLoading.good(loading))
        reader.fail(i, kLoading.problem, columns.where(reader.field(i, loading_at)));
      loadings.push_back({columns.pair(mdp, i), factor, loading});
    }
  }
  for (std::int32_t i = 0; i < names.size(); ++i) factors.emplace_back(names[i]);
  const auto place = [](const Loading& one) { return std::pair(one.pair, one.factor); };
  std::ranges::stable_sort(loadings, {}, place);
  const auto twice = std::ranges::adjacent_find(loadings, {}, place);
  if (twice != loadings.end())
    throw InvalidModel(fmt::format("the pair has a second loading on factor '{}'", names[twice->factor]),
                       {.file = file.name,
                        .state = mdp.state_name(mdp.state_of_pair(twice->pair)),
                        .action = mdp.action_name_of_pair(twice->pair)});
  return loadings;
}

}  // namespace

SharedToml read_shared(TomlTable& prior) {
  const toml::node* node = prior.find("shared");
  if (node == nullptr) return {};
  TomlTable reader(as_table(prior, "shared", *node), "prior.shared.", prior.file());
  SharedToml shared;
  if (const toml::node* group = reader.find("group_sd")) {
    if (group->is_table()) {
      read_group_sds(*group->as_table(), prior.file(), shared);
    } else {
      shared.group_sd = reader.number("group_sd", kSharedSd);
    }
  }
  if (const toml::node* kernel = reader.find("kernel"))
    shared.kernel = read_kernel(as_table(reader, "kernel", *kernel), prior.file());
  if (const toml::node* file = reader.find("loadings")) shared.loadings = reader.as_path("loadings", *file);
  reader.finish();
  if (!shared.any())
    prior.fail(*node, "[prior.shared] states nothing: it needs group_sd, kernel or loadings");
  return shared;
}

std::string format_shared(const SharedToml& shared) {
  if (!shared.any()) return {};
  std::string text = "\n[prior.shared]\n";
  if (shared.group_sd) text += fmt::format("group_sd = {}\n", toml_number(*shared.group_sd));
  if (!shared.group_sds.empty()) {
    std::vector<std::string> each;
    for (const auto& [group, sd] : shared.group_sds)
      each.push_back(fmt::format("{} = {}", toml_string(group), toml_number(sd)));
    text += fmt::format("group_sd = {{{}}}\n", fmt::join(each, ", "));
  }
  if (shared.loadings) text += fmt::format("loadings = {}\n", toml_string(*shared.loadings));
  if (shared.kernel) {
    text += fmt::format("\n[prior.shared.kernel]\nsd = {}\nlength = {}\nover = {}\n",
                        toml_number(shared.kernel->sd), toml_number(shared.kernel->length),
                        toml_string(to_string(shared.kernel->over)));
  }
  return text;
}

SharedSpec shared_spec(const SharedToml& shared, const Mdp& mdp, const std::string& toml,
                       const TextFile* loadings) {
  SharedSpec spec{.group_sd = shared.group_sd, .kernel = shared.kernel};
  const NameTable& groups = mdp.labels().groups;
  if (!shared.group_sds.empty()) spec.group_sds.assign(static_cast<std::size_t>(groups.size()), 0.0);
  for (const auto& [name, sd] : shared.group_sds) {
    const std::int32_t group = groups.find(name);
    if (group < 0)
      throw InvalidModel("prior.shared.group_sd names a group that no state has",
                         {.file = toml, .value = excerpt(name)});
    spec.group_sds[static_cast<std::size_t>(group)] = sd;
  }
  if (loadings != nullptr) spec.loadings = read_loadings(*loadings, mdp, spec.factors);
  return spec;
}

SharedToml shared_toml(const SharedSpec& spec, const Mdp& mdp, const std::string& loadings) {
  SharedToml shared{.group_sd = spec.group_sd, .kernel = spec.kernel};
  for (std::size_t g = 0; g < spec.group_sds.size(); ++g)
    shared.group_sds.emplace_back(mdp.labels().groups[static_cast<std::int32_t>(g)], spec.group_sds[g]);
  if (!spec.loadings.empty()) shared.loadings = loadings;
  return shared;
}

}  // namespace mindgap::files
