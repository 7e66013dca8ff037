// Resources, module calls, provider configurations and what hangs on them, as a
// module declares them.
//
// Meta-arguments are taken apart here; everything whose meaning a provider or a
// child module decides stays a Body. Expressions are kept as written.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "addrs/provider_config.h"
#include "addrs/resource.h"
#include "addrs/version.h"
#include "config/values.h"
#include "diag/source.h"
#include "syntax/ast.h"
#include "syntax/body.h"

namespace tofu::config {

// `aws`, `aws.west`, `aws.by_region["eu"]`: a provider configuration as named
// inside one module.
struct ProviderRef {
  std::string name;
  diag::SourceRange name_range;
  std::string alias;  // empty: the default configuration
  std::optional<diag::SourceRange> alias_range;
  const syntax::Expr* key = nullptr;  // of an instance of a for_each provider

  addrs::LocalProviderConfig address() const { return {name, alias}; }
  std::string to_string() const { return alias.empty() ? name : name + "." + alias; }
};

// At most one of these is set, or an error was reported.
struct Repetition {
  const syntax::Expr* count = nullptr;
  const syntax::Expr* for_each = nullptr;
  const syntax::Expr* enabled = nullptr;

  bool any() const { return count || for_each || enabled; }
};

struct Connection {
  syntax::Body config;
  diag::SourceRange range;
};

enum class ProvisionerWhen : std::uint8_t { Create, Destroy };
enum class ProvisionerOnFailure : std::uint8_t { Fail, Continue };

struct Provisioner {
  std::string type;
  syntax::Body config;
  std::optional<Connection> connection;
  ProvisionerWhen when = ProvisionerWhen::Create;
  ProvisionerOnFailure on_failure = ProvisionerOnFailure::Fail;
  diag::SourceRange range;
  diag::SourceRange type_range;
};

struct Resource {
  addrs::ResourceMode mode = addrs::ResourceMode::Managed;
  std::string type;
  std::string name;
  diag::SourceRange range;  // of the block's header
  diag::SourceRange type_range;
  syntax::Body config;  // without meta-arguments
  Repetition repetition;
  std::unique_ptr<const ProviderRef> provider;  // null, as mostly: what the type implies
  std::vector<syntax::Traversal> depends_on;
  std::vector<syntax::Condition> preconditions;
  std::vector<syntax::Condition> postconditions;

  // Of managed resources only.
  std::vector<const syntax::Expr*> replace_triggered_by;
  std::unique_ptr<const Connection> connection;
  std::vector<Provisioner> provisioners;
  std::optional<bool> create_before_destroy;
  const syntax::Expr* prevent_destroy = nullptr;
  std::optional<bool> destroy;  // false: objects are forgotten instead
  std::vector<syntax::Traversal> ignore_changes;
  bool ignore_all_changes = false;

  // Name of the check block it stands in, if it does: only that may refer to it.
  std::string check;

  addrs::Resource address() const { return {mode, type, name}; }
  // The local name of its provider, said or implied by the type.
  std::string_view provider_name() const;
};

struct PassedProvider {
  ProviderRef in_child;
  ProviderRef in_parent;
};

struct ModuleCall {
  std::string name;
  diag::SourceRange range;       // of the block's header
  diag::SourceRange name_range;  // of the label
  const syntax::Expr* source = nullptr;
  const syntax::Expr* version = nullptr;
  diag::SourceRange version_range;  // of the whole argument
  Repetition repetition;
  std::vector<PassedProvider> providers;
  bool providers_given = false;
  std::vector<syntax::Traversal> depends_on;
  bool depends_on_given = false;
  syntax::Body config;  // the input variables
};

struct ProviderConfig {
  std::string name;
  diag::SourceRange name_range;
  std::string alias;
  std::optional<diag::SourceRange> alias_range;
  const syntax::Expr* for_each = nullptr;
  std::optional<addrs::Constraints> version;  // old style; drew a warning
  diag::SourceRange version_range;
  syntax::Body config;
  diag::SourceRange range;
  // It stands in a test file and is not for the module to evaluate: it names what only test
  // files know, or the provider is made up.
  bool is_given = false;

  addrs::LocalProviderConfig address() const { return {name, alias}; }
  std::string key() const { return alias.empty() ? name : name + "." + alias; }
};

// Whether a configuration is empty: in a child module it may only stand for one that a
// caller passes.
bool is_empty(const ProviderConfig& config);

struct Check {
  std::string name;
  diag::SourceRange range;
  Resource* data = nullptr;  // in the module's data resources
  std::vector<syntax::Condition> asserts;
};

}  // namespace tofu::config
