#pragma once

#include <filesystem>
#include <string>

namespace mindgap::study {

/// SQLite keeps what was written last in "<database>-wal" until a command ends in peace, and takes a frame
/// there with a wrong checksum for the end: what follows would be lost in silence. But a writer that was
/// killed may leave such a frame, too, and then nothing is wrong. The two can be told apart: a frame (or the
/// header) that is right as soon as one bit is turned was written whole and has changed since. Says where, or
/// "" where nothing like that is found or there is no such file.
std::string write_ahead_damage(const std::filesystem::path& database);

}  // namespace mindgap::study
