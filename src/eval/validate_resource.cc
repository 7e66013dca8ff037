#include <fmt/format.h>
#include <utility>
#include <vector>

#include "base/suggest.h"
#include "eval/conditions.h"
#include "eval/deprecated_uses.h"
#include "eval/expressions.h"
#include "eval/imports.h"
#include "eval/lifecycle.h"
#include "eval/repetition.h"
#include "eval/validation.h"
#include "schema/checks.h"
#include "schema/provisioners.h"
#include "value/convert.h"
#include "value/marks.h"

namespace tofu::eval {

namespace {

using value::Type;
using value::Value;

// Where the expressions of a resource stand: which instance this is about is not
// known.
InstanceScope instance_scope_in(config::ModuleId module, const config::Resource& resource) {
  InstanceScope instance_scope{module};
  if (resource.repetition.count != nullptr) {
    instance_scope.count_index = some_count_index();
  } else if (resource.repetition.for_each != nullptr) {
    instance_scope.each_key = some_each_key();
    instance_scope.each_value = Value::unknown();
  }
  return instance_scope;
}

// The suggestion for an unknown type.
std::string type_hint(const schema::ProviderSchema& provider, const config::Resource& resource) {
  for (const auto mode :
       {addrs::ResourceMode::Managed, addrs::ResourceMode::Data, addrs::ResourceMode::Ephemeral}) {
    if (mode == resource.mode || !find_resource_schema(provider, mode, resource.type)) continue;
    return fmt::format(" A {} block type of that name exists.", addrs::block_word(mode));
  }
  return base::did_you_mean(resource.type, provider.resources.names());
}

}  // namespace

void Validation::resource(const Object& object, std::uint32_t at) {
  const config::Resource& resource = *std::get<const config::Resource*>(object.declaration);
  const Row& row = program_.row({at});
  const std::size_t before = diags_.error_count();
  resource_block({at}, resource, row);
  resource_conditions(object, resource, row);
  check_prevent_destroy(resource, diags_);
  if (resource.prevent_destroy != nullptr) {
    const ModuleScope names = names_in(object.module);
    (void)warn_of_deprecated(*resource.prevent_destroy, names, Until::Used, diags_);
  }
  if (!provisioners(object, resource, row, before)) return;
  const auto [first, last] = program_.imports.equal_range({at});
  for (auto each = first; each != last; ++each) {
    import(*std::get<const config::Import*>(program_.object(each->second).declaration), object,
           resource);
  }
}

void Validation::resource_repetition(const config::Resource& resource, const ModuleScope& names) {
  const config::Repetition& repetition = resource.repetition;
  if (repetition.count != nullptr) {
    (void)evaluate_count(*repetition.count, names, diags_);
    return;
  }
  for (const syntax::Expr* expr : {repetition.for_each, repetition.enabled}) {
    if (expr != nullptr) (void)warn_of_deprecated(*expr, names, Until::Used, diags_);
  }
  if (repetition.for_each == nullptr) return;
  // Planning checks unknown values again and reports their errors.
  diag::Diagnostics problems;
  const ForEach each = evaluate_for_each(*repetition.for_each, names, Tuples::Refused, problems);
  if (each.known) diags_.take(std::move(problems));
}

void Validation::resource_block(ObjectId id, const config::Resource& resource, const Row& row) {
  const Object& object = program_.object(id);
  const config::TreeNode& node = program_.node(object.module);
  const ModuleScope outside = names_in(object.module);
  const std::size_t errors_before = diags_.error_count();
  resource_repetition(resource, outside);
  check_depends_on(resource.depends_on, outside, diags_);
  if (row.schema == nullptr) {
    const addrs::Provider provider = node.module->provider_for(resource.provider_name());
    const schema::ProviderSchema* offered = program_.schemas->find(provider.to_string());
    diags_.error("Invalid resource type")
        .detail(fmt::format("The provider {} has no {} type {:?}.{}", provider.for_display(),
                            addrs::block_word(resource.mode), resource.type,
                            offered ? type_hint(*offered, resource) : ""))
        .at(resource.type_range);
    return;
  }
  const ModuleScope names(evaluation_, instance_scope_in(object.module, resource));
  const auto config = evaluate_block(*row.body, names, diags_);
  if (!config) return;
  const auto address = [&] {
    return addrs::ConfigResource{node.path, resource.address()}.to_string();
  };
  const std::size_t before = diags_.error_count();
  if (config->contains_marks()) {
    check_ephemeral(*config, row.schema->block, resource.config, address(), diags_);
  }
  if (diags_.error_count() != before) return;
  if (resource.mode == addrs::ResourceMode::Managed) {
    check_ignore_changes(resource, row.schema->block, errors_before, diags_);
    check_replace_triggered_by(resource, names, *program_.modules[object.module.index].shape,
                               diags_);
  }
  const addrs::Provider provider = node.module->provider_for(resource.provider_name());
  if (provider.is_builtin()) {  // no other check is needed
    schema::check_builtin_resource(resource.type, config->deep_unmarked(), resource.config, diags_);
    return;
  }
  if (diags_.error_count() != errors_before) return;
  tell({id, provider, resource.mode, resource.type, *config, &resource.config, address(),
        node.module.get()});
}

// Where `self` is allowed, too. Which instance it stands for is not known either.
InstanceScope Validation::instance_scope_with_self(const Object& object,
                                                   const config::Resource& resource,
                                                   const Row& row) const {
  InstanceScope instance_scope = instance_scope_in(object.module, resource);
  instance_scope.self = &resource;
  instance_scope.self_value = resource_value(resource, row.block());
  return instance_scope;
}

void Validation::resource_conditions(const Object& object, const config::Resource& resource,
                                     const Row& row) {
  const ModuleScope names(evaluation_, instance_scope_in(object.module, resource));
  const auto check = [&](const syntax::Condition& rule, const ModuleScope& scope) {
    if (rule.condition != nullptr) (void)evaluate_for_diagnostics(*rule.condition, scope, diags_);
    if (rule.error_message != nullptr)
      (void)evaluate_for_diagnostics(*rule.error_message, scope, diags_);
  };
  for (const syntax::Condition& rule : resource.preconditions) check(rule, names);
  if (resource.postconditions.empty()) return;
  const ModuleScope with_self(evaluation_, instance_scope_with_self(object, resource, row));
  for (const syntax::Condition& rule : resource.postconditions) check(rule, with_self);
}

// False if the rest is not worth looking at.
bool Validation::provisioners(const Object& object, const config::Resource& resource,
                              const Row& row, std::size_t errors_before) {
  if (resource.provisioners.empty()) return true;
  const ModuleScope names(evaluation_, instance_scope_with_self(object, resource, row));
  for (std::size_t i = 0; i < resource.provisioners.size(); ++i) {
    if (!row.provisioners[i]) continue;  // check_provisioners() reported it
    provisioner(resource.provisioners[i], *row.provisioners[i], names);
    if (diags_.error_count() != errors_before) return false;
  }
  return true;
}

void Validation::provisioner(const config::Provisioner& provisioner,
                             const PreparedProvisioner& prepared, const ModuleScope& names) {
  const std::size_t before = diags_.error_count();
  const Value config = evaluate_block_anyway(prepared.config, names, diags_);
  schema::check_provisioner(provisioner.type, config.deep_unmarked(), diags_);
  if (!prepared.connection) return;
  const auto decoded = evaluate_block(*prepared.connection, names, diags_);
  if (!decoded || diags_.error_count() != before) return;
  const Value type = decoded->deep_unmarked().find("type")->unmarked();
  if (type.is_unknown() || type.is_null() || type.unmarked().as_string() != "winrm") return;
  // A type that is not null is written somewhere.
  const diag::SourceRange place = *prepared.connection->place_of("type");
  diags_.warning("WinRM connection type is deprecated")
      .detail(
          "Connections of type \"winrm\" will be removed in a future version. Current versions of "
          "Windows include an SSH server: use type \"ssh\".")
      .at(place);
}

void Validation::import(const config::Import& import, const Object& object,
                        const config::Resource& resource) {
  const std::size_t before = diags_.error_count();
  const ImportElements elements = evaluate_import_elements(import, names_in({0}), diags_);
  if (diags_.error_count() != before) return;
  const config::TreeNode& node = program_.node(object.module);
  const addrs::Provider provider = node.module->provider_for(resource.provider_name());
  const schema::ProviderSchema* offered = program_.schemas->find(provider.to_string());
  for (const InstanceScope& instance_scope : elements.standings) {
    const ModuleScope names(evaluation_, instance_scope);
    if (import.identity == nullptr) {
      (void)evaluate_import_id(import, names, diags_);
      continue;
    }
    const auto* schema =
        offered == nullptr ? nullptr : find_resource_schema(*offered, resource.mode, resource.type);
    const auto type =
        import_identity_type(schema, provider, resource.type, *import.identity, diags_);
    if (type) (void)evaluate_import_identity(import, *type, names, diags_);
  }
}

}  // namespace tofu::eval
