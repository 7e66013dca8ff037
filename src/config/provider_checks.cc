#include "config/provider_checks.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "addrs/module.h"
#include "addrs/provider.h"
#include "config/same_expression.h"
#include "diag/place_text.h"
#include "syntax/analysis.h"

namespace tofu::config {

namespace {

using addrs::Provider;

bool is_default_provider(const Provider& provider) {
  return provider == addrs::default_provider(provider.type);
}

// The provider of a local name, as configurations and calls understand it: a name
// that is not declared means the one in the default namespace.
Provider configured_provider(const Module& module, const std::string& name) {
  const RequiredProvider* required = module.required_providers.find(name);
  return required != nullptr ? required->provider : addrs::default_provider(name);
}

// A module and how it is called.
struct CalledModule {
  const Module* module;
  addrs::ModulePath path;
  const Module* parent = nullptr;    // null for the root module, as are those below
  const ModuleCall* call = nullptr;  // in the parent
  // Where this call or one around it says something (count, depends_on …) with
  // which a module cannot have provider configurations of its own.
  std::optional<diag::SourceRange> no_configurations = {};
};

class Checker {
 public:
  Checker(const CalledModule& called, const diag::SourceMap& sources, diag::Diagnostics& diags)
      : called_(called), module_(*called.module), sources_(sources), diags_(diags) {}

  void check();

 private:
  bool is_root() const { return called_.path.is_root(); }
  void gather();
  void check_requirements();
  void check_implied_names(const base::Named<Resource>& resources);
  void check_instances(const base::Named<Resource>& resources);
  void check_calls();
  void check_instance(const ProviderRef& reference, std::string_view noun);
  void warn_if_same_collection(std::string_view noun, const std::string& target,
                               const syntax::Expr* uses, const syntax::Expr* makes);
  void check_passed_on(const ModuleCall& call);
  void check_own_configurations();
  void check_aliases();
  void check_passed();
  void check_passed_one(const std::string& name, const PassedProvider& passed);
  void warn_of_empty_configurations();
  std::string module_text(const addrs::ModulePath& path) const {
    return path.is_root() ? "the root module" : path.to_string();
  }

