#include "eval/validate.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "config/variable_types.h"
#include "eval/conditions.h"
#include "eval/deprecated_uses.h"
#include "eval/expressions.h"
#include "eval/outputs.h"
#include "eval/repetition.h"
#include "eval/validation.h"
#include "eval/variables.h"
#include "value/marks.h"

namespace tofu::eval {

namespace {

using value::Marks;
using value::Type;
using value::Value;

// A provider may offer functions that it lists only once it is configured, so
// while validating any name might be one.
syntax::Function make_unlisted() {
  syntax::Function function;
  function.name = "unlisted";
  syntax::Parameter any{"arguments", Type::dynamic()};
  any.allow_null = any.allow_unknown = any.allow_dynamic = true;
  function.variadic = std::move(any);
  function.result_type = syntax::always(Type::dynamic());
  function.body = [](syntax::Arguments, Type) -> syntax::CallResult<Value> {
    return Value::unknown();
  };
  return function;
}

}  // namespace

bool is_definitely_set(const Value& v) {
  const Value plain = v.unmarked();
  return plain.is_unknown() ? plain.unmarked().refinements().not_null : !plain.is_null();
}

Validation::Validation(const Program& program, const functions::Table& functions,
                       const RunInfo& facts, DeprecationLevel deprecation, diag::Diagnostics& diags)
    : program_(program),
      diags_(diags),
      deprecations_(*program.tree, deprecation),
      marked_(program, *this, deprecations_),
      evaluation_{program, *this, functions, facts, deprecations_},
      failed_(program.objects.size()),
      used_(program.objects.size()),
      kept_(program.objects.size()),
      calls_(program.modules.size()) {
  if (deprecation != DeprecationLevel::None) marked_.find_parts(deprecations_);
  if (deprecations_.has_sources()) evaluation_.marked = &marked_;
}

const syntax::Function* Validation::provider_function(std::optional<ObjectId>,
                                                      const addrs::ProviderFunction&,
                                                      const syntax::Function* listed) const {
  static const syntax::Function kUnlisted = make_unlisted();
  return listed != nullptr ? listed : &kUnlisted;
}

Value Validation::of(ModuleInstanceId, ObjectId id) const {
  const Object& object = program_.object(id);
  if (const auto* variable = std::get_if<const config::Variable*>(&object.declaration)) {
    return unknown_value(**variable);
  }
  if (const auto* resource = std::get_if<const config::Resource*>(&object.declaration)) {
    return resource_value(**resource, program_.row(id).block());
  }
  return kept_[id.index].value_or(Value::unknown());
}

Value Validation::resource_value(const config::Resource& resource,
                                 const schema::Block* schema) const {
  if (schema == nullptr) return Value::unknown();
  const config::Repetition& repetition = resource.repetition;
  if (repetition.count != nullptr || repetition.for_each != nullptr) {
    return schema->ephemeral ? Value::unknown().with_marks(Marks::ephemeral()) : Value::unknown();
  }
  if (repetition.enabled != nullptr) return Value::unknown(schema->implied_type());
  const auto [known, is_new] = unknowns_.try_emplace(schema);
  if (is_new) known->second = schema::unknown_value(*schema);
  return known->second;
}

// An output may be anything, whatever a module makes of unknown variables.
std::optional<Value> Validation::of_output(ModuleInstanceId, ObjectId output,
                                           const Value* key) const {
  const config::ModuleCall* call = program_.node(program_.object(output).module).call;
  const bool repeated = call->repetition.count != nullptr || call->repetition.for_each != nullptr;
  if (repeated != (key != nullptr)) return std::nullopt;
  return Value::unknown();
}

Value Validation::of_call(ModuleInstanceId, config::ModuleId called) const {
  std::optional<Value>& kept = calls_[called.index];
  if (kept) return *kept;
  const config::TreeNode& node = program_.node(called);
  std::vector<value::ObjectAttribute> outputs;
  for (const config::Output& output : node.module->outputs) {
    outputs.push_back({output.name, Type::dynamic()});
  }
  Type type = Type::object(std::move(outputs));
  if (node.call->repetition.count != nullptr) type = Type::list(type);
  if (node.call->repetition.for_each != nullptr) type = Type::map(type);
  kept = Value::unknown(type);
  return *kept;
}

void Validation::find_used_providers() {
  for (const std::uint32_t target : program_.waits.edges) {
    if (program_.objects[target].kind == ObjectKind::Provider) used_[target] = true;
  }
}

bool Validation::has_failed_waits(std::uint32_t object) const {
  return std::ranges::any_of(program_.waits.of(object),
                             [&](std::uint32_t target) { return failed_[target]; });
}

void Validation::run(const OnBlock& on_block) {
  on_block_ = on_block;
  find_used_providers();
  for (const std::uint32_t object : program_.order) {
    if (has_failed_waits(object)) {
      failed_[object] = true;
      continue;
    }
    const std::size_t errors = diags_.error_count();
    const std::size_t from = diags_.size();
    visit(object);
    failed_[object] = diags_.error_count() != errors;
    if (diags_.size() == from) continue;
    const config::TreeNode& node = program_.node(program_.objects[object].module);
    node.module->name_blocks(diags_.items_from(from));
    if (node.parent) program_.node(*node.parent).module->name_blocks(diags_.items_from(from));
  }
}

void Validation::run_without_warnings_of_root() {
  deprecations_.silence_root(true);
  run();
  deprecations_.silence_root(false);
}

void Validation::warn_of_uses(const syntax::Expr& expr, diag::Diagnostics& diags) const {
  (void)warn_of_deprecated(expr, names_in({0}), Until::Used, diags);
}

void Validation::visit(std::uint32_t at) {
  const Object& object = program_.objects[at];
  switch (object.kind) {
    case ObjectKind::ModuleStart: return module_start(object);
    case ObjectKind::Argument: return argument(object, at);
    case ObjectKind::Variable: return variable(object);
    case ObjectKind::Local: return local(object, at);
    case ObjectKind::Output: return output(object, at);
    case ObjectKind::Resource: return resource(object, at);
    case ObjectKind::Provider:
      if (used_[at]) provider(object, at);
      return;
    case ObjectKind::Check: return check(object);
    case ObjectKind::Import:  // looked at with its resource
    case ObjectKind::ModuleEnd: return;
  }
}

void Validation::module_start(const Object& object) {
  const config::TreeNode& node = program_.node(object.module);
  if (node.call == nullptr) return;
  const ModuleScope names = names_in(*node.parent);
  const config::Repetition& repetition = node.call->repetition;
  if (repetition.count != nullptr) {
    (void)evaluate_count(*repetition.count, names, diags_);
  } else if (repetition.for_each != nullptr) {
    (void)evaluate_for_each(*repetition.for_each, names, Tuples::Refused, diags_);
  } else if (repetition.enabled != nullptr) {
    (void)warn_of_deprecated(*repetition.enabled, names, Until::Used, diags_);
  }
  check_depends_on(node.call->depends_on, names, diags_);
}

void Validation::argument(const Object& object, std::uint32_t at) {
  const config::Variable& variable = *std::get<const config::Variable*>(object.declaration);
  const config::TreeNode& node = program_.node(object.module);
  if (node.call == nullptr) {
    kept_[at] = unknown_value(variable).unmarked();
    return;
  }
  std::optional<Value> given;
  diag::SourceRange place = variable.range;
  if (object.argument != nullptr) {
    InstanceScope instance_scope{*node.parent};
    instance_scope.count_index = some_count_index();
    instance_scope.each_key = some_each_key();
    instance_scope.each_value = Value::unknown();
    const ModuleScope names(evaluation_, std::move(instance_scope));
    given = evaluate(*object.argument, names, diags_);
    const ModuleRows& rows = program_.modules[object.module.index];
    marked_.keep({rows.first.index + rows.shape->row_of(&variable)},
                 warn_of_deprecated(*object.argument, names, Until::Used, diags_));
    place = object.argument->range;
  } else {
    given = variable.default_value;
  }
  if (!given) return;  // reported, here or by compile()
  // A default that takes the place of null is not what the call gave.
  const bool warns = variable.deprecated && object.argument && is_definitely_set(*given);
  kept_[at] = settle_argument(variable, std::move(*given), node.path, place, diags_);
  if (!kept_[at] || object.argument == nullptr) return;
  if (warns) deprecations_.warn_of(variable, *node.parent, place, diags_);
  config::warn_of_dropped_attributes(*object.argument, variable.constraint.type, diags_);
}

void Validation::local(const Object& object, std::uint32_t at) {
  const config::Local& local = *std::get<const config::Local*>(object.declaration);
  if (local.expr == nullptr) return;
  const Bindings& bindings = program_.modules[object.module.index].shape->bindings();
  const std::size_t before = diags_.error_count();
  for (const syntax::Traversal* traversal : uses_of(*local.expr).variables) {
    const Binding* binding = bindings.find(*traversal);
    if (binding == nullptr || !binding->reference) continue;
    const auto* named = std::get_if<addrs::LocalValue>(&binding->reference->subject);
    if (named == nullptr || named->name != local.name) continue;
    diags_.error("Self-referencing local value")
        .detail(fmt::format("local.{} refers to itself.", local.name))
        .at(binding->reference->range)
        .within(local.expr->range);
  }
  if (diags_.error_count() != before) return;
  const ModuleScope names = names_in(object.module);
  kept_[at] = evaluate_to_pass_on(*local.expr, names, diags_);
  marked_.keep({at}, warn_of_deprecated(*local.expr, names, Until::Named, diags_));
}

void Validation::variable(const Object& object) {
  const config::Variable& variable = *std::get<const config::Variable*>(object.declaration);
  const ModuleRows& rows = program_.modules[object.module.index];
  const std::uint32_t argument = rows.first.index + rows.shape->argument_row_of(&variable);
  const ModuleScope names(evaluation_,
                          scope_to_validate(variable, kept_[argument].value_or(Value::unknown()),
                                            InstanceScope(object.module)));
  (void)evaluate_validations(variable, object.argument, names, UnknownMessage::Waits, diags_);
}

void Validation::output(const Object& object, std::uint32_t at) {
  const config::Output& output = *std::get<const config::Output*>(object.declaration);
  const ModuleScope names = names_in(object.module);
  const OutputResult result = evaluate_output(output, names, diag::Severity::Error, diags_);
  if (!result.value) return;
  marked_.keep({at}, warn_of_deprecated(*output.expr, names, Until::Used, diags_));
}

void Validation::provider(const Object& object, std::uint32_t at) {
  const auto& provider = *std::get<const config::ProviderConfig*>(object.declaration);
  const config::TreeNode& node = program_.node(object.module);
  const auto& body = program_.row({at}).body;
  // Many providers find their settings elsewhere, so one without any is not looked at.
  if (!body || provider.is_given || config::is_empty(provider)) return;
  const auto check = [&](const ModuleScope& names) {
    const std::size_t before = diags_.error_count();
    const auto v = evaluate_block(*body, names, diags_);
    if (!v) return;
    check_ephemeral(*v, body->layout().block(), provider.config, provider.key(), diags_);
    if (diags_.error_count() != before) return;
    tell({{at},
          node.module->provider_for(provider.name),
          addrs::ResourceMode::Managed,
          {},
          *v,
          &provider.config,
          program_.provider_address({at}).to_string(),
          node.module.get()});
  };
  if (provider.for_each == nullptr) return check(names_in(object.module));
  const auto instances = node.provider_instances.find(provider.key());
  if (instances == node.provider_instances.end()) return;
  for (const auto& [key, each_value] : instances->second) {
    InstanceScope instance_scope{object.module};
    instance_scope.each_key = Value::string(key);
    instance_scope.each_value = each_value;
    check(ModuleScope(evaluation_, std::move(instance_scope)));
  }
}

void Validation::tell(ConfiguredBlock block) const {
  if (!on_block_) return;
  block.config = block.config.deep_unmarked();
  on_block_(std::move(block));
}

void Validation::check(const Object& object) {
  const config::Check& check = *std::get<const config::Check*>(object.declaration);
  InstanceScope instance_scope{object.module};
  instance_scope.check = &check;
  const ModuleScope names(evaluation_, std::move(instance_scope));
  for (const syntax::Condition& rule : check.asserts) check_rule(rule, names, diags_);
}

Deprecations validate(const Program& program, const functions::Table& functions,
                      const RunInfo& facts, diag::Diagnostics& diags, DeprecationLevel deprecation,
                      const OnBlock& on_block) {
  Validation validation(program, functions, facts, deprecation, diags);
  validation.run(on_block);
  return validation.deprecations();
}

}  // namespace tofu::eval
