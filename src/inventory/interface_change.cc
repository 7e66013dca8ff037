#include "inventory/interface_change.h"

#include <fmt/format.h>
#include <set>
#include <string_view>
#include <utility>

#include "config/declare.h"
#include "config/module.h"
#include "diag/diagnostic.h"
#include "diag/source.h"
#include "install/module_directory.h"

namespace tofu::inventory {

namespace {

using Declarations = std::map<std::string, Declared, std::less<>>;

// The text of an expression with single spaces, as two layouts of one type are the same type.
std::string text_of(const syntax::Expr* expr, const diag::SourceMap& sources) {
  if (expr == nullptr) return {};
  std::string text;
  bool gap = false;
  for (const char c : sources.text(expr->range)) {
    const bool is_space = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (gap && !is_space && !text.empty()) text += ' ';
    gap = is_space;
    if (!is_space) text += c;
  }
  return text;
}

std::string deprecated_note(const Declared& declared) {
  return declared.deprecated ? fmt::format("deprecated: {}", *declared.deprecated) : "";
}

// What callers have to know of a new or changed declaration.
std::string added_note(const Declared& declared) {
  std::string note = declared.is_required ? "required" : "";
  if (declared.deprecated) note += (note.empty() ? "" : "; ") + deprecated_note(declared);
  return note;
}

std::string changed_note(const Declared& before, const Declared& after) {
  std::string note;
  const auto add = [&](std::string_view what) {
    if (!note.empty()) note += "; ";
    note += what;
  };
  if (before.is_required != after.is_required) {
    add(after.is_required ? "required now" : "optional now");
  }
  if (before.type != after.type) {
    add(fmt::format("type {} instead of {}", after.type.empty() ? "any" : after.type,
                    before.type.empty() ? "any" : before.type));
  }
  if (before.deprecated != after.deprecated) {
    add(after.deprecated ? deprecated_note(after) : "no longer deprecated");
  }
  return note;
}

void compare(std::string_view kind, const Declarations& before, const Declarations& after,
             std::vector<std::string>& lines) {
  std::set<std::string_view> names;
  for (const auto& [name, declared] : before) names.insert(name);
  for (const auto& [name, declared] : after) names.insert(name);
  for (const std::string_view name : names) {
    const auto old = before.find(name);
    const auto now = after.find(name);
    const auto line = [&](char sign, const std::string& note) {
      lines.push_back(
          fmt::format("{} {} {:?}{}", sign, kind, name, note.empty() ? "" : " (" + note + ")"));
    };
    if (now == after.end()) {
      line('-', "");
    } else if (old == before.end()) {
      line('+', added_note(now->second));
    } else if (old->second != now->second) {
      line('~', changed_note(old->second, now->second));
    }
  }
}

}  // namespace

std::optional<ModuleInterface> read_interface(const std::string& directory) {
  diag::SourceMap sources;
  diag::Diagnostics unread;  // init reports what is wrong with a module
  auto files = install::read_module_directory(directory, sources, unread);
  if (!files) return std::nullopt;
  const auto module = config::declare_module(std::move(*files), sources, unread);
  ModuleInterface found;
  for (const config::Variable& each : module->variables) {
    found.variables[each.name] = {each.is_required(), text_of(each.type_expr, sources),
                                  each.deprecated};
  }
  for (const config::Output& each : module->outputs) {
    found.outputs[each.name] = {.deprecated = each.deprecated};
  }
  return found;
}

std::vector<std::string> interface_changes(const ModuleInterface& before,
                                           const ModuleInterface& after) {
  std::vector<std::string> lines;
  compare("variable", before.variables, after.variables, lines);
  compare("output", before.outputs, after.outputs, lines);
  return lines;
}

}  // namespace tofu::inventory
