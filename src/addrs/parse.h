// Absolute addresses from traversals: targets, resources, modules, and the ends
// of moved and removed blocks.
//
// An error points at the step that is wrong. To parse an address from text rather than from
// configuration, see text.h.
#pragma once

#include <string>
#include <variant>

#include "addrs/module.h"
#include "addrs/resource.h"
#include "diag/diagnostic.h"
#include "diag/source.h"
#include "syntax/ast.h"

namespace tofu::addrs {

// The value of -target, -exclude and -replace. A resource without a key stands for all its
// instances.
using Target = std::variant<ModuleInstance, AbsResource, AbsResourceInstance>;

std::string to_string(const Target& target);

diag::Checked<Target> parse_target(const syntax::Traversal& traversal, diag::Diagnostics& diags);
diag::Checked<AbsResource> parse_abs_resource(const syntax::Traversal& traversal,
                                              diag::Diagnostics& diags);
diag::Checked<AbsResourceInstance> parse_abs_resource_instance(const syntax::Traversal& traversal,
                                                               diag::Diagnostics& diags);
diag::Checked<ModuleInstance> parse_module_instance(const syntax::Traversal& traversal,
                                                    diag::Diagnostics& diags);
// Without keys anywhere.
diag::Checked<ModulePath> parse_module_path(const syntax::Traversal& traversal,
                                            diag::Diagnostics& diags);
diag::Checked<ConfigResource> parse_config_resource(const syntax::Traversal& traversal,
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
diag::Checked<MoveEndpoint> parse_move_endpoint(const syntax::Traversal& traversal,
                                                diag::Diagnostics& diags);

// The `from` of a `removed` block: managed resources and modules, without keys.
struct RemoveEndpoint {
  std::variant<ModulePath, ConfigResource> subject;
  diag::SourceRange range;

  std::string to_string() const;
};
diag::Checked<RemoveEndpoint> parse_remove_endpoint(const syntax::Traversal& traversal,
                                                    diag::Diagnostics& diags);

}  // namespace tofu::addrs
