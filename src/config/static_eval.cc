#include "config/static_eval.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "base/overloaded.h"
#include "base/suggest.h"
#include "syntax/analysis.h"
#include "value/convert.h"
#include "value/defaults.h"

namespace tofu::config {

namespace {

using value::Value;

std::string did_you_mean(std::string_view name, std::vector<std::string_view> known) {
  const std::string_view near = base::nearest_name(name, known);
  return near.empty() ? "" : fmt::format(" Did you mean {:?}?", near);
}

}  // namespace

// What names mean in a static expression. Made for one evaluation, so that it
// knows the chain of references that led to it.
class StaticEvaluator::Names final : public syntax::Scope {
 public:
  Names(const StaticEvaluator& evaluator, const Stack& stack)
      : evaluator_(evaluator), stack_(stack) {}

  std::optional<Resolved> resolve(const syntax::Traversal& traversal,
                                  diag::Diagnostics& diags) const override;
  const syntax::Function* function(std::string_view name) const override {
    if (name.starts_with("symbols::") && evaluator_.symbols_ != nullptr) {
      return evaluator_.symbols_->function(name);
    }
    return evaluator_.facts_.functions->find(name);
  }
  std::vector<std::string_view> function_names() const override {
    std::vector<std::string_view> names = evaluator_.facts_.functions->names();
    if (evaluator_.symbols_ != nullptr) {
      const auto more = evaluator_.symbols_->function_names();
      names.insert(names.end(), more.begin(), more.end());
    }
    return names;
  }

 private:
  std::optional<Value> path(const addrs::PathAttr& address, diag::SourceRange place,
                            diag::Diagnostics& diags) const;
  std::optional<Value> terraform(const addrs::TerraformAttr& address, diag::SourceRange place,
                                 diag::Diagnostics& diags) const;
  std::optional<Value> refuse(const addrs::Reference& reference, diag::Diagnostics& diags) const;

