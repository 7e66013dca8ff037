// Evaluates import blocks: which existing objects become which instances.
//
// An import block is evaluated in the root module, once for each element of its for_each.
// Which resource it is for is known without that: see Program::imports. Whether unknown
// values are allowed is for the caller to decide.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "addrs/provider.h"
#include "addrs/resource.h"
#include "config/refactor.h"
#include "diag/diagnostic.h"
#include "eval/module_scope.h"
#include "schema/provider.h"
#include "value/value.h"

namespace tofu::eval {

struct ImportElements {
  // Whether the elements are known already.
  bool known = true;
  // The scopes for the other arguments of the block, one for each element; one if there is no
  // for_each. Empty after an error.
  std::vector<InstanceScope> standings;
};
// `names` is a scope of the root module.
ImportElements evaluate_import_elements(const config::Import& import, const ModuleScope& names,
                                        diag::Diagnostics& diags);

// The id, which may be unknown. Nothing if an error was added, or if the block has `identity`
// in its place.
std::optional<value::Value> evaluate_import_id(const config::Import& import,
                                               const ModuleScope& names, diag::Diagnostics& diags);

// The type that an identity is written by. Fails if the provider
// does not say what identifies its objects. `schema` is null for an unknown resource type.
diag::Checked<value::Type> import_identity_type(const schema::ResourceSchema* schema,
                                                const addrs::Provider& provider,
                                                const std::string& resource_type,
                                                const syntax::Expr& identity,
                                                diag::Diagnostics& diags);

// The identity, an object that fits what the provider says. Nothing if an error was added, or
// if the block has `id` in its place.
std::optional<value::Value> evaluate_import_identity(const config::Import& import,
                                                     value::Type identity, const ModuleScope& names,
                                                     diag::Diagnostics& diags);

// The instance that the object becomes.
diag::Checked<addrs::AbsResourceInstance> evaluate_import_target(const config::Import& import,
                                                                 const ModuleScope& names,
                                                                 diag::Diagnostics& diags);

}  // namespace tofu::eval
