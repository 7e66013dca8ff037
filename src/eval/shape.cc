#include "eval/shape.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "schema/provisioners.h"
#include "syntax/analysis.h"

namespace tofu::eval {

const schema::ResourceSchema* find_resource_schema(const schema::ProviderSchema& provider,
                                                   addrs::ResourceMode mode,
                                                   std::string_view type) {
  const auto find = [&](const auto& all) -> const schema::ResourceSchema* {
    const auto found = all.find(type);
    return found == all.end() ? nullptr : &found->second;
  };
  switch (mode) {
    case addrs::ResourceMode::Managed: return find(provider.resources);
    case addrs::ResourceMode::Data: return find(provider.data_sources);
    case addrs::ResourceMode::Ephemeral: return find(provider.ephemeral_resources);
  }
  return nullptr;
}

Shape::Shape(const config::Module& module, const base::Named<config::ProviderConfig>& providers,
             const schema::ProviderSchemas& schemas, schema::Layouts& layouts)
    : module_(module),
      providers_(providers),
      schemas_(schemas),
      layouts_(layouts),
      bindings_(module, row_of_) {
  add_rows();
  bindings_.expect(2 * rows_.size());  // most objects mention one or two others
  for (Row& row : rows_) bind_row(row);
  for (const config::ModuleCall& call : module_.module_calls) bind_call(call);
}

void Shape::add_row(ObjectKind kind, Declaration declaration, const void* key) {
  row_of_.emplace(key, static_cast<std::uint32_t>(rows_.size()));
  rows_.push_back({kind, declaration, {}, nullptr, {}, {}});
}

void Shape::add_rows() {
  const std::size_t named = module_.variables.size() + module_.locals.size() +
                            module_.outputs.size() + module_.managed_resources.size() +
                            module_.data_resources.size() + module_.ephemeral_resources.size() +
                            providers_.size() + module_.checks.size() + module_.imports.size();
  rows_.reserve(named + module_.variables.size() + 2);  // arguments, start and end
  row_of_.reserve(named);
  rows_.push_back({ObjectKind::ModuleStart, {}, {}, nullptr, {}, {}});
  for (const config::Variable& variable : module_.variables) {
    arguments_.emplace(&variable, static_cast<std::uint32_t>(rows_.size()));
    rows_.push_back({ObjectKind::Argument, &variable, {}, nullptr, {}, {}});
    add_row(ObjectKind::Variable, &variable, &variable);
  }
  for (const config::Local& local : module_.locals) add_row(ObjectKind::Local, &local, &local);
  for (const config::Output& output : module_.outputs) {
    add_row(ObjectKind::Output, &output, &output);
  }
  for (const auto mode :
       {addrs::ResourceMode::Managed, addrs::ResourceMode::Data, addrs::ResourceMode::Ephemeral}) {
    for (const config::Resource& resource : module_.resources(mode)) add_resource(resource);
  }
  for (const config::ProviderConfig& provider : providers_) {
    add_row(ObjectKind::Provider, &provider, &provider);
  }
  for (const config::Check& check : module_.checks) add_row(ObjectKind::Check, &check, &check);
  for (const config::Import& import : module_.imports) {
    add_row(ObjectKind::Import, &import, &import);
  }
  rows_.push_back({ObjectKind::ModuleEnd, {}, {}, nullptr, {}, {}});
}

const schema::ResourceSchema* Shape::find_schema(const config::Resource& resource) const {
  const schema::ProviderSchema* provider =
      schemas_.find(module_.provider_for(resource.provider_name()).to_string());
  if (provider == nullptr) return nullptr;
  return find_resource_schema(*provider, resource.mode, resource.type);
}

void Shape::add_resource(const config::Resource& resource) {
  add_row(ObjectKind::Resource, &resource, &resource);
  const auto [found, is_new] = found_schemas_.try_emplace(
      {std::string(resource.provider_name()), resource.mode, resource.type});
  if (is_new) found->second = find_schema(resource);
  rows_.back().schema = found->second;
}

void Shape::bind(const syntax::Traversal& traversal, Found found) {
  Target target = bindings_.bind(traversal).target;
  if (target.of == Target::Of::Nothing) return;
  target.why = found.why;
  found.out.push_back(target);
}

const FunctionUse* Shape::function_use(std::string_view name) const {
  const auto found = function_uses_.find(name);
  return found == function_uses_.end() ? nullptr : &found->second;
}

void Shape::bind(const syntax::CallExpr& call, Found found) {
  const addrs::FunctionName name = addrs::parse_function_name(call.name);
  if (!name.is_in("provider")) return;
  provider_calls_.push_back(&call);
  diag::Diagnostics ignored;  // evaluation reports errors in the name
  auto function = addrs::as_provider_function(name, call.name_range, ignored);
  if (!function) return;
  const auto [use, is_new] = function_uses_.try_emplace(std::string(call.name));
  if (is_new) {
    const addrs::LocalProviderConfig provider{function->provider, function->alias};
    const auto known = std::ranges::find(function_providers_, provider);
    use->second = {std::move(*function),
                   static_cast<std::uint32_t>(known - function_providers_.begin())};
    if (known == function_providers_.end()) function_providers_.push_back(provider);
  }
  found.out.push_back({Target::Of::Provider, use->second.provider, nullptr, {}, 0, Why::Provider});
}

void Shape::bind(const syntax::Expr* expr, Found found) {
  if (expr == nullptr) return;
  for (const syntax::Traversal* traversal : syntax::variables(*expr)) bind(*traversal, found);
  for (const syntax::CallExpr* call : syntax::calls(*expr)) bind(*call, found);
}

void Shape::bind(const std::vector<syntax::Traversal>& traversals, Found found) {
  for (const syntax::Traversal& traversal : traversals) bind(traversal, found);
}

void Shape::bind(const std::vector<syntax::Condition>& conditions, Found found) {
  for (const syntax::Condition& condition : conditions) {
    bind(condition.condition, found);
    bind(condition.error_message, found);
  }
}

void Shape::bind(const schema::PreparedBody& body, Found found) {
  for (const syntax::Traversal* traversal : body.uses().variables) bind(*traversal, found);
  for (const syntax::CallExpr* call : body.uses().calls) bind(*call, found);
}

void Shape::bind(const config::Repetition& repetition, Found found) {
  bind(repetition.count, found);
  bind(repetition.for_each, found);
  bind(repetition.enabled, found);
}

std::optional<PreparedProvisioner> Shape::prepare(const config::Provisioner& provisioner,
                                                  const config::Resource& resource) {
  const schema::Block* schema = schema::provisioner_schema(provisioner.type);
  if (schema == nullptr) return std::nullopt;  // check_provisioners() reports it
  PreparedProvisioner out{{provisioner.config, layouts_.of(*schema)}, std::nullopt};
  const schema::Layout& connection = layouts_.of(schema::connection_schema());
  if (!provisioner.connection && !resource.connection) return out;
  if (!provisioner.connection) {
    out.connection.emplace(resource.connection->config, connection);
  } else if (!resource.connection) {
    out.connection.emplace(provisioner.connection->config, connection);
  } else {
    out.connection.emplace(
        syntax::Body::overridden(resource.connection->config, provisioner.connection->config),
        connection);
  }
  return out;
}

void Shape::bind_provisioners(const config::Resource& resource, Row& row) {
  if (resource.connection) {
    bind({resource.connection->config, layouts_.of(schema::connection_schema())},
         {row.targets, Why::Provisioners});
  }
  row.provisioners.reserve(resource.provisioners.size());
  for (const config::Provisioner& provisioner : resource.provisioners) {
    const auto& prepared = row.provisioners.emplace_back(prepare(provisioner, resource));
    // A destroy-time provisioner refers only to `self`.
    if (!prepared || provisioner.when == config::ProvisionerWhen::Destroy) continue;
    if (provisioner.connection) bind(*prepared->connection, {row.targets, Why::Provisioners});
    bind(prepared->config, {row.targets, Why::Provisioners});
  }
}

void Shape::bind_resource(const config::Resource& resource, Row& row) {
  std::vector<Target>& out = row.targets;
  bind(resource.depends_on, {out, Why::DependsOn});
  bind(resource.repetition, {out, Why::Repetition});
  if (resource.provider) bind(resource.provider->key, {out, Why::Provider});
  for (const syntax::Expr* expr : resource.replace_triggered_by) bind(expr, {out, Why::Lifecycle});
  if (row.schema != nullptr) {
    row.body.emplace(resource.config, layouts_.of(row.schema->block));
    bind(*row.body, {out, Why::Body});
  }
  bind(resource.prevent_destroy, {out, Why::Lifecycle});
  bind_provisioners(resource, row);
  bind(resource.preconditions, {out, Why::Conditions});
  bind(resource.postconditions, {out, Why::Conditions});
  // An unknown type is reported in any case.
  if (row.schema == nullptr) {
    std::erase_if(out, [](const Target& target) { return target.why != Why::DependsOn; });
  }
}

void Shape::bind_check(const config::Check& check, std::vector<Target>& out) {
  bind(check.asserts, {out, Why::Conditions});
  if (check.data == nullptr) return;
  out.push_back({Target::Of::Row, row_of(check.data), nullptr, {}, 0, Why::Body});
}

void Shape::bind_provider(const config::ProviderConfig& provider, Row& row) {
  const schema::ProviderSchema* schema =
      schemas_.find(module_.provider_for(provider.name).to_string());
  if (schema == nullptr) return;
  row.body.emplace(provider.config, layouts_.of(schema->provider));
  if (!provider.is_given) bind(*row.body, {row.targets, Why::Body});
}

void Shape::bind_row(Row& row) {
  std::vector<Target>& out = row.targets;
  switch (row.kind) {
    case ObjectKind::Variable:
      bind(std::get<const config::Variable*>(row.declaration)->validations, {out, Why::Conditions});
      return;
    case ObjectKind::Local:
      bind(std::get<const config::Local*>(row.declaration)->expr, {out, Why::Body});
      return;
    case ObjectKind::Output: {
      const auto& output = *std::get<const config::Output*>(row.declaration);
      bind(output.expr, {out, Why::Body});
      bind(output.depends_on, {out, Why::DependsOn});
      bind(output.preconditions, {out, Why::Conditions});
      return;
    }
    case ObjectKind::Resource:
      bind_resource(*std::get<const config::Resource*>(row.declaration), row);
      return;
    case ObjectKind::Provider:
      bind_provider(*std::get<const config::ProviderConfig*>(row.declaration), row);
      return;
    case ObjectKind::Check:
      bind_check(*std::get<const config::Check*>(row.declaration), out);
      return;
    case ObjectKind::Import:
      bind_import(*std::get<const config::Import*>(row.declaration), out);
      return;
    // Their references belong to the calling module: see bind_call().
    case ObjectKind::ModuleStart:
    case ObjectKind::Argument:
    case ObjectKind::ModuleEnd: return;
  }
}

void Shape::bind_call(const config::ModuleCall& call) {
  CallShape& shape = calls_[&call];
  bind(call.depends_on, {shape.start, Why::DependsOn});
  bind(call.repetition, {shape.start, Why::Repetition});
  for (const config::PassedProvider& passed : call.providers) {
    bind(passed.in_parent.key, {shape.start, Why::Provider});
  }
  diag::Diagnostics ignored;  // compile() reports them, with what the module called has
  for (const syntax::Attribute& attribute : call.config.just_attributes(ignored)) {
    CallShape::Argument& argument = shape.arguments[std::string(attribute.name)];
    argument.expr = attribute.expr;
    bind(attribute.expr, {argument.targets, Why::Body});
  }
}

// The target's own names are what is imported; only its keys refer to something.
void Shape::bind_import(const config::Import& import, std::vector<Target>& out) {
  for (const syntax::Expr* at = import.to; at != nullptr;) {
    if (const auto* index = syntax::as_if<syntax::IndexExpr>(*at)) {
      bind(index->key, {out, Why::Body});
      at = index->collection;
    } else if (const auto* relative = syntax::as_if<syntax::RelativeTraversalExpr>(*at)) {
      at = relative->source;
    } else {
      break;
    }
  }
  bind(import.for_each, {out, Why::Repetition});
  bind(import.id, {out, Why::Body});
  bind(import.identity, {out, Why::Body});
  if (import.provider) bind(import.provider->key, {out, Why::Provider});
}

void check_function_provider(const config::Module& module, const addrs::ProviderFunction& function,
                             diag::SourceRange place, diag::Diagnostics& diags) {
  if (module.required_providers.find(function.provider) != nullptr) return;
  diags.error("Unknown function provider")
      .detail(fmt::format("The module has no provider named {:?} in its required_providers, so its "
                          "functions cannot be called.",
                          function.provider))
      .at(place);
}

}  // namespace tofu::eval
