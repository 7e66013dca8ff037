// Absolute addresses from traversals: targets, resources, modules, and the ends
// of moved and removed blocks.
//
// All return nothing if and only if an error was added, with the faulty step as
// its place. From text rather than configuration: see text.h.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "addrs/module.h"
#include "addrs/resource.h"
#include "diag/diagnostic.h"
#include "diag/source.h"
#include "syntax/ast.h"

namespace tofu::addrs {

// What -target, -exclude and -replace select. A resource without a key stands
// for all its instances.
using Target = std::variant<ModuleInstance, AbsResource, AbsResourceInstance>;

std::string to_string(const Target& target);

std::optional<Target> parse_target(const syntax::Traversal& traversal, diag::Diagnostics& diags);
std::optional<AbsResource> parse_abs_resource(const syntax::Traversal& traversal,
                                              diag::Diagnostics& diags);
std::optional<AbsResourceInstance> parse_abs_resource_instance(const syntax::Traversal& traversal,
                                                               diag::Diagnostics& diags);
std::optional<ModuleInstance> parse_module_instance(const syntax::Traversal& traversal,
                                                    diag::Diagnostics& diags);
// Without keys anywhere.
std::optional<ModulePath> parse_module_path(const syntax::Traversal& traversal,
                                            diag::Diagnostics& diags);
std::optional<ConfigResource> parse_config_resource(const syntax::Traversal& traversal,
                                                    diag::Diagnostics& diags);

// Whether everything `inner` stands for is selected by `outer`.
bool target_contains(const Target& outer, const Target& inner);
bool target_contains(const Target& outer, const ConfigResource& inner);
bool target_contains(const Target& outer, const ModulePath& inner);

// One end of a `moved` block, relative to the module that contains it. A
// resource instance without a key is the resource as a whole.
struct MoveEndpoint {
  std::variant<ModuleInstance, AbsResourceInstance> subject;
  diag::SourceRange range;

  bool is_module() const { return subject.index() == 0; }
  std::string to_string() const;
};
std::optional<MoveEndpoint> parse_move_endpoint(const syntax::Traversal& traversal,
                                                diag::Diagnostics& diags);

// The `from` of a `removed` block: managed resources and modules, without keys.
struct RemoveEndpoint {
  std::variant<ModulePath, ConfigResource> subject;
  diag::SourceRange range;

  std::string to_string() const;
};
std::optional<RemoveEndpoint> parse_remove_endpoint(const syntax::Traversal& traversal,
                                                    diag::Diagnostics& diags);

}  // namespace tofu::addrs
