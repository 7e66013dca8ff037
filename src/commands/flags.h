// Go-style flags: one table per command, which parsing, help and completion read.
//
// `-name`, `--name`, `-name=value` and `-name value` are the same thing; a bool
// takes its value only after `=`. The first argument that is no flag, and
// everything after it, is positional; so is everything after `--`.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "diag/diagnostic.h"

namespace tofu::commands {

// Of a Text the last use counts, of a List every one.
enum class FlagKind : std::uint8_t { Bool, Text, List };
enum class Completes : std::uint8_t { Nothing, Files, Directories };

struct Flag {
  std::string_view name;  // without dashes
  FlagKind kind;
  std::string_view preset;  // its value when it is not given
  std::string_view value;   // how help writes it: "-list=false", "-json-into=FILE"
  std::string_view help;    // our sentence about it
  Completes completes = Completes::Nothing;
};

class Flags {
 public:
  bool is_true(std::string_view name) const;  // of a Bool
  std::string_view text(std::string_view name) const;
  bool is_given(std::string_view name) const;
  std::span<const std::string> positional() const { return positional_; }

  // The uses of all List flags in the order of the command line, since what comes
  // later may win over what another flag said before.
  struct Use {
    std::string_view name;  // of the table
    std::string value;
  };
  std::span<const Use> uses() const { return uses_; }

 private:
  friend std::optional<Flags> parse_flags(std::span<const Flag>, std::span<const std::string>,
                                          diag::Diagnostics&);
  struct Setting {
    std::string value;
    bool given = false;
  };
  std::map<std::string, Setting, std::less<>> settings_;
  std::vector<std::string> positional_;
  std::vector<Use> uses_;
};

// Nothing if and only if an error was added.
std::optional<Flags> parse_flags(std::span<const Flag> table,
                                 std::span<const std::string> arguments, diag::Diagnostics& diags);

// For commands that work on the working directory and take no arguments. False if
// and only if an error was added.
bool check_no_arguments(const Flags& flags, diag::Diagnostics& diags);

// What Go reads as a bool: 1, t, T, true, True, TRUE and their opposites.
std::optional<bool> parse_bool(std::string_view text);

}  // namespace tofu::commands
