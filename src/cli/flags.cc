#include "cli/flags.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>
#include <utility>

#include "base/check.h"
#include "base/suggest.h"
#include "cli/view_options.h"
#include "functions/timestamp.h"

namespace tofu::cli {

namespace {

struct Written {
  std::string_view name;
  std::optional<std::string_view> value;
};

// Splits `-name=value`. Nothing if `argument` is not a flag at all.
std::optional<Written> read_flag(std::string_view argument) {
  if (argument.size() < 2 || argument[0] != '-' || argument == "--") return std::nullopt;
  argument.remove_prefix(argument[1] == '-' ? 2 : 1);
  const std::size_t equals = argument.find('=', 1);
  if (equals == std::string_view::npos) return Written{argument, std::nullopt};
  return Written{argument.substr(0, equals), argument.substr(equals + 1)};
}

void report(std::string detail, diag::Diagnostics& diags) {
  diags.error("Invalid command-line option").detail(std::move(detail));
}

base::Result<int> parse_number(std::string_view name, std::string_view text, NumberRange range) {
  int number = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  // Go reads a leading zero as an octal number; a flag never means that.
  const bool has_leading_zero = text.size() > 1 && text.starts_with('0');
  if (failed != std::errc() || end != text.data() + text.size() || has_leading_zero) {
    return base::Error{fmt::format("-{} requires a whole number, not {:?}", name, text)};
  }
  if (number < range.least) {
    return base::Error{fmt::format("-{} must be at least {}, not {}", name, range.least, number)};
  }
  if (number > range.most) {
    return base::Error{fmt::format("-{} must be at most {}, not {}", name, range.most, number)};
  }
  return number;
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

std::string alternatives(std::span<const std::string_view> words) {
  if (words.size() < 2) return words.empty() ? "" : std::string(words.front());
  return fmt::format("{} or {}", fmt::join(words.first(words.size() - 1), ", "), words.back());
}

std::string FlagInfo::shown() const {
  if (is_bool) return fmt::format("-{}{}", name, is_on ? "=false" : "");
  return fmt::format("-{}={}", name, text.value);
}

FlagSet::Entry& FlagSet::add_entry(std::string_view name, const FlagText& text, Set set) {
  TOFU_CHECK(find(name) == nullptr, "a flag is declared once");
  return entries_.emplace_back(
      Entry{FlagInfo{.name = name, .text = text, .heading = heading_}, std::move(set)});
}

FlagSet::Entry* FlagSet::find(std::string_view name) {
  const auto found = std::ranges::find(entries_, name, [](const Entry& e) { return e.info.name; });
  return found == entries_.end() ? nullptr : &*found;
}

void FlagSet::add_bool(std::string_view name, bool preset, const FlagText& text,
                       std::function<void(bool)> set) {
  Entry& entry = add_entry(
      name, text, [name, set = std::move(set)](std::string_view value) -> base::Result<void> {
        const auto truth = parse_bool(value);
        if (!truth) {
          return base::Error{fmt::format("-{} must be true or false, not {:?}", name, value)};
        }
        set(*truth);
        return {};
      });
  entry.info.is_bool = true;
  entry.info.is_on = preset;
}

void FlagSet::add_valued(std::string_view name, const FlagText& text, Set set) {
  add_entry(name, text, std::move(set));
}

void FlagSet::add(std::string_view name, bool& target, const FlagText& text) {
  add_bool(name, target, text, [&target](bool value) { target = value; });
}

void FlagSet::add(std::string_view name, std::optional<bool>& target, bool preset,
                  const FlagText& text) {
  add_bool(name, preset, text, [&target](bool value) { target = value; });
}

void FlagSet::add(std::string_view name, std::string& target, const FlagText& text) {
  add_entry(name, text, [&target](std::string_view value) -> base::Result<void> {
    target = value;
    return {};
  });
}

void FlagSet::add(std::string_view name, std::optional<std::string>& target, const FlagText& text) {
  add_entry(name, text, [&target](std::string_view value) -> base::Result<void> {
    target = value;
    return {};
  });
}

void FlagSet::add(std::string_view name, std::vector<std::string>& target, const FlagText& text) {
  add_entry(name, text, [&target](std::string_view value) -> base::Result<void> {
    target.emplace_back(value);
    return {};
  });
}

void FlagSet::add(std::string_view name, int& target, NumberRange range, const FlagText& text) {
  add_entry(name, text, [name, &target, range](std::string_view value) -> base::Result<void> {
    const auto number = parse_number(name, value, range);
    if (!number) return number.error();
    target = *number;
    return {};
  });
}

void FlagSet::add(std::string_view name, std::chrono::milliseconds& target, const FlagText& text) {
  add_entry(name, text, [name, &target](std::string_view value) -> base::Result<void> {
    const auto time = functions::parse_duration(value);
    if (!time) {
      return base::Error{
          fmt::format("-{} requires a duration such as 30s or 5m, not {:?}", name, value)};
    }
    target = std::chrono::ceil<std::chrono::milliseconds>(std::chrono::nanoseconds(*time));
    return {};
  });
}

void FlagSet::report_unknown(std::string_view name, diag::Diagnostics& diags) const {
  std::vector<std::string_view> names;
  const std::vector<FlagInfo> of_every_command = view_flags();
  for (const FlagInfo& info : of_every_command) names.push_back(info.name);
  for (const Entry& entry : entries_) {
    if (!entry.info.text.hidden) names.push_back(entry.info.name);
  }
  const std::string_view near = base::nearest_name(name, names);
  std::string detail = fmt::format("This command has no option -{}.", name);
  if (!near.empty()) detail += fmt::format(" Did you mean -{}?", near);
  report(std::move(detail), diags);
}

diag::Checked<void> FlagSet::parse(std::span<const std::string> arguments,
                                   diag::Diagnostics& diags) {
  std::size_t next = 0;
  for (; next < arguments.size(); ++next) {
    const std::string& argument = arguments[next];
    const auto written = read_flag(argument);
    if (!written) {
      if (argument == "--") ++next;
      break;
    }
    if (written->name.empty() || written->name[0] == '-' || written->name[0] == '=') {
      report(fmt::format("{} is not an option: the name is missing.", argument), diags);
      return false;
    }
    const Entry* entry = find(written->name);
    if (entry == nullptr) {
      report_unknown(written->name, diags);
      return false;
    }
    std::string_view value;
    if (written->value) {
      value = *written->value;
    } else if (entry->info.is_bool) {
      value = "true";
    } else if (next + 1 < arguments.size()) {
      value = arguments[++next];
    } else {
      report(fmt::format("-{} requires a value: {}.", entry->info.name, entry->info.shown()),
             diags);
      return false;
    }
    if (const auto set = entry->set(value); !set) {
      report(set.error().what + ".", diags);
      return false;
    }
  }
  const auto rest = arguments.subspan(next);
  if (arguments_ != nullptr) {
    arguments_->assign(rest.begin(), rest.end());
    return true;
  }
  return ignores_arguments_ || check_no_arguments(rest, diags);
}

diag::Checked<void> FlagSet::take(std::vector<std::string>& arguments, diag::Diagnostics& diags) {
  std::vector<std::string> others;
  bool good = true;
  std::size_t next = 0;
  for (; next < arguments.size() && arguments[next] != "--"; ++next) {
    const auto written = read_flag(arguments[next]);
    const Entry* entry = written ? find(written->name) : nullptr;
    if (entry == nullptr) {
      others.push_back(std::move(arguments[next]));
    } else if (!written->value && !entry->info.is_bool) {
      report(fmt::format("-{} requires a value: {}.", entry->info.name, entry->info.shown()),
             diags);
      good = false;
    } else if (const auto set = entry->set(written->value.value_or("true")); !set) {
      report(set.error().what + ".", diags);
      good = false;
    }
  }
  for (; next < arguments.size(); ++next) others.push_back(std::move(arguments[next]));
  arguments = std::move(others);
  return good;
}

std::vector<FlagInfo> FlagSet::infos() const {
  std::vector<FlagInfo> out;
  for (const Entry& entry : entries_) out.push_back(entry.info);
  return out;
}

diag::Checked<void> check_no_arguments(std::span<const std::string> arguments,
                                       diag::Diagnostics& diags) {
  if (arguments.empty()) return true;
  diags.error("Too many arguments")
      .detail(
          "This command always uses the configuration in the working directory. To use another "
          "directory, write -chdir=DIR before the command name.");
  return false;
}

}  // namespace tofu::cli
