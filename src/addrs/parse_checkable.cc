#include "addrs/parse_checkable.h"

#include <fmt/format.h>
#include <string>
#include <utility>

#include "addrs/parse.h"
#include "addrs/text.h"
#include "base/check.h"

namespace tofu::addrs {

namespace {

std::string_view prefix_of(CheckableKind kind) {
  switch (kind) {
    case CheckableKind::Output: return "output.";
    case CheckableKind::Check: return "check.";
    case CheckableKind::Variable: return "var.";
    case CheckableKind::Resource: break;
  }
  base::broken_promise("resources have no prefix");
}

struct Parts {
  std::string_view module;  // empty for the root
  std::string_view name;
};

// The name is the last step, and no name has a dot in it.
std::optional<Parts> split(CheckableKind kind, std::string_view text, diag::Diagnostics& diags) {
  const std::string_view prefix = prefix_of(kind);
  const std::size_t dot = text.rfind('.');
  const std::size_t begin =
      dot == std::string_view::npos || dot + 1 < prefix.size() ? 0 : dot + 1 - prefix.size();
  const bool fits = dot != std::string_view::npos && text.substr(begin).starts_with(prefix) &&
                    dot + 1 < text.size() && (begin == 0 || text[begin - 1] == '.');
  if (fits) return Parts{text.substr(0, begin == 0 ? 0 : begin - 1), text.substr(dot + 1)};
  diags.error("Invalid address of a check")
      .detail(fmt::format("\"{}\" is not the address of something that can be checked.", text));
  return std::nullopt;
}

template <class Result, class Module>
Result with_name(CheckableKind kind, Module module, std::string name) {
  switch (kind) {
    case CheckableKind::Output:
      return Result(std::in_place_index<1>, std::move(module), OutputValue{std::move(name)});
    case CheckableKind::Check:
      return Result(std::in_place_index<2>, std::move(module), Check{std::move(name)});
    case CheckableKind::Variable:
      return Result(std::in_place_index<3>, std::move(module), InputVariable{std::move(name)});
    case CheckableKind::Resource: break;
  }
  base::broken_promise("resources are parsed as such");
}

}  // namespace

CheckableKind kind_of(const Checkable& checkable) {
  return static_cast<CheckableKind>(checkable.index());
}

CheckableKind kind_of(const ConfigCheckable& checkable) {
  return static_cast<CheckableKind>(checkable.index());
}

diag::Checked<Checkable> parse_checkable(CheckableKind kind, std::string_view text,
                                         diag::Diagnostics& diags) {
  if (kind == CheckableKind::Resource) {
    auto address = parse_text(text, parse_abs_resource_instance, diags);
    if (!address) return std::nullopt;
    return Checkable(std::move(*address));
  }
  const auto parts = split(kind, text, diags);
  if (!parts) return std::nullopt;
  ModuleInstance module;
  if (!parts->module.empty()) {
    auto parsed = parse_text(parts->module, parse_module_instance, diags);
    if (!parsed) return std::nullopt;
    module = std::move(*parsed);
  }
  return with_name<Checkable>(kind, std::move(module), std::string(parts->name));
}

diag::Checked<ConfigCheckable> parse_config_checkable(CheckableKind kind, std::string_view text,
                                                      diag::Diagnostics& diags) {
  if (kind == CheckableKind::Resource) {
    auto address = parse_text(text, parse_config_resource, diags);
    if (!address) return std::nullopt;
    return ConfigCheckable(std::move(*address));
  }
  const auto parts = split(kind, text, diags);
  if (!parts) return std::nullopt;
  ModulePath module;
  if (!parts->module.empty()) {
    auto parsed = parse_text(parts->module, parse_module_path, diags);
    if (!parsed) return std::nullopt;
    module = std::move(*parsed);
  }
  return with_name<ConfigCheckable>(kind, std::move(module), std::string(parts->name));
}

}  // namespace tofu::addrs
