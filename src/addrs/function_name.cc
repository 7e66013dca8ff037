#include "addrs/function_name.h"

#include <fmt/format.h>

#include "base/check.h"

namespace tofu::addrs {

namespace {
constexpr std::string_view kSeparator = "::";
}  // namespace

bool FunctionName::is_builtin() const {
  return namespaces.empty() || (namespaces.size() == 1 && namespaces[0] == "core");
}

bool FunctionName::is_in(std::string_view outermost) const {
  return !namespaces.empty() && namespaces[0] == outermost;
}

std::string FunctionName::to_string() const {
  std::string out;
  for (const std::string& part : namespaces) out.append(part).append(kSeparator);
  return out + name;
}

FunctionName parse_function_name(std::string_view text) {
  FunctionName parsed;
  for (std::size_t end = 0; (end = text.find(kSeparator)) != std::string_view::npos;) {
    parsed.namespaces.emplace_back(text.substr(0, end));
    text.remove_prefix(end + kSeparator.size());
  }
  parsed.name = text;
  return parsed;
}

std::string ProviderFunction::to_string() const {
  if (alias.empty()) return fmt::format("provider::{}::{}", provider, function);
  return fmt::format("provider::{}::{}::{}", provider, alias, function);
}

diag::Checked<ProviderFunction> as_provider_function(const FunctionName& name,
                                                     diag::SourceRange place,
                                                     diag::Diagnostics& diags) {
  TOFU_CHECK(name.is_in("provider"), "only functions in provider:: are functions of providers");
  const std::size_t parts = name.namespaces.size();
  if (parts != 2 && parts != 3) {
    diags.error("Invalid provider function")
        .detail(fmt::format("\"{}\" does not name a function of a provider. Write "
                            "provider::NAME::FUNCTION, or provider::NAME::ALIAS::FUNCTION for a "
                            "provider configuration with an alias.",
                            name.to_string()))
        .at(place);
    return std::nullopt;
  }
  return ProviderFunction{name.namespaces[1], parts == 3 ? name.namespaces[2] : "", name.name};
}

}  // namespace tofu::addrs
