#include "commands/flags.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "base/check.h"
#include "base/suggest.h"

namespace tofu::commands {

namespace {

struct Written {
  std::string_view name;
  std::optional<std::string_view> value;
};

// Splits `-name=value`. Nothing if `argument` is no flag at all.
std::optional<Written> read_flag(std::string_view argument) {
  if (argument.size() < 2 || argument[0] != '-') return std::nullopt;
  argument.remove_prefix(argument[1] == '-' ? 2 : 1);
  const std::size_t equals = argument.find('=', 1);
  if (equals == std::string_view::npos) return Written{argument, std::nullopt};
  return Written{argument.substr(0, equals), argument.substr(equals + 1)};
}

void report(std::string detail, diag::Diagnostics& diags) {
  diags.error("Invalid command-line option").detail(std::move(detail));
}

void report_unknown(std::span<const Flag> table, std::string_view name, diag::Diagnostics& diags) {
  std::vector<std::string_view> names;
  for (const Flag& flag : table) names.push_back(flag.name);
  const std::string_view near = base::nearest_name(name, names);
  std::string detail = fmt::format("There is no option -{} here.", name);
  if (!near.empty()) detail += fmt::format(" Did you mean -{}?", near);
  report(std::move(detail), diags);
}

}  // namespace

std::optional<bool> parse_bool(std::string_view text) {
  static constexpr std::array<std::string_view, 6> kTrue = {"1", "t", "T", "true", "True", "TRUE"};
  static constexpr std::array<std::string_view, 6> kFalse = {"0",     "f",     "F",
                                                             "false", "False", "FALSE"};
  if (std::ranges::find(kTrue, text) != kTrue.end()) return true;
  if (std::ranges::find(kFalse, text) != kFalse.end()) return false;
  return std::nullopt;
}

std::optional<Flags> parse_flags(std::span<const Flag> table,
                                 std::span<const std::string> arguments, diag::Diagnostics& diags) {
  Flags flags;
  for (const Flag& flag : table) {
    flags.settings_[std::string(flag.name)] = {std::string(flag.preset), false};
  }

  std::size_t next = 0;
  for (; next < arguments.size(); ++next) {
    const std::string& argument = arguments[next];
    if (argument == "--") {
      ++next;
      break;
    }
    const auto written = read_flag(argument);
    if (!written) break;
    if (written->name.empty() || written->name[0] == '-' || written->name[0] == '=') {
      report(fmt::format("{} is not an option: its name is missing.", argument), diags);
      return std::nullopt;
    }
    const auto flag = std::ranges::find(table, written->name, &Flag::name);
    if (flag == table.end()) {
      report_unknown(table, written->name, diags);
      return std::nullopt;
    }

    Flags::Setting& setting = flags.settings_.find(written->name)->second;
    setting.given = true;
    if (flag->kind == FlagKind::Bool) {
      const auto truth = parse_bool(written->value.value_or("true"));
      if (!truth) {
        report(fmt::format("-{} is either true or false, not {:?}.", flag->name, *written->value),
               diags);
        return std::nullopt;
      }
      setting.value = *truth ? "true" : "false";
    } else if (written->value) {
      setting.value = *written->value;
    } else if (next + 1 < arguments.size()) {
      setting.value = arguments[++next];
    } else {
      report(fmt::format("-{} needs a value: -{}.", flag->name, flag->value), diags);
      return std::nullopt;
    }
    if (flag->kind == FlagKind::List) flags.uses_.push_back({flag->name, setting.value});
  }
  flags.positional_.assign(arguments.begin() + static_cast<std::ptrdiff_t>(next), arguments.end());
  return flags;
}

bool check_no_arguments(const Flags& flags, diag::Diagnostics& diags) {
  if (flags.positional().empty()) return true;
  diags.error("Too many arguments")
      .detail(
          "The configuration is that of the working directory. To use another directory, write "
          "-chdir=DIR before the command's name.");
  return false;
}

bool Flags::is_true(std::string_view name) const { return text(name) == "true"; }

std::string_view Flags::text(std::string_view name) const {
  const auto found = settings_.find(name);
  TOFU_CHECK(found != settings_.end(), "a command asks only for flags of its own table");
  return found->second.value;
}

bool Flags::is_given(std::string_view name) const {
  const auto found = settings_.find(name);
  TOFU_CHECK(found != settings_.end(), "a command asks only for flags of its own table");
  return found->second.given;
}

}  // namespace tofu::commands
