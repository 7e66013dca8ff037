// A configuration made ready to be evaluated: every object a row in a table,
// every reference bound to the row it names.
//
// compile() reports what keeps a configuration from being evaluated at all: arguments that a module
// does not have, and cycles (whole, once each). Afterwards nothing is looked up by the text of an
// address. A program knows no phase: the evaluating code decides where values come from.
//
// The rows of one module stand together, those of a module called twice stand there twice. The rows
// of a module and their references are computed once for each distinct module (Shape), however
// often it is called.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "addrs/provider_config.h"
#include "addrs/reference.h"
#include "config/tree.h"
#include "diag/diagnostic.h"
#include "eval/graph.h"
#include "schema/layout.h"
#include "schema/provider.h"

namespace tofu::eval {

class Shape;
struct ImplicitProvider;
struct Row;
enum class Why : std::uint8_t;

struct ObjectId {
  std::uint32_t index = 0;  // row in Program::objects
  auto operator<=>(const ObjectId&) const = default;
};

enum class ObjectKind : std::uint8_t {
  ModuleStart,  // the call: count and for_each; everything in the module waits for it
  Argument,     // what a variable is given
  Variable,     // the variable with its validations; waits for its argument
  Local,
  Output,
  Resource,
  Provider,
  Check,
  Import,     // of the root module; the resource it is for waits for it
  ModuleEnd,  // waits for everything in the module but its checks
};

// The declaration, of the type that the kind says; nothing for a module's end and
// for the start of the root.
using Declaration =
    std::variant<std::monostate, const config::Variable*, const config::Local*,
                 const config::Output*, const config::Resource*, const config::ModuleCall*,
                 const config::ProviderConfig*, const config::Check*, const config::Import*>;

struct Object {
  ObjectKind kind = ObjectKind::ModuleStart;
  config::ModuleId module;  // an Argument and a ModuleStart belong to the module called
  Declaration declaration;
  const syntax::Expr* argument = nullptr;  // of an Argument and of its Variable; null: not given
};

// One module of the tree in the table.
struct ModuleRows {
  const Shape* shape = nullptr;
  ObjectId first;
  // The rows of the outputs it names, by Target::output_use; absent: there is no such
  // output.
  std::vector<std::optional<ObjectId>> outputs = {};
  // The configurations of the providers whose functions it calls, by FunctionUse::provider.
  std::vector<ObjectId> function_providers = {};
};

// One instance of a module, in the evaluator's table. Without expansion, as in validate, every
// module has one, with the module's own number.
struct ModuleInstanceId {
  std::uint32_t index = 0;
  auto operator<=>(const ModuleInstanceId&) const = default;
};

// The key expression that chooses an instance of a provider configuration with for_each.
struct ProviderKey {
  const syntax::Expr* expr = nullptr;
  // Its place: in the module of the resource itself, or in one that calls a module and passes the
  // instance.
  config::ModuleId module;
};

struct Program {
  const config::Tree* tree = nullptr;
  const schema::ProviderSchemas* schemas = nullptr;
  std::unique_ptr<schema::Layouts> layouts;    // what the shapes read bodies by
  std::vector<std::unique_ptr<Shape>> shapes;  // of the distinct modules
  std::vector<ModuleRows> modules;             // by ModuleId
  std::vector<Object> objects;
  Waits waits;               // by ObjectId
  std::vector<Why> reasons;  // of each edge of `waits`
  // The configuration that the provider of each resource has, by ObjectId, and of each
  // import of something that no resource block describes. Absent for other objects.
  std::vector<std::optional<ObjectId>> provider_configs;
  // Which instance of that is meant, for those that have several.
  std::map<ObjectId, ProviderKey> provider_keys;
  // The last rows: empty configurations of providers without a provider block. They belong to the
  // root module.
  std::vector<std::unique_ptr<ImplicitProvider>> implicit_providers;
  std::multimap<ObjectId, ObjectId> imports;    // those of each resource
  std::map<ObjectId, ObjectId> import_targets;  // the resource of each, if there is one
  std::vector<std::uint32_t> order;             // every object after all it waits for

  const Object& object(ObjectId id) const { return objects[id.index]; }
  // Its declaration in the module, shared by all calls.
  const Row& row(ObjectId id) const;
  const config::TreeNode& node(config::ModuleId id) const { return tree->node(id); }
  // Of a Provider: how states and plans name it.
  addrs::AbsProviderConfig provider_address(ObjectId config) const;

  Program();
  Program(Program&&) noexcept;
  Program& operator=(Program&&) noexcept;
  ~Program();
};

// Reports every provisioner that does not exist. After such an error nothing else is
// reported.
void check_provisioners(const config::Tree& tree, diag::Diagnostics& diags);

// Always returns what could be compiled; with errors it cannot be evaluated.
Program compile(const config::Tree& tree, const schema::ProviderSchemas& schemas,
                diag::Diagnostics& diags);

// "module.net.aws_x.y", "module.net.var.a", "module.net": the text for an object in messages.
std::string describe(const Program& program, ObjectId id);

}  // namespace tofu::eval
