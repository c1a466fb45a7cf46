#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

// The error tree. Everything a user's input can cause is an Error; expected outcomes such as "stopped at the
// time limit" are values, not exceptions. The command line maps Error to exit status 2.
namespace mindgap::base {

class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// An argument of a library call is out of its domain.
class InvalidArgument : public Error {
 public:
  using Error::Error;
};

/// Where in a model something is wrong. Empty strings and line 0 mean "not known" or "does not apply".
struct ModelLocation {
  std::string file;
  std::int64_t line = 0;
  std::string state;
  std::string action;
  std::string value;
  std::string hidden = {};  // the hidden state, where a truth has them
};

/// A model (in files or in memory) is malformed. The message is one line:
/// "FILE:LINE: state 'S', hidden 'H', action 'A': PROBLEM (got VALUE)".
class InvalidModel : public Error {
 public:
  InvalidModel(const std::string& problem, ModelLocation where);
  const ModelLocation& where() const { return where_; }
  const std::string& problem() const { return problem_; }

 private:
  std::string problem_;
  ModelLocation where_;
};

/// A computation broke down (a singular matrix, a result that is not finite).
class NumericalError : public Error {
 public:
  using Error::Error;
};

/// A file or store cannot be opened, read or written.
class StoreError : public Error {
 public:
  using Error::Error;
};

/// Makes a piece of untrusted text fit for one line of a terminal: control bytes and those that are not UTF-8
/// become \xNN, and what is longer than `limit` bytes is cut, between characters, with "...".
std::string printable(std::string_view text, std::size_t limit = 60);

}  // namespace mindgap::base

namespace mindgap {
using base::Error;
using base::InvalidArgument;
using base::InvalidModel;
using base::ModelLocation;
using base::NumericalError;
using base::StoreError;
}  // namespace mindgap
