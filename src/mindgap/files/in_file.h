#pragma once

#include <string>
#include <utility>

#include "mindgap/base/error.h"

namespace mindgap::files {

/// Does it, and says in which file where it finds something wrong with a model: models do not know their
/// files.
template <typename Deed>
auto in_file(const std::string& file, Deed deed) {
  try {
    return deed();
  } catch (const InvalidModel& error) {
    ModelLocation where = error.where();
    where.file = file;
    throw InvalidModel(error.problem(), std::move(where));
  }
}

}  // namespace mindgap::files
