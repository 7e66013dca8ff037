// Variables and outputs that two states of a module differ in.
//
// For people who move a package to another version: what they have to change in their calls is in
// these differences. Read from the files alone; a module that cannot be read has no interface.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tofu::inventory {

struct Declared {
  bool is_required = false;  // a variable without default
  std::string type = {};     // of a variable, as it is written
  std::optional<std::string> deprecated = {};
  bool operator==(const Declared&) const = default;
};

struct ModuleInterface {
  std::map<std::string, Declared, std::less<>> variables;
  std::map<std::string, Declared, std::less<>> outputs;
};

// Of the module in a directory. Nothing if it has no readable configuration.
std::optional<ModuleInterface> read_interface(const std::string& directory);

// A line for each difference, such as "+ variable \"size\" (required)": first variables, then
// outputs, by name. Empty if callers see none.
std::vector<std::string> interface_changes(const ModuleInterface& before,
                                           const ModuleInterface& after);

}  // namespace tofu::inventory
