#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

// Writing files so that a reader never meets half of one: everything goes to temporary names beside the
// target and is renamed at the end; what goes wrong before leaves nothing behind.
namespace mindgap::files {

/// One file, written under a temporary name until commit(). A symbolic link is followed; what is there and no
/// regular file (a device, a pipe) is written to directly. Throws StoreError where the disk refuses.
class StagedFile {
 public:
  explicit StagedFile(std::filesystem::path target);
  ~StagedFile();  // removes what was not committed
  StagedFile(const StagedFile&) = delete;
  StagedFile& operator=(const StagedFile&) = delete;

  /// Where to write until commit().
  const std::filesystem::path& temporary() const { return temporary_; }
  void commit();
  /// A device or a pipe, which is written to as it is and never replaced.
  bool is_direct() const { return direct_; }

 private:
  std::filesystem::path target_, temporary_;
  bool direct_ = false;  // a device or a pipe: written as it is
  bool done_ = false;
};

/// Throws StoreError where a file could not be written at `target`: for who would rather know before a long
/// computation than after it. Leaves nothing behind.
void check_writable(const std::filesystem::path& target);

/// The whole text, or nothing: a StagedFile, written and committed.
void write_file(const std::filesystem::path& target, std::string_view text);

/// Returns after the disk has what a file, or the list of names in a folder, holds by now. Throws StoreError.
void sync_to_disk(const std::filesystem::path& path);
/// The same of a folder with everything in it.
void sync_tree_to_disk(const std::filesystem::path& folder);
/// std::filesystem::create_directories, each of them on the disk before it returns. Throws StoreError.
void make_folders(const std::filesystem::path& folder);

/// The files of one folder, written into a temporary folder and put in place together by commit(). A folder
/// that is already there must be empty or hold a file `marker`, else StoreError: we overwrite nothing that is
/// not ours. Files there that are not written now stay.
class StagedFolder {
 public:
  StagedFolder(const std::filesystem::path& target, const std::string& marker);
  ~StagedFolder();
  StagedFolder(const StagedFolder&) = delete;
  StagedFolder& operator=(const StagedFolder&) = delete;

  /// Where to write the file `name` until commit().
  std::filesystem::path add(const std::string& name);
  /// Puts the files in place, in the order in which they were added.
  void commit();

 private:
  std::filesystem::path target_, temporary_;
  bool exists_ = false;
  bool done_ = false;
  std::vector<std::string> names_;
};

/// While one lives, fields that this thread writes and that begin with = + - @ (or a tab or carriage return)
/// get an apostrophe in front: a spreadsheet would take them for formulas. mindgap does not read them back as
/// they were.
class SafeForSpreadsheets {
 public:
  SafeForSpreadsheets();
  ~SafeForSpreadsheets();
  SafeForSpreadsheets(const SafeForSpreadsheets&) = delete;
  SafeForSpreadsheets& operator=(const SafeForSpreadsheets&) = delete;
};

/// A text file being written, with a large buffer. Numbers are written in their shortest exact form, CSV
/// fields in quotes where RFC 4180 asks for them.
class TextWriter {
 public:
  /// `shown` is what messages call the file.
  TextWriter(const std::filesystem::path& path, std::string shown);

  TextWriter& text(std::string_view text);
  TextWriter& field(std::string_view text);
  TextWriter& number(double value);
  TextWriter& number(std::int64_t value);
  /// Flushes; throws StoreError unless everything arrived. Not calling it means the file is given up.
  void close();

 private:
  struct Closer {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  void flush();
  TextWriter& quoted_field(std::string_view text);  // in quotes where it must be
  [[noreturn]] void fail() const;

  std::string shown_;
  std::unique_ptr<std::FILE, Closer> file_;
  std::string buffer_;
};

}  // namespace mindgap::files
