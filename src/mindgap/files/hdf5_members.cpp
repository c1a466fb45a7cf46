#include <fmt/format.h>

#include "mindgap/base/error.h"
#include "mindgap/files/hdf5_model.h"

namespace mindgap::files {

using namespace mdp;  // what these files hold
namespace {

// A matrix with one row per member.
std::vector<double> member_matrix(const Hdf5Reader& file, const char* name, std::size_t members,
                                  std::size_t columns) {
  const std::optional<Hdf5Dataset> dataset = file.find_matrix(name);
  if (!dataset) file.fail(fmt::format("the dataset '{}' of an ensemble is missing", name));
  if (dataset->rows() != members || dataset->columns != columns) {
    file.fail(fmt::format("dataset '{}' is {} x {}, expected {} x {} (one row per member)", name,
                          dataset->rows(), dataset->columns, members, columns));
  }
  return file.numbers(*dataset);
}

std::vector<std::string> texts(const Hdf5Reader& file, const Hdf5Dataset& dataset) {
  std::vector<std::string> result;
  file.strings(dataset, [&](std::string_view text) { result.emplace_back(text); });
  return result;
}

std::vector<Parameter> read_parameters(const Hdf5Reader& file, std::size_t members) {
  const std::optional<Hdf5Dataset> names = file.find("parameter_names");
  const std::optional<Hdf5Dataset> values = file.find_matrix("parameters");
  if (names.has_value() != values.has_value())
    file.fail("'parameter_names' and 'parameters' must be there together");
  std::vector<Parameter> parameters;
  if (!names) return parameters;
  if (values->rows() != names->size || values->columns != members) {
    file.fail(fmt::format("dataset 'parameters' is {} x {}, expected {} x {} (parameters x members)",
                          values->rows(), values->columns, names->size, members));
  }
  const std::vector<double> numbers = file.numbers(*values);
  for (const std::string& name : texts(file, *names)) {
    const auto first = numbers.begin() + static_cast<std::ptrdiff_t>(parameters.size() * members);
    parameters.push_back({name, {first, first + static_cast<std::ptrdiff_t>(members)}});
  }
  return parameters;
}

}  // namespace

std::optional<MemberRows> read_member_rows(const Hdf5Reader& file, std::size_t rows, std::size_t entries) {
  const std::optional<Hdf5Dataset> reward = file.find_matrix("member_reward");
  if (!reward) {
    for (const char* name : {"member_weight", "member_names", "parameter_names"}) {
      if (file.find(name)) file.fail(fmt::format("'{}' is there, but 'member_reward' is missing", name));
    }
    if (file.find_matrix("member_data")) file.fail("'member_data' is there, but 'member_reward' is missing");
    return std::nullopt;
  }
  for (const char* name : {"data", "reward"}) {
    if (file.find(name))
      file.fail(fmt::format("'{}' beside 'member_reward': members have the numbers of an ensemble", name));
  }
  const std::size_t members = reward->rows();
  if (members == 0) file.fail("there are no members: 'member_reward' is empty");
  MemberRows result;
  result.reward = member_matrix(file, "member_reward", members, rows);
  result.probability = member_matrix(file, "member_data", members, entries);
  if (const std::optional<Hdf5Dataset> weights = file.find("member_weight")) {
    require_size(file, *weights, members);
    result.weights = file.numbers(*weights);
  } else {
    result.weights.assign(members, 1 / static_cast<double>(members));
  }
  if (const std::optional<Hdf5Dataset> names = file.find("member_names")) {
    require_size(file, *names, members);
    result.names = texts(file, *names);
  }
  result.parameters = read_parameters(file, members);
  return result;
}

void write_members(const Model& model, Hdf5Writer& out) {
  const Members& members = *model.members;
  const auto size = static_cast<std::size_t>(members.size());
  std::vector<double> reward, probability;
  for (std::int32_t i = 0; i < members.size(); ++i) {
    reward.insert(reward.end(), members.reward(i).begin(), members.reward(i).end());
    probability.insert(probability.end(), members.probability(i).begin(), members.probability(i).end());
  }
  out.matrix("member_reward", size, reward);
  out.matrix("member_data", size, probability);
  out.numbers("member_weight", members.weights());
  std::vector<std::string> names;
  bool named = false;  // else they are numbers
  for (std::int32_t i = 0; i < members.size(); ++i) {
    names.push_back(members.name(i));
    named = named || names.back() != fmt::format("{}", i);
  }
  if (named) out.strings("member_names", size, [&](std::size_t i) { return std::string_view(names[i]); });
  if (model.parameters.empty()) return;
  std::vector<double> values;
  for (const Parameter& one : model.parameters)
    values.insert(values.end(), one.value.begin(), one.value.end());
  out.strings("parameter_names", model.parameters.size(),
              [&](std::size_t i) { return std::string_view(model.parameters[i].name); });
  out.matrix("parameters", model.parameters.size(), values);
}

}  // namespace mindgap::files
