#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "paper/cases/vending/configuration.h"

// Configurations as TOML, format "mindgap-vending/1".
namespace mindgap::cases::vending {

/// Throws InvalidModel with file and line. Products, segments and machines must be given; every other table
/// and key has the value of default_configuration() where it is missing.
Configuration parse_configuration(std::string_view text, const std::string& file);

/// The same from a file. Throws StoreError where it cannot be read.
Configuration read_configuration(const std::filesystem::path& path);

/// Every key with what it means; reads back the same.
std::string format_configuration(const Configuration& configuration);

/// What examples/vending/vending.toml holds.
std::string default_configuration_text();

}  // namespace mindgap::cases::vending