  const StaticEvaluator& evaluator_;
  const Stack& stack_;
};

std::optional<syntax::Scope::Resolved> StaticEvaluator::Names::resolve(
    const syntax::Traversal& traversal, diag::Diagnostics& diags) const {
  const auto reference = addrs::parse_reference(traversal, evaluator_.module_, diags);
  if (!reference) return std::nullopt;
  if (std::holds_alternative<addrs::FeatureBlock>(reference->subject) &&
      evaluator_.symbols_ != nullptr) {
    return evaluator_.symbols_->resolve(*reference, traversal, diags);
  }
  auto v = std::visit(
      base::Overloaded{
          [&](const addrs::LocalValue& a) {
            return evaluator_.local(a, reference->range, stack_, diags);
          },
          [&](const addrs::InputVariable& a) {
            return evaluator_.variable(a, reference->range, stack_, diags);
          },
          [&](const addrs::PathAttr& a) { return path(a, reference->range, diags); },
          [&](const addrs::TerraformAttr& a) { return terraform(a, reference->range, diags); },
          [&](const auto&) { return refuse(*reference, diags); },
      },
      reference->subject);
  if (!v) return std::nullopt;
  return Resolved{std::move(*v), traversal.steps.size() - reference->remaining.size()};
}

std::optional<Value> StaticEvaluator::Names::refuse(const addrs::Reference& reference,
                                                    diag::Diagnostics& diags) const {
  std::string chain;
  for (const Frame& frame : stack_) chain += (chain.empty() ? "" : " uses ") + frame.what;
  diags.error("Value not known early enough")
      .detail(
          fmt::format("{} is settled before anything is planned, so it cannot use {}. It may use "
                      "variables, locals, functions, symbol libraries, path.* and "
                      "terraform.workspace.",
                      chain, addrs::to_string(reference.subject)))
      .at(reference.range);
  return std::nullopt;
}

std::optional<Value> StaticEvaluator::Names::path(const addrs::PathAttr& address,
                                                  diag::SourceRange place,
                                                  diag::Diagnostics& diags) const {
  if (address.name == "module") return Value::string(evaluator_.directory_);
  if (address.name == "root") return Value::string(evaluator_.facts_.root_directory);
  if (address.name == "cwd") return Value::string(evaluator_.facts_.working_directory);
  diags.error("Invalid reference")
      .detail(fmt::format("There is no path.{}.{}", address.name,
                          did_you_mean(address.name, {"cwd", "module", "root"})))
      .at(place);
  return std::nullopt;
}

std::optional<Value> StaticEvaluator::Names::terraform(const addrs::TerraformAttr& address,
                                                       diag::SourceRange place,
                                                       diag::Diagnostics& diags) const {
  if (address.name == "workspace") return Value::string(evaluator_.facts_.workspace);
  diags.error("Invalid reference")
      .detail(
          address.name == "applying"
              ? fmt::format("{} means something only while planning and applying, and this is "
                            "settled before.",
                            address.to_string())
              : fmt::format("There is no {}. Only the attribute \"workspace\" can be used here.",
                            address.to_string()))
      .at(place);
  return std::nullopt;
}

std::string StaticEvaluator::full_name(std::string_view name) const {
  return path_.is_root() ? std::string(name) : fmt::format("{}:{}", path_.to_string(), name);
}

std::optional<Value> StaticEvaluator::evaluate_in(const syntax::Expr& expr, const Stack& stack,
                                                  diag::Diagnostics& diags) const {
  const Names names(*this, stack);
  // References first, all of them: even try() cannot get past a bad one.
  const std::size_t before = diags.error_count();
  for (const syntax::Traversal* traversal : syntax::variables(expr)) {
    (void)names.resolve(*traversal, diags);  // only its diagnostics matter here
  }
  if (diags.error_count() != before) return std::nullopt;
  return syntax::evaluate(expr, &names, diags);
}

std::optional<Value> StaticEvaluator::local(const addrs::LocalValue& address,
                                            diag::SourceRange place, const Stack& stack,
                                            diag::Diagnostics& diags) const {
  if (const auto known = locals_.find(address.name); known != locals_.end()) return known->second;
  const Local* declared = module_.locals.find(address.name);
  if (declared == nullptr) {
    diags.error("Reference to undeclared local value")
        .detail(fmt::format("There is no local value named {:?} in this module.", address.name))
        .at(place);
    return std::nullopt;
  }
  const std::string name = full_name(address.to_string());
  if (std::ranges::find(stack, name, &Frame::what) != stack.end()) {
    std::string chain;
    for (const Frame& frame : stack) chain += frame.what + " uses ";
    diags.error("Circular reference")
        .detail(fmt::format("{} depends on itself: {}{}.", name, chain, name))
        .at(declared->range);
    return std::nullopt;
  }
  Stack inner = stack;
  inner.push_back({name, declared->range});
  auto v = evaluate_in(*declared->expr, inner, diags);
  if (!v) {
    diags.error("Value not known early enough")
        .detail(fmt::format("{} needs {}, which cannot be evaluated.", stack.back().what, name))
        .at(stack.back().place);
    return std::nullopt;
  }
  locals_.emplace(address.name, *v);
  return v;
}

std::optional<Value> StaticEvaluator::variable(const addrs::InputVariable& address,
                                               std::optional<diag::SourceRange> place,
                                               const Stack& stack, diag::Diagnostics& diags) const {
  const Variable* declared = module_.variables.find(address.name);
  if (declared == nullptr) {
    diags.error("Reference to undeclared input variable")
        .detail(fmt::format("There is no variable named {:?} in this module. Declare it with a "
                            "variable block.",
                            address.name))
        .at(place);
    return std::nullopt;
  }
  if (declared->is_const == false) {
    diags.error("Variable cannot be used here")
        .detail(fmt::format("{} says const = false, so it cannot be used where a value is needed "
                            "before anything is planned.",
                            address.to_string()))
        .at(place);
    return std::nullopt;
  }
  auto given = given_(*declared, diags);
  if (given) {
    // A value of the wrong type is told without a place and without who needs it, as
    // OpenTofu has it.
    const bool is_null = given->unmarked().is_null();
    const auto at = is_null ? std::optional(declared->range) : std::nullopt;
    auto v = settle_variable(*declared, std::move(*given), at, diags);
    if (v || !is_null) return v;
  }
  diags.error("Value not known early enough")
      .detail(fmt::format("{} needs {}, which has no usable value.", stack.back().what,
                          full_name(address.to_string())))
      .at(stack.back().place);
  return std::nullopt;
}

bool StaticEvaluator::resolves(const syntax::Expr& expr) const {
  const Stack nobody{{"", expr.range}};
  const Names names(*this, nobody);
  diag::Diagnostics problems;
  for (const syntax::Traversal* traversal : syntax::variables(expr)) {
    if (!names.resolve(*traversal, problems)) return false;
  }
  return true;
}

std::optional<Value> StaticEvaluator::value_of(const Variable& declared,
                                               std::optional<diag::SourceRange> place,
                                               diag::Diagnostics& diags) const {
  const std::string asking = path_.is_root() ? "the root module" : path_.to_string();
  return variable({declared.name}, place, {{asking, place}}, diags);
}

std::optional<Value> StaticEvaluator::evaluate(const syntax::Expr& expr, std::string asking,
                                               diag::SourceRange place,
                                               diag::Diagnostics& diags) const {
  return evaluate_in(expr, {{full_name(asking), place}}, diags);
}

std::optional<Value> StaticEvaluator::evaluate_plain(const syntax::Expr& expr,
                                                     const std::string& asking,
                                                     diag::SourceRange place,
                                                     diag::Diagnostics& diags) const {
  auto v = evaluate(expr, asking, place, diags);
  if (!v) return std::nullopt;
  const value::Marks marks = v->deep_marks();
  const auto refuse = [&](std::string_view what) {
    diags.error(fmt::format("{} value not allowed", what))
        .detail(fmt::format("{} is recorded and shown, so it cannot be made from this value.",
                            full_name(asking)))
        .at(expr.range);
    return std::nullopt;
  };
  if (marks.is_sensitive()) return refuse("Sensitive");
  if (marks.is_ephemeral()) return refuse("Ephemeral");
  Value plain = v->deep_unmarked();
  if (!plain.wholly_known()) {
    diags.error("Unknown value not allowed")
        .detail(fmt::format("{} has to be known before anything is planned.", full_name(asking)))
        .at(expr.range);
    return std::nullopt;
  }
  return plain;
}

std::optional<Value> settle_variable(const Variable& variable, Value v,
                                     std::optional<diag::SourceRange> place,
                                     diag::Diagnostics& diags) {
  if (variable.constraint.defaults != nullptr && !v.unmarked().is_null()) {
    v = value::apply_defaults(*variable.constraint.defaults, v);
  }
  auto converted = value::convert(v, variable.constraint.type);
  if (!converted) {
    diags.error("Invalid value for input variable")
        .detail(fmt::format("The value given for var.{} does not fit its type: {}.", variable.name,
                            value::to_string(converted.error())))
        .at(place);
    return std::nullopt;
  }
  Value settled = std::move(*converted);
  if (!variable.is_nullable() && settled.unmarked().is_null()) {
    if (!variable.default_value) {
      diags.error("Required variable not set")
          .detail(fmt::format("var.{} may not be null and has no default.", variable.name))
          .at(place);
      return std::nullopt;
    }
    settled = *variable.default_value;
  }
  if (variable.is_sensitive()) settled = settled.with_marks(value::Marks::sensitive());
  if (variable.is_ephemeral()) settled = settled.with_marks(value::Marks::ephemeral());
  return settled;
}

}  // namespace tofu::config
