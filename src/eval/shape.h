// The contribution of one module to a program, computed once however often the module is called:
// its rows, and what each of them refers to.
//
// Made while compiling and only read afterwards.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "addrs/function_name.h"
#include "config/module.h"
#include "eval/bindings.h"
#include "eval/program.h"
#include "schema/layout.h"
#include "schema/prepared_body.h"
#include "schema/provider.h"
#include "syntax/body.h"

namespace tofu::eval {

// A provisioner's blocks.
struct PreparedProvisioner {
  schema::PreparedBody config;
  std::optional<schema::PreparedBody> connection;  // with what the resource says beneath
};

struct Row {
  ObjectKind kind = ObjectKind::ModuleStart;
  Declaration declaration;
  std::vector<Target> targets;
  const schema::ResourceSchema* schema = nullptr;  // of a Resource; null if its type is unknown
  // Of a Resource and a Provider; absent where there is no schema to read them by.
  std::optional<schema::PreparedBody> body;
  // Of a Resource, in the order of its provisioners; those of unknown types are absent.
  std::vector<std::optional<PreparedProvisioner>> provisioners;

  const schema::Block* block() const { return schema == nullptr ? nullptr : &schema->block; }
};

// A call as the calling module sees it.
struct CallShape {
  std::vector<Target> start;  // what count, for_each, depends_on and provider keys refer to
  struct Argument {
    const syntax::Expr* expr;
    std::vector<Target> targets;
  };
  std::map<std::string, Argument, std::less<>> arguments;  // by variable
};

// An empty configuration of a provider that resources or functions use without a provider block.
struct ImplicitProvider {
  addrs::Provider provider;
  config::ProviderConfig declaration;
  Row row;
};

// A function of a provider that the module calls.
struct FunctionUse {
  addrs::ProviderFunction function;
  std::uint32_t provider = 0;  // position in Shape::function_providers()
};

class Shape {
 public:
  // All outlive it. `providers` are the module's own, unless a test says otherwise.
  Shape(const config::Module& module, const base::Named<config::ProviderConfig>& providers,
        const schema::ProviderSchemas& schemas, schema::Layouts& layouts);
  Shape(const Shape&) = delete;
  Shape& operator=(const Shape&) = delete;

  const config::Module& module() const { return module_; }
  // ModuleStart first, ModuleEnd last.
  const std::vector<Row>& rows() const { return rows_; }
  std::uint32_t row_of(const void* declaration) const { return row_of_.at(declaration); }
  // Of a variable: where its argument stands.
  std::uint32_t argument_row_of(const config::Variable* variable) const {
    return arguments_.at(variable);
  }
  const Bindings& bindings() const { return bindings_; }
  const CallShape& call(const config::ModuleCall* call) const { return calls_.at(call); }
  // Every call of a provider's function in this module, in no particular order.
  const std::vector<const syntax::CallExpr*>& provider_calls() const { return provider_calls_; }
  // By the name that is called. Null if the module has no such call.
  const FunctionUse* function_use(std::string_view name) const;
  // The configurations whose functions are called, each once.
  const std::vector<addrs::LocalProviderConfig>& function_providers() const {
    return function_providers_;
  }

 private:
  void add_rows();
  void add_row(ObjectKind kind, Declaration declaration, const void* key);
  void add_resource(const config::Resource& resource);
  const schema::ResourceSchema* find_schema(const config::Resource& resource) const;
  void bind_row(Row& row);
  void bind_call(const config::ModuleCall& call);
  // The destination of found references, and the reason for the dependency.
  struct Found {
    std::vector<Target>& out;
    Why why;
  };
  // Each adds what it finds.
  void bind(const syntax::Expr* expr, Found found);
  void bind(const syntax::CallExpr& call, Found found);
  void bind(const syntax::Traversal& traversal, Found found);
  void bind(const std::vector<syntax::Traversal>& traversals, Found found);
  void bind(const std::vector<syntax::Condition>& conditions, Found found);
  void bind(const schema::PreparedBody& body, Found found);
  void bind(const config::Repetition& repetition, Found found);
  void bind_resource(const config::Resource& resource, Row& row);
  void bind_provisioners(const config::Resource& resource, Row& row);
  void bind_check(const config::Check& check, std::vector<Target>& out);
  void bind_provider(const config::ProviderConfig& provider, Row& row);
  void bind_import(const config::Import& import, std::vector<Target>& out);
  std::optional<PreparedProvisioner> prepare(const config::Provisioner& provisioner,
                                             const config::Resource& resource);

  const config::Module& module_;
  const base::Named<config::ProviderConfig>& providers_;
  const schema::ProviderSchemas& schemas_;
  schema::Layouts& layouts_;
  std::vector<Row> rows_;
  RowOf row_of_;
  RowOf arguments_;
  Bindings bindings_;
  std::unordered_map<const config::ModuleCall*, CallShape> calls_;
  std::vector<const syntax::CallExpr*> provider_calls_;
  std::map<std::string, FunctionUse, std::less<>> function_uses_;  // by name
  std::vector<addrs::LocalProviderConfig> function_providers_;
  // The schemas that were looked up, by the local name of the provider, mode and type.
  std::map<std::tuple<std::string, addrs::ResourceMode, std::string_view>,
           const schema::ResourceSchema*>
      found_schemas_;
};

// The schema of `mode` and `type` in `provider`. Null if it has no such thing.
const schema::ResourceSchema* find_resource_schema(const schema::ProviderSchema& provider,
                                                   addrs::ResourceMode mode, std::string_view type);

// Reports a function whose provider the module does not name.
void check_function_provider(const config::Module& module, const addrs::ProviderFunction& function,
                             diag::SourceRange place, diag::Diagnostics& diags);

}  // namespace tofu::eval
