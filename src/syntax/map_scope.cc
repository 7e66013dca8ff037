#include "syntax/map_scope.h"

#include <fmt/format.h>
#include <utility>

#include "base/suggest.h"
#include "base/unicode.h"

namespace tofu::syntax {

MapScope::MapScope(Values values, FindFunction find, FunctionNames names, IsInterrupted interrupted,
                   const ImportedSymbols* symbols)
    : values_(std::move(values)),
      find_(std::move(find)),
      names_(std::move(names)),
      interrupted_(std::move(interrupted)),
      symbols_(symbols) {}

std::optional<Scope::Resolved> MapScope::resolve(const Traversal& traversal,
                                                 diag::Diagnostics& diags) const {
  const auto found = values_.find(traversal.root);
  if (found != values_.end()) return Resolved{found->second, 0};
  std::vector<std::string_view> names;
  for (const auto& [name, value] : values_) names.push_back(name);
  diags.error("Unknown variable")
      .detail(fmt::format("No variable is named {}.{}", base::quote_go(traversal.root),
                          base::did_you_mean(traversal.root, names)))
      .at(traversal.root_range);
  return std::nullopt;
}

const Function* MapScope::function(std::string_view name) const {
  return find_ ? find_(name) : nullptr;
}

std::vector<std::string_view> MapScope::function_names() const {
  return names_ ? names_() : std::vector<std::string_view>();
}

}  // namespace tofu::syntax
