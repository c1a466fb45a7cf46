#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "mindgap/files/hdf5_file.h"
#include "mindgap/files/mapped_file.h"
#include "mindgap/mdp/distributed_solve.h"
#include "mindgap/mdp/model.h"

// What model_hdf5.h promises, part by part. Not a public header: it shows <hdf5.h>.
namespace mindgap::files {

/// Everything that may stand in the root group.
std::span<const std::string_view> known_datasets();
std::span<const std::string_view> known_attributes();
/// Without names an action's number is all that bounds how many actions there are.
constexpr std::int32_t kUnnamedActionsMax = 1'000'000;

/// With `mapped`, which is the same file, transitions and rewards stay there.
mdp::Model read_content(const Hdf5Reader& file, const MappedFile* mapped = nullptr);
/// As read_model_part() (model_hdf5.h).
mdp::ModelPart read_part_content(const Hdf5Reader& file, std::int32_t rank, std::int32_t ranks);
void write_content(const mdp::Model& model, Hdf5Writer& out);

/// The rows of a file and where each stands among the pairs of the model, which are in the order of states
/// and actions.
class RowOrder {
 public:
  RowOrder() = default;
  /// `rank` is the pair of each row; empty where the two orders agree.
  RowOrder(std::size_t rows, std::vector<std::int32_t> rank) : rows_(rows), rank_(std::move(rank)) {}

  std::size_t rows() const { return rows_; }
  bool agrees() const { return rank_.empty(); }
  std::int32_t pair(std::size_t row) const {
    return rank_.empty() ? static_cast<std::int32_t>(row) : rank_[row];
  }
  /// One value per row, in the order of the pairs.
  template <typename T>
  std::vector<T> ranked(std::vector<T> values) const {
    if (rank_.empty()) return values;
    std::vector<T> result(values.size());
    for (std::size_t r = 0; r < values.size(); ++r) result[rank_[r]] = values[r];
    return result;
  }

 private:
  std::size_t rows_ = 0;
  std::vector<std::int32_t> rank_;
};

/// The names of states or actions, which must be different from each other.
mdp::NameTable read_name_table(const Hdf5Reader& file, const Hdf5Dataset& dataset, const char* what);

/// Throws InvalidModel where the dataset has not one entry per row, or not so many entries.
void require_size(const Hdf5Reader& file, const Hdf5Dataset& dataset, std::size_t size);
std::vector<double> read_per_pair(const Hdf5Reader& file, const Hdf5Dataset& dataset, const RowOrder& order);

/// Fills in model.prior where the file states one.
void read_prior(const Hdf5Reader& file, const RowOrder& order, mdp::Model& model);
void write_prior(const mdp::Mdp& mdp, const mdp::PriorSpec& prior, Hdf5Writer& out);

/// The members of an ensemble as the file has them: rewards of rows, probabilities of entries of 'indices'.
struct MemberRows {
  std::vector<double> reward, probability;  // one member behind the other
  std::vector<double> weights;              // sum to 1
  std::vector<std::string> names;           // or empty
  std::vector<mdp::Parameter> parameters;
};

/// None where the file has one model.
std::optional<MemberRows> read_member_rows(const Hdf5Reader& file, std::size_t rows, std::size_t entries);
void write_members(const mdp::Model& model, Hdf5Writer& out);

}  // namespace mindgap::files
