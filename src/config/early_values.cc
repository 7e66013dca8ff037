#include "config/early_values.h"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>
#include <utility>

#include "value/convert.h"

namespace tofu::config {

namespace {

using value::Value;

std::string asking_name(const ModuleCall& call, std::string_view argument) {
  return fmt::format("module.{}.{}", call.name, argument);
}

class CallSettler {
 public:
  CallSettler(StaticEvaluator& statics, const ModuleCall& call, diag::Diagnostics& diags)
      : statics_(statics), call_(call), diags_(diags) {}

  SettledCall settle();

 private:
  // Whether there is a version at all: one that is null was not given, one that is
  // wrong was.
  bool settle_version(std::optional<addrs::Constraints>& out);
  std::optional<addrs::ModuleSource> settle_source(bool has_version);

  StaticEvaluator& statics_;
  const ModuleCall& call_;
  diag::Diagnostics& diags_;
};

SettledCall CallSettler::settle() {
  SettledCall settled;
  settled.call = &call_;
  const bool has_version = settle_version(settled.version);
  settled.source = settle_source(has_version);
  return settled;
}

bool CallSettler::settle_version(std::optional<addrs::Constraints>& out) {
  if (call_.version == nullptr) return false;
  const auto v = statics_.evaluate_plain(*call_.version, asking_name(call_, "version"),
                                         call_.version_range, diags_);
  if (!v) return true;
  if (v->is_null()) return false;
  const auto text = value::convert(*v, value::Type::string());
  if (!text) {
    diags_.error("Invalid version constraint")
        .detail("The version constraint must be a string such as \">= 1.2.0\".")
        .at(call_.version->range);
    return true;
  }
  auto constraints = addrs::Constraints::parse(text->plain().as_string());
  if (!constraints) {
    diags_.error("Invalid version constraint")
        .detail(fmt::format("{}. Write a constraint such as \">= 1.2.0, < 2.0.0\".",
                            constraints.error().what))
        .at(call_.version->range);
    return true;
  }
  out = std::move(*constraints);
  return true;
}

std::optional<addrs::ModuleSource> CallSettler::settle_source(bool has_version) {
  if (call_.source == nullptr) return std::nullopt;  // reported when it was declared
  const auto v = statics_.evaluate_plain(*call_.source, asking_name(call_, "source"),
                                         call_.source->range, diags_);
  if (!v) return std::nullopt;
  const auto text = value::convert(*v, value::Type::string());
  const auto refuse = [&](std::string detail) {
    diags_.error("Invalid module source address").detail(std::move(detail)).at(call_.source->range);
    return std::nullopt;
  };
  if (!text || text->is_null()) return refuse("The module source must be a string.");
  if (has_version) {
    auto versioned = addrs::parse_versioned_source(text->plain().as_string());
    if (versioned) return std::move(*versioned);
    return refuse(fmt::format("{}.", versioned.error().what));
  }
  auto source = addrs::parse_module_source(text->plain().as_string());
  if (source) return std::move(*source);
  return refuse(fmt::format("{}. A local path must begin with ./ or ../.", source.error().what));
}

// The for_each of a provider configuration. Each thing wrong with the value is an
// error of its own, as in OpenTofu.
class InstanceSettler {
 public:
  InstanceSettler(const syntax::Expr& expr, diag::Diagnostics& diags)
      : expr_(expr), diags_(diags) {}

  std::map<std::string, Value> settle(const Value& given);

 private:
  void check(const Value& given);
  void check_type(const Value& plain);
  void refuse(std::string detail) {
    diags_.error("Invalid for_each argument").detail(std::move(detail)).at(expr_.range);
  }

