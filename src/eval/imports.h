// What import blocks say: which existing objects become which instances.
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
#include "eval/names.h"
#include "schema/provider.h"
#include "value/value.h"

namespace tofu::eval {

struct ImportElements {
  // Whether it can be told by now what the elements are.
  bool known = true;
  // Where the other arguments of the block are evaluated, one for each element; one if there
  // is no for_each. Empty after an error.
  std::vector<Standing> standings;
};
// `names` is a scope of the root module.
ImportElements evaluate_import_elements(const config::Import& import, const Names& names,
                                        diag::Diagnostics& diags);

// The id, which may be unknown. Nothing if an error was added, or if the block has `identity`
// in its place.
std::optional<value::Value> evaluate_import_id(const config::Import& import, const Names& names,
                                               diag::Diagnostics& diags);

// The type that an identity is written by. Nothing if and only if an error was added: the
// provider does not say what identifies its objects. `schema` is null if there is none.
std::optional<value::Type> import_identity_type(const schema::ResourceSchema* schema,
                                                const addrs::Provider& provider,
                                                const std::string& resource_type,
                                                const syntax::Expr& identity,
                                                diag::Diagnostics& diags);

// The identity, an object that fits what the provider says. Nothing if an error was added, or
// if the block has `id` in its place.
std::optional<value::Value> evaluate_import_identity(const config::Import& import,
                                                     value::Type identity, const Names& names,
                                                     diag::Diagnostics& diags);

// The instance that the object becomes. Nothing if and only if an error was added.
std::optional<addrs::AbsResourceInstance> evaluate_import_target(const config::Import& import,
                                                                 const Names& names,
                                                                 diag::Diagnostics& diags);

}  // namespace tofu::eval
