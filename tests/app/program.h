#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

// Runs the built program as a user would.
namespace mindgap::app {

struct Finished {
  int exit_code = -1;
  std::string out, err;

  nlohmann::json json() const { return nlohmann::json::parse(out); }
};

Finished run_program(const std::string& program, const std::vector<std::string>& arguments);
Finished mindgap_run(const std::vector<std::string>& arguments);

/// An empty folder of its own, removed at the end.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::filesystem::path path() const { return path_; }
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

/// A model folder that came with the sources: "tests/models/forest3", "examples/vans".
std::string source_path(const std::string& name);
void write_text(const std::filesystem::path& path, const std::string& text);
std::string read_text(const std::filesystem::path& path);

/// Exit 2, nothing on stdout, and on stderr exactly one line "mindgap: error: ..." that contains `wanted`.
void expect_refused(const Finished& run, const std::string& wanted);

}  // namespace mindgap::app
