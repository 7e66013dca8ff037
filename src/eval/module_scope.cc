#include "eval/module_scope.h"

#include <fmt/format.h>
#include <utility>

#include "addrs/function_name.h"
#include "base/overloaded.h"
#include "eval/shape.h"
#include "value/marks.h"

namespace tofu::eval {

namespace {

using value::Value;

// How many steps after the root name the resource itself takes.
std::size_t resource_steps(const syntax::Traversal& traversal, addrs::ResourceMode mode) {
  const bool prefixed = mode != addrs::ResourceMode::Managed || traversal.root == "resource";
  return prefixed ? 2 : 1;
}

bool is_repeated(const config::Resource& resource) {
  return resource.repetition.count != nullptr || resource.repetition.for_each != nullptr;
}

// Whether a key names one instance for sure.
bool is_plain_key(const Value& key) {
  return key.kind() == value::Kind::String || key.kind() == value::Kind::Number;
}

}  // namespace

Value some_count_index() { return Value::unknown(value::Type::number()).refined_not_null(); }

Value some_each_key() { return Value::unknown(value::Type::string()).refined_not_null(); }

ModuleScope::ModuleScope(const Evaluation& evaluation, InstanceScope instance_scope)
    : evaluation_(evaluation),
      instance_scope_(std::move(instance_scope)),
      node_(evaluation.program.node(instance_scope_.module)),
      module_(*node_.module),
      rows_(evaluation.program.modules[instance_scope_.module.index]),
      names_(module_, {node_.path, node_.directory, evaluation.program.tree->root().directory},
             node_.symbols.get(), evaluation.facts, evaluation.functions) {}

const Binding& ModuleScope::binding(const syntax::Traversal& traversal,
                                    std::optional<Binding>& made) const {
  if (const Binding* found = rows_.shape->bindings().find(traversal)) return *found;
  rows_.shape->bindings().make(traversal, made);
  return *made;
}

Value ModuleScope::row_value(std::uint32_t row) const {
  return evaluation_.values.of(instance_scope_.instance, object(row));
}

void ModuleScope::report_unparsed(const syntax::Traversal& traversal,
                                  diag::Diagnostics& diags) const {
  std::optional<Binding> made;
  for (const diag::Diagnostic& problem : binding(traversal, made).problems) diags.add(problem);
}

void ModuleScope::check_whole(const syntax::Traversal& traversal, diag::Diagnostics& diags) const {
  std::optional<Binding> made;
  const Binding& bound = binding(traversal, made);
  if (!bound.reference || bound.reference->remaining.empty()) return;
  diags.error("Invalid depends_on reference")
      .detail(
          "depends_on can refer only to whole objects such as resources and modules, not to their "
          "attributes.")
      .at(diag::cover(bound.reference->remaining.front().range,
                      bound.reference->remaining.back().range));
}

void ModuleScope::check_function(const syntax::CallExpr& call, diag::Diagnostics& diags) const {
  const addrs::FunctionName name = addrs::parse_function_name(call.name);
  if (!name.is_in("provider")) return;
  const auto function = addrs::as_provider_function(name, call.name_range, diags);
  if (!function) return;
  const std::size_t before = diags.error_count();
  check_function_provider(module_, *function, call.name_range, diags);
  if (diags.error_count() != before) return;
  const addrs::Provider provider = module_.provider_for(function->provider);
  if (evaluation_.program.schemas->find(provider.to_string()) == nullptr) return;  // reported
  if (provider_function(call.name) != nullptr) return;
  diags.error("Function not found in provider")
      .detail(fmt::format("The provider {} has no function {:?}.", provider.for_display(),
                          function->function))
      .at(call.name_range);
}

void ModuleScope::check_static(const syntax::Traversal& traversal, diag::Diagnostics& diags) const {
  std::optional<Binding> made;
  const Binding& bound = binding(traversal, made);
  if (!bound.reference) return;
  const addrs::Reference& reference = *bound.reference;
  std::visit(
      base::Overloaded{
          [&](const addrs::Self&) { check_self(reference, diags); },
          [&](const addrs::Resource& a) { check_resource(a, false, reference, diags); },
          [&](const addrs::ResourceInstance& a) {
            check_resource(a.resource, !a.key.is_none(), reference, diags);
          },
          [&](const addrs::ModuleCall& a) { (void)names_.call(a.name, reference.range, diags); },
          [&](const addrs::ModuleCallInstance& a) {
            (void)names_.call(a.call.name, reference.range, diags);
          },
          [&](const addrs::ModuleCallOutput& a) {
            (void)names_.call(a.call.call.name, reference.range, diags);
          },
          [](const auto&) {},
      },
      reference.subject);
}

void ModuleScope::check_self(const addrs::Reference& reference, diag::Diagnostics& diags) const {
  if (instance_scope_.self == nullptr) {
    config::ModuleNames::refuse_self(reference.range, diags);
    return;
  }
  check_resource(instance_scope_.self->address(), is_repeated(*instance_scope_.self), reference,
                 diags);
}

// Whether the reference has a key exactly where the resource has instances.
void ModuleScope::check_key(const config::Resource& resource, bool has_key,
                            const addrs::Reference& reference, diag::Diagnostics& diags) const {
  const std::string name = resource.address().to_string();
  const bool counted = resource.repetition.count != nullptr;
  const bool repeated = counted || resource.repetition.for_each != nullptr;
  if (has_key && !repeated) {
    diags.error("Unexpected resource instance key")
        .detail(fmt::format("{} has neither \"count\" nor \"for_each\", so it has only one "
                            "instance. Remove the instance key in brackets.",
                            name))
        .at(reference.range);
  } else if (!has_key && repeated && !reference.remaining.empty()) {
    diags.error("Missing resource instance key")
        .detail(fmt::format("{0} has {1} set, so its attributes must be accessed on an instance. "
                            "For the instance that matches the current one, write {0}[{2}].",
                            name, counted ? "count" : "for_each",
                            counted ? "count.index" : "each.key"))
        .at(reference.range);
  }
}

void ModuleScope::check_resource(const addrs::Resource& address, bool has_key,
                                 const addrs::Reference& reference,
                                 diag::Diagnostics& diags) const {
  const config::Resource* resource = names_.resource(address, reference.range, diags);
  if (resource == nullptr) return;
  check_key(*resource, has_key, reference, diags);
  if (!resource->check.empty() &&
      (instance_scope_.check == nullptr || instance_scope_.check->name != resource->check)) {
    diags.error("Reference to scoped resource")
        .detail(fmt::format("{} is declared in a check block. Only assertions of the same check "
                            "block can refer to it.",
                            address.to_string()))
        .at(reference.range);
  }
  const schema::Block* schema = rows_.shape->rows()[rows_.shape->row_of(resource)].block();
  if (schema == nullptr) {
    diags.error("Invalid resource type")
        .detail(fmt::format("The provider {} has no {} type {:?}.",
                            module_.provider_for(resource->provider_name()).for_display(),
                            addrs::block_word(address.mode), address.type))
        .at(reference.range);
    return;
  }
  if (!reference.remaining.empty() && reference.remaining[0].name == "count") {
    diags.error("Invalid resource count attribute")
        .detail(fmt::format(
            "Resources have no attribute \"count\". For the number of instances, use length({}).",
            address.to_string()))
        .at(reference.range);
    return;
  }
  schema::check_traversal(*schema, reference.remaining, diags);
}

std::optional<syntax::Scope::Resolved> ModuleScope::resolve(const syntax::Traversal& traversal,
                                                            diag::Diagnostics& diags) const {
  std::optional<Binding> made;
  const Binding& bound = binding(traversal, made);
  if (!bound.reference) {
    for (const diag::Diagnostic& problem : bound.problems) diags.add(problem);
    return std::nullopt;
  }
  const addrs::Reference& reference = *bound.reference;
  const diag::SourceRange place = reference.range;
  const auto with = [](Answer answer, std::size_t steps) -> std::optional<Resolved> {
    if (!answer) return std::nullopt;
    return Resolved{std::move(*answer), steps};
  };
  const auto refuse = [&]() -> std::optional<Resolved> {
    config::ModuleNames::refuse(reference, diags);
    return std::nullopt;
  };
  return std::visit(
      base::Overloaded{
          [&](const addrs::Resource& a) { return resource(a, bound, traversal, diags); },
          [&](const addrs::ResourceInstance& a) {
            auto one = one_instance(a, bound, traversal);
            return one ? one : resource(a.resource, bound, traversal, diags);
          },
          [&](const addrs::InputVariable& a) { return with(variable(a, bound, diags), 1); },
          [&](const addrs::LocalValue& a) { return with(local(a, bound, diags), 1); },
          [&](const addrs::ModuleCall& a) { return with(call(a.name, place, diags), 1); },
          [&](const addrs::ModuleCallInstance& a) {
            return with(call(a.call.name, place, diags), 1);
          },
          [&](const addrs::ModuleCallOutput& a) {
            auto one = one_output(a, bound, traversal);
            return one ? one : with(call(a.call.call.name, place, diags), 1);
          },
          [&](const addrs::CountAttr& a) {
            return with(names_.count(a, instance_scope_.count_index, place, diags), 1);
          },
          [&](const addrs::EachAttr& a) {
            return with(
                names_.each(a, instance_scope_.each_key, instance_scope_.each_value, place, diags),
                1);
          },
          [&](const addrs::PathAttr& a) { return with(names_.path(a, place, diags), 1); },
          [&](const addrs::TerraformAttr& a) { return with(names_.terraform(a, place, diags), 1); },
          [&](const addrs::Self&) { return with(instance_scope_.self_value, 0); },
          [&](const addrs::FeatureBlock&) { return names_.symbol(reference, traversal, diags); },
          // Only test files can name these, and they have a scope of their own.
          [&](const addrs::OutputValue&) { return refuse(); },
          [&](const addrs::Check&) { return refuse(); },
          [&](const addrs::Run&) { return refuse(); },
      },
      reference.subject);
}

std::optional<syntax::Scope::Resolved> ModuleScope::one_instance(
    const addrs::ResourceInstance& address, const Binding& bound,
    const syntax::Traversal& traversal) const {
  if (bound.target.of != Target::Of::Row || address.key.is_none()) return std::nullopt;
  const std::size_t taken = resource_steps(traversal, address.resource.mode);
  auto one = evaluation_.values.of_instance(instance_scope_.instance, object(bound.target.row),
                                            *traversal.steps[taken].key);
  if (!one) return std::nullopt;
  return Resolved{std::move(*one), taken + 1};
}

std::optional<syntax::Scope::Resolved> ModuleScope::one_output(
    const addrs::ModuleCallOutput& address, const Binding& bound,
    const syntax::Traversal& traversal) const {
  if (bound.target.of != Target::Of::Output) return std::nullopt;
  const auto& output = rows_.outputs[bound.target.output_use];
  if (!output) return std::nullopt;
  const bool has_key = !address.call.key.is_none();
  auto one = evaluation_.values.of_output(instance_scope_.instance, *output,
                                          has_key ? traversal.steps[1].key : nullptr);
  if (!one) return std::nullopt;
  return Resolved{std::move(*one), has_key ? 3U : 2U};
}

// `x.y[key]` and `module.m[key].out` with a key that had to be evaluated.
std::optional<syntax::Scope::Resolved> ModuleScope::resolve_element(
    const syntax::Traversal& traversal, const Value& key,
    std::span<const syntax::TraversalStep> after) const {
  const Binding* bound = rows_.shape->bindings().find(traversal);
  if (bound == nullptr || !bound->reference || !is_plain_key(key)) return std::nullopt;
  if (!bound->reference->remaining.empty()) return std::nullopt;
  if (std::holds_alternative<addrs::Resource>(bound->reference->subject)) {
    if (bound->target.of != Target::Of::Row) return std::nullopt;
    auto one =
        evaluation_.values.of_instance(instance_scope_.instance, object(bound->target.row), key);
    if (!one) return std::nullopt;
    return Resolved{std::move(*one), 0};
  }
  const auto* call = std::get_if<addrs::ModuleCall>(&bound->reference->subject);
  if (call == nullptr || after.empty() || after[0].kind != syntax::StepKind::Attribute) {
    return std::nullopt;
  }
  const auto child = node_.children.find(call->name);
  if (child == node_.children.end()) return std::nullopt;
  const ModuleRows& called = evaluation_.program.modules[child->second.index];
  const config::Output* output = called.shape->module().outputs.find(after[0].name);
  if (output == nullptr) return std::nullopt;
  auto one = evaluation_.values.of_output(
      instance_scope_.instance, {called.first.index + called.shape->row_of(output)}, &key);
  if (!one) return std::nullopt;
  return Resolved{std::move(*one), 1};
}

std::optional<syntax::Scope::Resolved> ModuleScope::resource(const addrs::Resource& address,
                                                             const Binding& bound,
                                                             const syntax::Traversal& traversal,
                                                             diag::Diagnostics& diags) const {
  if (bound.target.of != Target::Of::Row) {
    (void)names_.resource(address, bound.reference->range, diags);
    return std::nullopt;
  }
  Value all = row_value(bound.target.row);
  const std::size_t taken = resource_steps(traversal, address.mode);
  if (taken == traversal.steps.size() || !all.is_unknown()) return Resolved{std::move(all), taken};
  // An unknown object says nothing of its attributes, but the schema may.
  const syntax::TraversalStep& next = traversal.steps[taken];
  const Row& row = rows_.shape->rows()[bound.target.row];
  const schema::Attribute* attribute =
      row.schema ? row.schema->block.attribute(next.name) : nullptr;
  if (attribute == nullptr || !attribute->never_null || all.type() != row.body->layout().type()) {
    return Resolved{std::move(all), taken};
  }
  return Resolved{Value::unknown(attribute->type).refined_not_null().with_marks(all.marks()),
                  taken + 1};
}

ModuleScope::Answer ModuleScope::variable(const addrs::InputVariable& address, const Binding& bound,
                                          diag::Diagnostics& diags) const {
  if (bound.target.of == Target::Of::Row) {
    if (instance_scope_.given != nullptr && instance_scope_.given->name == address.name) {
      return instance_scope_.given_value;
    }
    return row_value(bound.target.row);
  }
  (void)names_.variable(address.name, bound.reference->range, diags);
  return std::nullopt;
}

ModuleScope::Answer ModuleScope::local(const addrs::LocalValue& address, const Binding& bound,
                                       diag::Diagnostics& diags) const {
  if (bound.target.of == Target::Of::Row) return row_value(bound.target.row);
  (void)names_.local(address.name, bound.reference->range, diags);
  return std::nullopt;
}

ModuleScope::Answer ModuleScope::call(const std::string& name, diag::SourceRange place,
                                      diag::Diagnostics& diags) const {
  const auto child = node_.children.find(name);
  if (child != node_.children.end())
    return evaluation_.values.of_call(instance_scope_.instance, child->second);
  (void)names_.call(name, place, diags);
  return std::nullopt;
}

const syntax::Function* ModuleScope::provider_function(std::string_view name) const {
  std::optional<addrs::ProviderFunction> parsed;
  std::optional<ObjectId> config;
  const FunctionUse* use = rows_.shape->function_use(name);
  if (use != nullptr) {
    config = rows_.function_providers[use->provider];
  } else {
    diag::Diagnostics ignored;  // what is wrong with the name was reported before
    parsed = addrs::as_provider_function(addrs::parse_function_name(name), {}, ignored);
    if (!parsed) return nullptr;
  }
  const addrs::ProviderFunction& function = use != nullptr ? use->function : *parsed;
  const schema::ProviderSchema* schema =
      evaluation_.program.schemas->find(module_.provider_for(function.provider).to_string());
  if (schema == nullptr) return nullptr;
  const auto listed = schema->functions.find(function.function);
  return evaluation_.values.provider_function(
      config, function, listed == schema->functions.end() ? nullptr : &listed->second);
}

const syntax::Function* ModuleScope::function(std::string_view name) const {
  const addrs::FunctionName parsed = addrs::parse_function_name(name);
  if (parsed.is_in("provider")) return provider_function(name);
  return names_.function(name);
}

std::vector<std::string_view> ModuleScope::function_names() const {
  return names_.function_names();
}

}  // namespace tofu::eval