  const syntax::Expr& expr_;
  diag::Diagnostics& diags_;
};

void InstanceSettler::check_type(const Value& plain) {
  const value::Type type = plain.type();
  switch (type.kind()) {
    case value::TypeKind::Map:
    case value::TypeKind::Object:
    case value::TypeKind::Dynamic: return;
    case value::TypeKind::Set: break;
    case value::TypeKind::Bool:
    case value::TypeKind::Number:
    case value::TypeKind::String:
    case value::TypeKind::List:
    case value::TypeKind::Tuple:
    case value::TypeKind::Capsule:
      return refuse(fmt::format("The value must be a map or a set of strings, but this is {}.",
                                value::friendly_name(type)));
  }
  const value::Type element = type.element();
  if (!(element == value::Type::string()) && element.kind() != value::TypeKind::Dynamic) {
    return refuse(fmt::format("The elements of the set must be strings, but these are {}.",
                              value::friendly_name(element)));
  }
  if (plain.is_null() || !plain.wholly_known()) return;
  if (std::ranges::any_of(plain.plain().items(),
                          [](const Value& each) { return each.is_null(); })) {
    refuse("The set contains null. Every element must be a string.");
  }
}

void InstanceSettler::check(const Value& given) {
  const auto plain = given.deep_unmarked();
  check_type(plain);
  const bool is_set = plain.type().kind() == value::TypeKind::Set;
  if (!plain.is_known() || (is_set && !plain.wholly_known())) {
    refuse("The provider instances must be known before planning.");
  }
  if (plain.is_known() && plain.is_null())
    refuse("The value is null. Use an empty map or set for no instances.");
  const value::Marks marks = is_set ? given.deep_marks() : given.marks();
  if (marks.is_sensitive())
    refuse(
        "The value is sensitive. Instance keys are shown in output, so they cannot be sensitive.");
  if (marks.is_ephemeral())
    refuse(
        "The value is ephemeral. Instance keys are stored in the state, so they cannot be "
        "ephemeral.");
}

std::map<std::string, Value> InstanceSettler::settle(const Value& given) {
  std::map<std::string, Value> instances;
  const std::size_t errors_before = diags_.error_count();
  check(given);
  if (diags_.error_count() != errors_before) return instances;
  value::for_each_element(given.unmarked(), [&](const Value& key, const Value& v) {
    instances.emplace(key.plain().as_string(), v);
  });
  return instances;
}

}  // namespace

std::vector<SettledCall> settle_calls(StaticEvaluator& statics, const NeedsLeftOut& needs_left_out,
                                      diag::Diagnostics& diags) {
  std::vector<const ModuleCall*> calls;
  for (const ModuleCall& call : statics.module().module_calls) calls.push_back(&call);
  std::ranges::sort(calls, {}, &ModuleCall::name);
  std::vector<SettledCall> settled;
  settled.reserve(calls.size());
  for (const ModuleCall* call : calls) {
    if (needs_left_out(call->source) || needs_left_out(call->version)) {
      settled.push_back({.call = call, .source = std::nullopt, .version = std::nullopt});
    } else {
      settled.push_back(CallSettler(statics, *call, diags).settle());
    }
  }
  return settled;
}

std::map<std::string, Value> settle_instances(const syntax::Expr& for_each, const Value& given,
                                              diag::Diagnostics& diags) {
  return InstanceSettler(for_each, diags).settle(given);
}

ProviderInstances settle_provider_instances(StaticEvaluator& statics,
                                            const NeedsLeftOut& needs_left_out,
                                            diag::Diagnostics& diags) {
  ProviderInstances all;
  for (const ProviderConfig& config : statics.module().provider_configs) {
    if (config.for_each == nullptr || needs_left_out(config.for_each)) continue;
    // Errors of evaluation do not hide those of the type, which is checked too.
    const auto v = statics.evaluate_despite_errors(
        *config.for_each, fmt::format("provider.{}.for_each", config.key()), config.for_each->range,
        diags);
    if (v) all.emplace(config.key(), settle_instances(*config.for_each, *v, diags));
  }
  return all;
}

void check_constant_variables(StaticEvaluator& statics, const NeedsLeftOut& needs_left_out,
                              std::optional<diag::SourceRange> call, diag::Diagnostics& diags) {
  for (const Variable& variable : statics.module().variables) {
    if (variable.is_const != true || needs_left_out(variable)) continue;
    // Not the first of two declarations: that is an error already, and the last counts.
    if (statics.module().variables.find(variable.name) != &variable) continue;
    (void)statics.value_of(variable, call, diags);
  }
}

}  // namespace tofu::config