  const CalledModule& called_;
  const Module& module_;
  const diag::SourceMap& sources_;
  diag::Diagnostics& diags_;
  // By "name" or "name.alias".
  std::map<std::string, const ProviderConfig*> configured_;
  std::map<std::string, const ProviderConfig*> empty_;
  std::map<std::string, const PassedProvider*> passed_;
  std::set<std::string> aliases_;  // configuration_aliases
};

void Checker::gather() {
  for (const ProviderConfig& config : module_.provider_configs) {
    (is_empty(config) ? empty_ : configured_).emplace(config.key(), &config);
  }
  for (const RequiredProvider& required : module_.required_providers) {
    for (const ProviderAlias& alias : required.aliases) {
      aliases_.insert(alias.alias.empty() ? alias.name : alias.name + "." + alias.alias);
    }
  }
  if (called_.call == nullptr) return;
  for (const PassedProvider& passed : called_.call->providers) {
    passed_.emplace(passed.in_child.to_string(), &passed);
  }
}

void Checker::check_requirements() {
  std::unordered_set<std::string_view> config_names;
  for (const ProviderConfig& config : module_.provider_configs) config_names.insert(config.name);
  std::unordered_map<std::string, std::string> names_by_provider;
  for (const RequiredProvider& required : module_.required_providers) {
    const auto [earlier, is_new] =
        names_by_provider.emplace(required.provider.to_string(), required.name);
    const std::string& implied = required.provider.type;
    if (!is_new) {
      diags_.warning("Duplicate required provider")
          .detail(fmt::format(
              "The provider {} is required under two local names, {} and {}. Remove one of them.",
              required.provider.for_display(), earlier->second, required.name))
          .at(required.range);
    } else if (is_default_provider(required.provider) && required.name != implied &&
               config_names.contains(implied)) {
      diags_.warning("Duplicate required provider")
          .detail(fmt::format("The provider {} is required as {}, but a provider block calls it "
                              "{}. Use the same name for both.",
                              required.provider.for_display(), required.name, implied))
          .at(required.range);
    }
  }
}

void Checker::check_implied_names(const base::Named<Resource>& resources) {
  // Many resources share a few providers.
  struct Verdict {
    std::string invalid;                   // why it cannot be a provider's name
    std::vector<std::string> other_names;  // under which the provider is required
    Provider provider;
  };
  std::unordered_map<std::string, Verdict> verdicts;
  for (const Resource& resource : resources) {
    if (resource.provider) continue;
    const std::string name(resource.provider_name());
    const auto [found, is_new] = verdicts.try_emplace(name);
    Verdict& verdict = found->second;
    if (is_new) {
      const auto part = addrs::parse_provider_part(name);
      if (!part) {
        verdict.invalid = part.error().what;
      } else if (module_.required_providers.find(name) == nullptr) {
        verdict.provider = addrs::implied_provider(*part);
        for (const RequiredProvider& required : module_.required_providers) {
          if (required.provider == verdict.provider) verdict.other_names.push_back(required.name);
        }
      }
    }
    if (!verdict.invalid.empty()) {
      diags_.error("Invalid provider local name")
          .detail(fmt::format(
              "{:?}, the first part of the resource type, is not a valid provider name: {}.", name,
              verdict.invalid))
          .at(resource.range);
    }
    for (const std::string& other : verdict.other_names) {
      diags_.warning("Duplicate required provider")
          .detail(fmt::format(
              "The resource type of {} implies the provider {}, which is required under the name "
              "{}. Use the same name, or set the provider argument of the resource.",
              resource.address().to_string(), verdict.provider.for_display(), other))
          .at(resource.range);
    }
  }
}

void Checker::check_instance(const ProviderRef& reference, std::string_view noun) {
  const ProviderConfig* config = module_.provider_configs.find(reference.to_string());
  const bool has_instances = config != nullptr && config->for_each != nullptr;
  const auto refuse = [&](std::string detail, diag::SourceRange at) {
    diags_.error(fmt::format("Invalid provider configuration of a {}", noun))
        .detail(std::move(detail))
        .at(at);
  };
  if (reference.key == nullptr) {
    if (has_instances) {
      refuse(
          "This provider configuration has for_each. Select one of its instances with an instance "
          "key.",
          reference.name_range);
    }
  } else if (reference.alias.empty()) {
    refuse("Only provider configurations with an alias and for_each have instances.",
           reference.key->range);
  } else if (!has_instances && !configured_.contains(reference.to_string())) {
    refuse(fmt::format("This module has no provider \"{}\" block with alias \"{}\" and for_each.",
                       reference.name, reference.alias),
           reference.name_range);
  } else if (!has_instances) {
    refuse("This provider configuration has no for_each, so it has no instances.",
           reference.key->range);
  }
}

void Checker::warn_if_same_collection(std::string_view noun, const std::string& target,
                                      const syntax::Expr* uses, const syntax::Expr* makes) {
  if (uses == nullptr || makes == nullptr) return;
  if (syntax::variables(*uses).empty() || syntax::variables(*makes).empty()) return;
  if (!same_expression(uses, makes)) return;
  diags_.warning(fmt::format("Same for_each for a {} and its provider configuration", noun))
      .detail(fmt::format(
          "When an element is removed, its provider instance is removed too, and its objects "
          "cannot be destroyed: the next plan fails. Keep each element in the provider's for_each "
          "for one more run, or first run: tofu apply -destroy -target={}",
          target))
      .at(uses->range);
}

void Checker::check_instances(const base::Named<Resource>& resources) {
  for (const Resource& resource : resources) {
    if (!resource.provider) continue;
    check_instance(*resource.provider, "resource");
    if (resource.provider->key == nullptr || resource.mode != addrs::ResourceMode::Managed)
      continue;
    const ProviderConfig* config = module_.provider_configs.find(resource.provider->to_string());
    const addrs::ConfigResource address{called_.path, resource.address()};
    warn_if_same_collection("resource", address.to_string(), resource.repetition.for_each,
                            config != nullptr ? config->for_each : nullptr);
  }
}

void Checker::check_passed_on(const ModuleCall& call) {
  for (const PassedProvider& passed : call.providers) {
    const ProviderRef& reference = passed.in_parent;
    // Those with an alias are never inherited, so the child is checked instead.
    if (!reference.alias.empty()) continue;
    const bool is_configured = configured_.contains(reference.name);
    if (!is_configured && module_.required_providers.find(reference.name) == nullptr) {
      diags_.warning("Undeclared provider passed to module")
          .detail(fmt::format("{} has no required_providers entry for {}, so {} is assumed. Add it "
                              "to required_providers.",
                              module_text(called_.path), reference.name,
                              addrs::default_provider(reference.name).for_display()))
          .at(reference.name_range);
      continue;
    }
    if (!is_root() && !is_configured && !passed_.contains(reference.name)) {
      diags_.warning("Missing required provider configuration")
          .detail(
              fmt::format("{} requires a configuration for the provider {}, but its caller passes "
                          "none. Add it to the \"providers\" argument of the module \"{}\" block.",
                          module_text(called_.path), reference.name, called_.call->name))
          .at(called_.call->range);
    }
  }
}

void Checker::check_calls() {
  for (const ModuleCall& call : module_.module_calls) {
    for (const PassedProvider& passed : call.providers) {
      if (passed.in_child.key != nullptr) {
        diags_.error("Invalid provider configuration reference")
            .detail(
                "The name on the left cannot have an instance key. Only the configuration that is "
                "passed can have one.")
            .at(passed.in_child.key->range);
      }
      check_instance(passed.in_parent, "module");
      if (passed.in_parent.key == nullptr) continue;
      const ProviderConfig* config = module_.provider_configs.find(passed.in_parent.to_string());
      warn_if_same_collection("module", called_.path.child(call.name).to_string(),
                              call.repetition.for_each,
                              config != nullptr ? config->for_each : nullptr);
    }
  }
}

void Checker::check_own_configurations() {
  if (!configured_.empty() && called_.no_configurations) {
    diags_.error("Module is incompatible with count, for_each, enabled and depends_on")
        .detail(fmt::format("{} has its own provider blocks, so calls to it or to modules around "
                            "it cannot use count, for_each, enabled or depends_on. Pass provider "
                            "configurations from the caller instead.",
                            called_.path.to_string()))
        .at(*called_.no_configurations);
  }
  for (const auto& [name, config] : configured_) {
    const auto passed = passed_.find(name);
    if (passed == passed_.end()) continue;
    diags_.error("Cannot override provider configuration")
        .detail(fmt::format(
            "{} configures {} itself, so the caller cannot pass a configuration for it.",
            called_.path.to_string(), name))
        .at(passed->second->in_child.name_range);
  }
}

void Checker::check_aliases() {
  for (const std::string& name : aliases_) {
    if (configured_.contains(name) || passed_.contains(name)) continue;
    diags_.error("Missing required provider configuration")
        .detail(fmt::format("The module requires a provider configuration {}. Add it to the "
                            "\"providers\" argument of this module block.",
                            name))
        .at(called_.call->range);
  }
}

void Checker::check_passed_one(const std::string& name, const PassedProvider& passed) {
  Provider wanted = configured_provider(module_, passed.in_child.name);
  const RequiredProvider* required = module_.required_providers.find(name);
  if (required != nullptr) wanted = required->provider;
  const bool is_known = required != nullptr || aliases_.contains(name) || empty_.contains(name);
  if (!is_known && is_default_provider(wanted)) {
    diags_.warning("Undeclared provider passed to module")
        .detail(fmt::format("{} has no required_providers entry for {}, so {} is assumed. Add it "
                            "to required_providers of the module.",
                            called_.path.to_string(), name, wanted.for_display()))
        .at(passed.in_child.name_range);
  } else if (!is_known) {
    diags_.error("Undeclared provider configuration passed to module")
        .detail(fmt::format("{} does not declare the provider configuration {}. Declare it in "
                            "required_providers of the module, with the source {}.",
                            called_.path.to_string(), name, wanted.for_display()))
        .at(passed.in_child.name_range);
  }
  Provider given = configured_provider(*called_.parent, passed.in_parent.name);
  if (const auto* same_name = called_.parent->required_providers.find(name)) {
    given = same_name->provider;
  }
  if (wanted == given) return;
  std::string other;
  for (const RequiredProvider& each : module_.required_providers) {
    if (each.provider == given) other = each.name;
  }
  diags_.error("Provider type mismatch")
      .detail(other.empty()
                  ? fmt::format("{} is a configuration of {}, but the module expects {} to be {}.",
                                passed.in_parent.to_string(), given.for_display(),
                                passed.in_child.to_string(), wanted.for_display())
                  : fmt::format("{} is a configuration of {}, which the module calls {}, not {}.",
                                passed.in_parent.to_string(), given.for_display(), other,
                                passed.in_child.to_string()))
      .at(other.empty() ? passed.in_parent.name_range : passed.in_child.name_range);
}

void Checker::check_passed() {
  for (const auto& [name, passed] : passed_) check_passed_one(name, *passed);
}

// One warning for each provider, at the first of its blocks as OpenTofu orders them:
// by the text of their places, where line 10 comes before line 8.
void Checker::warn_of_empty_configurations() {
  std::map<std::string, std::vector<diag::SourceRange>> places;
  for (const auto& [key, config] : empty_) places[config->name].push_back(config->range);
  for (const auto& [name, ranges] : places) {
    diags_.warning("Redundant empty provider block")
        .detail(fmt::format("Empty provider blocks in modules are deprecated. Remove this block "
                            "and add {} to required_providers of {}, with configuration_aliases if "
                            "the caller passes several configurations.",
                            name, called_.path.to_string()))
        .at(*std::ranges::min_element(ranges, {}, [&](diag::SourceRange range) {
          return diag::place_text(sources_, range);
        }));
  }
}

void Checker::check() {
  gather();
  check_requirements();
  for (const auto* resources :
       {&module_.managed_resources, &module_.data_resources, &module_.ephemeral_resources}) {
    check_implied_names(*resources);
    check_instances(*resources);
  }
  check_calls();
  for (const ModuleCall& call : module_.module_calls) check_passed_on(call);
  if (is_root()) return;
  check_own_configurations();
  check_aliases();
  check_passed();
  warn_of_empty_configurations();
}

void check_spelling(const std::optional<addrs::Constraints>& constraints, diag::SourceRange at,
                    diag::Diagnostics& diags) {
  if (!constraints) return;
  for (const addrs::Constraint& each : constraints->all()) {
    if (each.version.is_strict()) continue;
    diags.error("Invalid version constraint")
        .detail(fmt::format("{:?} is not a valid provider version. Provider versions have up to "
                            "three numbers, no \"v\" prefix, and a dash before a prerelease label.",
                            each.to_string()))
        .at(at);
    return;
  }
}

void check_import(const Import& import, const Module& module, diag::Diagnostics& diags) {
  // Below the root the module's call decides.
  if (!import.provider || !import.static_to.module.is_root()) return;
  const Resource* target = module.resource(import.static_to.object);
  if (target == nullptr || target->mode != addrs::ResourceMode::Managed) return;
  if (target->provider && target->provider->address() == import.provider->address()) return;
  diags.error("Invalid import provider argument")
      .detail(fmt::format(
          "{} has {}. The import block must use the same provider as the resource block.",
          target->address().to_string(),
          target->provider ? "another provider" : "no provider argument"))
      .at(import.provider_range);
}

// Where a call says that the module cannot have configurations, if it does.
std::optional<diag::SourceRange> forbids_configurations(const ModuleCall& call) {
  const Repetition& repetition = call.repetition;
  if (repetition.count != nullptr) return repetition.count->range;
  if (repetition.for_each != nullptr) return repetition.for_each->range;
  if (repetition.enabled != nullptr) return repetition.enabled->range;
  if (!call.depends_on.empty()) return call.depends_on.front().range;
  return std::nullopt;
}

}  // namespace

void check_providers(const Tree& tree, const diag::SourceMap& sources, diag::Diagnostics& diags) {
  std::vector<std::optional<diag::SourceRange>> forbidden(tree.nodes.size());
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    const TreeNode& node = tree.nodes[i];
    CalledModule called{node.module.get(), node.path};
    if (node.parent) {
      called.parent = tree.node(*node.parent).module.get();
      called.call = node.call;
      forbidden[i] = forbids_configurations(*node.call);
      if (!forbidden[i]) forbidden[i] = forbidden[node.parent->index];
      called.no_configurations = forbidden[i];
    }
    const std::size_t before = diags.size();
    Checker(called, sources, diags).check();
    node.module->name_blocks(diags.items_from(before));
    if (called.parent != nullptr) called.parent->name_blocks(diags.items_from(before));
  }
}

void check_provider_needs(const Tree& tree, diag::Diagnostics& diags) {
  for (const TreeNode& node : tree.nodes) {
    const Module& module = *node.module;
    const std::size_t before = diags.size();
    for (const RequiredProvider& required : module.required_providers) {
      check_spelling(required.constraints, required.range, diags);
    }
    for (const Import& import : module.imports) check_import(import, module, diags);
    for (const ProviderConfig& config : module.provider_configs) {
      check_spelling(config.version, config.version_range, diags);
    }
    module.name_blocks(diags.items_from(before));
  }
}

}  // namespace tofu::config
