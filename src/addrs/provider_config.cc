#include "addrs/provider_config.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "addrs/module_prefix.h"
#include "addrs/steps.h"
#include "base/unicode.h"

namespace tofu::addrs {

namespace {

std::nullopt_t invalid(diag::Diagnostics& diags, diag::SourceRange place, std::string detail) {
  diags.error("Invalid provider configuration address").detail(std::move(detail)).at(place);
  return std::nullopt;
}

// The module, and the steps from the word `provider` on: at least two, at most `longest`.
struct Beginning {
  ModulePath module;
  Steps steps;
};

std::optional<Beginning> beginning(const syntax::Traversal& traversal, std::size_t longest,
                                   diag::Diagnostics& diags) {
  auto prefix = parse_module_prefix(Steps(traversal), Keys::Allowed, diags);
  if (!prefix) return std::nullopt;
  const Steps& steps = prefix->rest;
  if (std::ranges::any_of(prefix->module.steps,
                          [](const ModuleStep& step) { return !step.key.is_none(); })) {
    return invalid(diags, steps.range(),
                   "A provider configuration belongs to a module as a whole, so its address has "
                   "no instance keys in the module path.");
  }
  if (steps.size() < 2 || steps.name(0) != "provider") {
    return invalid(diags, steps.range(),
                   "The address must begin with \"provider\", followed by the provider.");
  }
  if (steps.size() > longest) {
    return invalid(diags, steps.after(longest).range(),
                   "The address ends before this. Remove what follows.");
  }
  return Beginning{prefix->module.path(), steps};
}

std::optional<std::string> read_alias(const Steps& steps, diag::Diagnostics& diags) {
  if (steps.size() < 3) return std::string();
  if (steps.is_name(2)) return std::string(steps.name(2));
  return invalid(diags, steps.range(2),
                 "The provider can only be followed by a dot and the alias of a configuration.");
}

}  // namespace

std::string LocalProviderConfig::to_string() const { return "provider." + compact(); }

std::string LocalProviderConfig::compact() const {
  return alias.empty() ? local_name : local_name + "." + alias;
}

std::string AbsProviderConfig::to_string() const {
  std::string text = module.to_string();
  if (!module.is_root()) text += '.';
  text.append("provider[").append(base::quote_go(provider.to_string())).append("]");
  if (!alias.empty()) text.append(".").append(alias);
  return text;
}

diag::Checked<AbsProviderInstance> parse_abs_provider_instance(const syntax::Traversal& traversal,
                                                               diag::Diagnostics& diags) {
  auto start = beginning(traversal, 4, diags);
  if (!start) return std::nullopt;
  const Steps& steps = start->steps;
  const value::Value* source = steps.key(1);
  if (source == nullptr || source->kind() != value::Kind::String) {
    return invalid(diags, steps.range(1),
                   "The word \"provider\" must be followed by a provider source in brackets.");
  }
  auto provider = parse_provider_source(source->plain().as_string(), steps.range(1), diags);
  if (!provider) return std::nullopt;
  auto alias = read_alias(steps, diags);
  if (!alias) return std::nullopt;
  AbsProviderInstance instance{{std::move(start->module), std::move(*provider), std::move(*alias)}};
  if (steps.size() < 4) return instance;
  if (steps.key(3) == nullptr) {
    return invalid(diags, steps.range(3), "An alias can only be followed by a key in brackets.");
  }
  auto key = parse_instance_key(*steps.key(3));
  if (!key) {
    return invalid(
        diags, steps.range(3),
        fmt::format("This cannot be the key of a provider instance: {}.", key.error().what));
  }
  instance.key = std::move(*key);
  return instance;
}

diag::Checked<AbsProviderConfig> parse_abs_provider_config(const syntax::Traversal& traversal,
                                                           diag::Diagnostics& diags) {
  auto instance = parse_abs_provider_instance(traversal, diags);
  if (!instance) return std::nullopt;
  if (instance->key.is_none()) return std::move(instance->config);
  return invalid(diags, traversal.range,
                 "The address of a provider configuration as a whole has no instance key.");
}

diag::Checked<AbsProviderConfig> parse_legacy_provider_config(const syntax::Traversal& traversal,
                                                              diag::Diagnostics& diags) {
  auto start = beginning(traversal, 3, diags);
  if (!start) return std::nullopt;
  const Steps& steps = start->steps;
  if (!steps.is_name(1)) {
    return invalid(diags, steps.range(1),
                   "The word \"provider\" must be followed by a dot and a provider type.");
  }
  auto alias = read_alias(steps, diags);
  if (!alias) return std::nullopt;
  const std::string_view type = steps.name(1);
  if (type == "terraform") {
    return AbsProviderConfig{std::move(start->module), builtin_provider("terraform"),
                             std::move(*alias)};
  }
  // Refused here if the whole address would be: what is read with the short form is
  // written with that, and has to be readable again.
  auto provider = parse_provider_source(fmt::format("-/{}", type), steps.range(1), diags);
  if (!provider) return std::nullopt;
  return AbsProviderConfig{std::move(start->module), std::move(*provider), std::move(*alias)};
}

std::optional<AbsProviderConfig> inherited_from(const AbsProviderConfig& config) {
  if (config.module.is_root() || !config.alias.empty()) return std::nullopt;
  return AbsProviderConfig{config.module.parent(), config.provider};
}

}  // namespace tofu::addrs
