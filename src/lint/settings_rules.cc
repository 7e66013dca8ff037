#include "lint/settings_rules.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <string>

#include "addrs/module_source.h"
#include "lint/rules.h"
#include "syntax/ast.h"

namespace tofu::lint {

namespace {

constexpr std::array kModes = {addrs::ResourceMode::Managed, addrs::ResourceMode::Data,
                               addrs::ResourceMode::Ephemeral};
// It is part of the program, so it has no version.
constexpr std::string_view kBuiltIn = "terraform";

// The source as text, if it is written out.
std::optional<std::string> written_source(const config::ModuleCall& call) {
  if (call.source == nullptr) return std::nullopt;
  if (const auto* json = syntax::as_if<syntax::JsonStringExpr>(*call.source)) {
    return std::string(json->text);
  }
  const auto* text = syntax::as_if<syntax::TemplateExpr>(*call.source);
  if (text == nullptr || text->parts.size() != 1) return std::nullopt;
  const auto* literal = syntax::as_if<syntax::LiteralExpr>(*text->parts[0]);
  if (literal == nullptr) return std::nullopt;
  return std::string(literal->value->plain().as_string());
}

// The value of a parameter of a URL; absent if it has none of that name.
std::optional<std::string_view> parameter(std::string_view url, std::string_view name) {
  const std::size_t question = url.find('?');
  if (question == std::string_view::npos) return std::nullopt;
  std::string_view rest = url.substr(question + 1);
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('&'), rest.size());
    const std::string_view pair = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    const std::size_t equals = std::min(pair.find('='), pair.size());
    if (pair.substr(0, equals) == name) return pair.substr(std::min(equals + 1, pair.size()));
  }
  return std::nullopt;
}

bool is_branch(std::string_view ref) {
  constexpr std::array<std::string_view, 5> kBranches = {"main", "master", "develop", "trunk",
                                                         "HEAD"};
  return std::ranges::find(kBranches, ref) != kBranches.end();
}

// The reason why the content behind a source can change; empty if it cannot, or is not known.
std::string unpinned_reason(const addrs::ModuleSource& source, bool has_version) {
  if (std::holds_alternative<addrs::RegistrySource>(source)) {
    return has_version ? ""
                       : "Without a \"version\" argument init installs the newest version. Add a "
                         "version constraint.";
  }
  const auto* remote = std::get_if<addrs::RemoteSource>(&source);
  if (remote == nullptr) return "";
  const addrs::RemoteKind kind = addrs::kind_of(*remote);
  const bool is_git = kind == addrs::RemoteKind::Git;
  if (!is_git && kind != addrs::RemoteKind::Mercurial) return "";
  const auto ref = parameter(remote->package, is_git ? "ref" : "rev");
  const std::string_view word = is_git ? "ref" : "rev";
  if (!ref || ref->empty()) {
    return fmt::format(
        "Without \"{}\" init installs the default branch as it is at that time. Add "
        "?{}= with a tag or a commit.",
        word, word);
  }
  if (!is_branch(*ref)) return "";
  return fmt::format("{:?} is a branch, which moves. Give a tag or a commit.", *ref);
}

bool is_insecure(std::string_view source) {
  constexpr std::array<std::string_view, 5> kPrefixes = {"http://", "git::http://", "git://",
                                                         "git::git://", "hg::http://"};
  return std::ranges::any_of(kPrefixes, [&](auto prefix) { return source.starts_with(prefix); });
}

class Settings {
 public:
  Settings(const config::Module& module, bool is_root, const Usage& usage,
           const std::set<addrs::Provider>& used, Findings& findings)
      : module_(module), is_root_(is_root), usage_(usage), used_(used), findings_(findings) {
    for (const auto mode : kModes) {
      for (const config::Resource& resource : module.resources(mode)) {
        first_use_.try_emplace(std::string(resource.provider_name()), resource.range);
      }
    }
    for (const config::ProviderConfig& provider : module.provider_configs) {
      first_use_.try_emplace(provider.name, provider.range);
    }
    for (const config::ModuleCall& call : module.module_calls) {
      for (const config::PassedProvider& passed : call.providers) {
        passed_.insert(passed.in_parent.name);
      }
    }
  }

  void check() {
    check_version();
    check_providers();
    for (const config::ProviderConfig& provider : module_.provider_configs) check(provider);
    for (const config::ModuleCall& call : module_.module_calls) check(call);
  }

 private:
  void check_version() {
    if (!module_.version_requirements.empty() || module_.files().empty()) return;
    const syntax::File& first = *module_.files().front();
    findings_.add(kRequiredVersion, {first.id, 0, 0},
                  "Say in a \"terraform\" block with required_version, or in a \"language\" block, "
                  "which versions the module is written for.");
  }

