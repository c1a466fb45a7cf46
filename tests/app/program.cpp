#include "app/program.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace mindgap::app {
namespace {

std::string in_quotes(const std::string& text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'') {
      result.append("'\\''");
    } else {
      result.push_back(c);
    }
  }
  result.push_back('\'');
  return result;
}

}  // namespace

TemporaryFolder::TemporaryFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "mindgap-test-XXXXXX").string();
  if (!mkdtemp(name.data())) throw std::runtime_error("no temporary folder");
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

Finished run_program(const std::string& program, const std::vector<std::string>& arguments) {
  const TemporaryFolder folder;
  std::string command = in_quotes(program);
  for (const std::string& argument : arguments) command += " " + in_quotes(argument);
  command += " >" + in_quotes(folder / "out") + " 2>" + in_quotes(folder / "err") + " </dev/null";
  const int status = std::system(command.c_str());
  Finished run;
  run.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  run.out = read_text(folder / "out");
  run.err = read_text(folder / "err");
  return run;
}

Finished mindgap_run(const std::vector<std::string>& arguments) {
  return run_program(MINDGAP_PROGRAM, arguments);
}

std::string source_path(const std::string& name) {
  return (std::filesystem::path(MINDGAP_SOURCE_DIR) / name).string();
}

void write_text(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

std::string read_text(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return (std::ostringstream() << in.rdbuf()).str();
}

void expect_refused(const Finished& run, const std::string& wanted) {
  EXPECT_EQ(run.exit_code, 2) << run.err;
  EXPECT_EQ(run.out, "");
  EXPECT_EQ(run.err.rfind("mindgap: error: ", 0), 0U) << run.err;
  EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
  EXPECT_NE(run.err.find(wanted), std::string::npos) << "wanted: " << wanted << "\ngot: " << run.err;
}

}  // namespace mindgap::app
