#include "commands/deprecation_flags.h"

#include <fmt/format.h>

namespace tofu::commands {

namespace {

using eval::DeprecationLevel;

std::optional<DeprecationLevel> level_of(std::string_view word) {
  if (word == "all") return DeprecationLevel::All;
  if (word == "local") return DeprecationLevel::Local;
  if (word == "none") return DeprecationLevel::None;
  return std::nullopt;
}

// Nothing if and only if an error was added.
std::optional<DeprecationLevel> read(const Flags& flags, const Flag& flag, std::string_view prefix,
                                     diag::Diagnostics& diags) {
  const std::string_view given = flags.text(flag.name);
  if (given.starts_with(prefix)) {
    if (const auto level = level_of(given.substr(prefix.size()))) return level;
  }
  diags.error("Invalid deprecation level")
      .detail(fmt::format("-{0} says {1:?}. Write one of {2}all, {2}local and {2}none.", flag.name,
                          given, prefix));
  return std::nullopt;
}

}  // namespace

std::optional<DeprecationLevel> deprecation_level(const Flags& flags, diag::Diagnostics& diags) {
  const auto first = read(flags, kDeprecationFlag, "module:", diags);
  const auto second = read(flags, kModuleDeprecationFlag, "", diags);
  if (!first || !second) return std::nullopt;
  if (!flags.is_given(kDeprecationFlag.name)) return second;
  if (flags.is_given(kModuleDeprecationFlag.name) && *first != *second) {
    diags.error("Two deprecation levels")
        .detail(fmt::format("-{} and -{} are two spellings of one setting, but they say different "
                            "things. Leave out one of them.",
                            kDeprecationFlag.name, kModuleDeprecationFlag.name));
    return std::nullopt;
  }
  return first;
}

}  // namespace tofu::commands