  void check_providers() {
    for (const config::RequiredProvider& required : module_.required_providers) {
      if (required.name == kBuiltIn) continue;
      if (!required.constraints || required.constraints->empty()) {
        findings_.add(kProviderVersion, required.range,
                      fmt::format("Add a \"version\" to the entry of {}, such as \"~> 1.2\".",
                                  required.name));
      }
      if (is_used(required)) continue;
      findings_.add(kUnusedProvider, required.range,
                    fmt::format("Nothing in this configuration uses the provider {}. Remove its "
                                "entry.",
                                required.name));
    }
    for (const auto& [name, place] : first_use_) {
      if (name == kBuiltIn || module_.required_providers.find(name) != nullptr) continue;
      findings_.add(kProviderSource, place,
                    fmt::format("{0} is used and not in required_providers, so its source is taken "
                                "to be {1}, in any version. Add an entry for {0}.",
                                name, module_.provider_for(name).for_display()));
    }
  }

  bool is_used(const config::RequiredProvider& required) const {
    if (first_use_.contains(required.name) || passed_.contains(required.name)) return true;
    if (usage_.provider_function(required.name)) return true;
    // These blocks may use the provider; this rule does not read them.
    if (!module_.removed.empty() || !module_.imports.empty() || !module_.provider_metas.empty()) {
      return true;
    }
    // Modules below may rely on the version that this one asks for.
    return !module_.module_calls.empty() && used_.contains(required.provider);
  }

  void check(const config::ProviderConfig& provider) {
    if (!provider.alias.empty() && !usage_.provider_config(provider.key())) {
      findings_.add(
          kUnusedProviderConfig, provider.range,
          fmt::format("Nothing in this module uses {}. Remove the block.", provider.key()));
    }
    if (is_root_ || config::is_empty(provider)) return;
    findings_.add(kProviderInModule, provider.range,
                  "Configure the provider in the root module, which passes it down, and declare it "
                  "here in required_providers.");
  }

  void check(const config::ModuleCall& call) {
    const auto text = written_source(call);
    if (!text) return;
    if (is_insecure(*text)) {
      findings_.add(kInsecureSource, call.source->range,
                    "Use https or ssh, so that the module cannot be exchanged on the way.");
    }
    const auto source = addrs::parse_module_source(*text);
    if (!source) return;
    std::string reason = unpinned_reason(*source, call.version != nullptr);
    if (!reason.empty()) findings_.add(kModuleVersion, call.source->range, std::move(reason));
  }

  const config::Module& module_;
  bool is_root_;
  const Usage& usage_;
  const std::set<addrs::Provider>& used_;
  Findings& findings_;
  std::map<std::string, diag::SourceRange> first_use_;  // by local name of the provider
  std::set<std::string> passed_;                        // local names
};

}  // namespace

std::set<addrs::Provider> used_providers(const config::Tree& tree) {
  std::set<addrs::Provider> used;
  std::set<const config::Module*> seen;
  for (const config::TreeNode& node : tree.nodes) {
    const config::Module& module = *node.module;
    if (!seen.insert(&module).second) continue;
    std::set<std::string_view> names;
    for (const auto mode : kModes) {
      for (const config::Resource& resource : module.resources(mode)) {
        names.insert(resource.provider_name());
      }
    }
    for (const config::ProviderConfig& provider : module.provider_configs) {
      names.insert(provider.name);
    }
    for (const std::string_view name : names) used.insert(module.provider_for(name));
  }
  return used;
}

void check_settings(const config::Module& module, bool is_root, const Usage& usage,
                    const std::set<addrs::Provider>& used, Findings& findings) {
  Settings(module, is_root, usage, used, findings).check();
}

void OutputUse::note(const config::Module& called, const config::ModuleCall& call,
                     const Usage& caller) {
  std::set<const config::Output*>& read = read_[&called];
  for (const config::Output& output : called.outputs) {
    if (caller.output(call.name, output.name)) read.insert(&output);
  }
}

void OutputUse::check(const config::Module& module, Findings& findings) const {
  const auto found = read_.find(&module);
  if (found == read_.end()) return;
  for (const config::Output& output : module.outputs) {
    if (found->second.contains(&output)) continue;
    findings.add(kUnusedOutput, output.range,
                 fmt::format("No call of this module reads the output {:?}. Remove it, unless "
                             "other configurations use the module.",
                             output.name));
  }
}

}  // namespace tofu::lint
