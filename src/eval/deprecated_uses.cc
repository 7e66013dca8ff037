#include "eval/deprecated_uses.h"

#include <algorithm>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eval/deprecated_values.h"
#include "eval/shape.h"
#include "syntax/analysis.h"
#include "syntax/eval.h"
#include "value/marks.h"
#include "value/operations.h"

namespace tofu::eval {

namespace {

using syntax::TraversalStep;
using value::Deprecation;
using value::Marks;
using value::Value;

using Sources = std::set<std::string, std::less<>>;
using Steps = std::span<const TraversalStep>;

bool has_deprecations(const Value& v) {
  return v.contains_marks() && !v.deep_marks().deprecations().empty();
}

bool is_known_container(const Value& plain) {
  return !plain.is_null() && !plain.is_unknown() &&
         (plain.type().is_collection() || plain.type().is_structural());
}

// Whether one of the steps is the name of the output that a mark is about.
bool name_source(Steps steps, const Deprecation& mark) {
  const std::string_view output = std::string_view(mark.source).substr(mark.source.rfind('.') + 1);
  return std::ranges::any_of(steps, [&](const TraversalStep& step) {
    if (step.kind == syntax::StepKind::Attribute) return step.name == output;
    return step.key != nullptr && step.key->kind() == value::Kind::String &&
           step.key->plain().as_string() == output;
  });
}

Marks without(Marks marks, const Sources& reported) {
  Marks left = marks.without_deprecations();
  for (const Deprecation& mark : marks.deprecations()) {
    if (!reported.contains(mark.source)) left = left.with(Marks::deprecated(mark));
  }
  return left;
}

Value without_inside(const Value& v, Sources reported) {
  if (reported.empty() || !v.contains_marks()) return v;
  const auto change = [](void* context, const value::Path&,
                         const Value& each) -> value::PathResult<Value> {
    if (!each.is_marked()) return each;
    const auto& sources = *static_cast<const Sources*>(context);
    return each.unmarked().with_marks(without(each.marks(), sources));
  };
  auto changed = value::transform(v, change, &reported);
  return changed ? std::move(*changed) : v;
}

Value step_into(Value v, Steps steps);

// The value of `v[key]` with the steps after it. Which instance of a module an unknown key stands
// for does not matter, and the one instance that is there stands for all.
Value element(const Value& v, const Value& key, Steps after) {
  diag::Diagnostics ignored;
  if (key.is_known()) {
    if (auto one = syntax::index(v, key, {}, ignored)) return step_into(std::move(*one), after);
  }
  Value result = Value::unknown();
  const auto plain = v.unmarked();
  if (is_known_container(plain)) {
    bool is_first = true;
    value::for_each_element(plain, [&](const Value&, const Value& item) {
      const Value one = step_into(item, after);
      result = std::exchange(is_first, false) ? one : result.with_marks(one.marks());
    });
  }
  return result.with_marks(v.marks()).with_marks(key.marks());
}

Value step_into(Value v, Steps steps) {
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].kind == syntax::StepKind::Index) {
      return element(v, *steps[i].key, steps.subspan(i + 1));
    }
    diag::Diagnostics ignored;
    auto next = syntax::traverse(v, steps.subspan(i, 1), ignored);
    if (!next) return Value::unknown().with_marks(v.marks());
    v = std::move(*next);
  }
  return v;
}

// Names with marked values. Reports outputs where they are named, and takes the marks of those off.
// Evaluation reports errors: what has no value is unknown here.
class DeprecationScope final : public syntax::Scope {
 public:
  DeprecationScope(const ModuleScope& names, diag::Diagnostics& diags)
      : evaluation_{names.evaluation().program, *names.evaluation().marked,
                    names.evaluation().functions, names.evaluation().facts,
                    names.evaluation().deprecations},
        names_(evaluation_, marked_scope(names)),
        diags_(diags),
        is_silent_(evaluation_.deprecations.is_silent_in(names.instance_scope().module)) {}

  std::optional<Resolved> resolve(const syntax::Traversal& traversal,
                                  diag::Diagnostics&) const override {
    const Value v = named(value_of(traversal), traversal.steps, traversal.range);
    return Resolved{v, traversal.steps.size()};
  }
  std::optional<Resolved> resolve_element(const syntax::Traversal& traversal, const Value& key,
                                          Steps after) const override {
    const Value v = element(value_of(traversal), key, after);
    if (after.empty()) return Resolved{v, 0};
    return Resolved{named(v, after, diag::cover(traversal.range, after.back().range)),
                    after.size()};
  }
  const syntax::Function* function(std::string_view name) const override {
    return names_.function(name);
  }
  bool is_interrupted() const override { return names_.is_interrupted(); }
  const syntax::ImportedSymbols* symbols() const override { return names_.symbols(); }

  // Whether anything deprecated was in a value so far.
  bool met() const { return met_; }
  bool is_silent() const { return is_silent_; }

  void warn_of(const Deprecation& mark, diag::SourceRange place) const {
    evaluation_.deprecations.warn_of(mark, names_.instance_scope().module, place, diags_);
  }
  // Reports the marks of `v` itself that are about outputs named by the steps.
  Value named(const Value& v, Steps steps, diag::SourceRange place) const {
    if (!v.is_marked()) return v;
    Sources reported;
    report_named(v.marks(), steps, place, reported);
    return reported.empty() ? v : v.unmarked().with_marks(without(v.marks(), reported));
  }
  void report_named(Marks marks, Steps steps, diag::SourceRange place, Sources& reported) const {
    if (is_silent_) return;
    for (const Deprecation& mark : marks.deprecations()) {
      if (!name_source(steps, mark)) continue;
      warn_of(mark, place);
      reported.insert(mark.source);
    }
  }

 private:
  static InstanceScope marked_scope(const ModuleScope& names) {
    InstanceScope instance_scope = names.instance_scope();
    instance_scope.given = nullptr;  // the variable is asked for, as any other
    if (instance_scope.self != nullptr) {
      const ModuleRows& rows = names.evaluation().program.modules[instance_scope.module.index];
      const ObjectId resource{rows.first.index + rows.shape->row_of(instance_scope.self)};
      if (auto one = names.evaluation().marked->one_instance(resource)) {
        instance_scope.self_value = std::move(*one);
      }
    }
    return instance_scope;
  }

  Value value_of(const syntax::Traversal& traversal) const {
    diag::Diagnostics ignored;
    auto found = names_.resolve(traversal, ignored);
    if (!found) return Value::unknown();
    Value v = step_into(std::move(found->value), traversal.steps.subspan(found->steps_taken));
    met_ = met_ || has_deprecations(v);
    return v;
  }

  const Evaluation evaluation_;
  const ModuleScope names_;
  diag::Diagnostics& diags_;
  const bool is_silent_;
  mutable bool met_ = false;
};

Value evaluated(const syntax::Expr& expr, const DeprecationScope& watch) {
  diag::Diagnostics ignored;
  return syntax::evaluate_despite_errors(expr, &watch, ignored);
}

// The steps after each element of a splat.
Steps steps_after(const syntax::SplatExpr& splat) {
  const auto* local = syntax::as_if<syntax::LocalExpr>(*splat.each);
  return local != nullptr ? local->traversal.steps : Steps();
}

// Reports the outputs that parts of `expr` name and that are evaluated first. These parts
// are looked at each for itself, so those inside a `for` that has nothing to go through yet
// are not missed.
Sources report_accesses(const syntax::Expr& expr, const DeprecationScope& watch) {
  Sources reported;
  for (const syntax::Expr* part : syntax::accesses(expr)) {
    const Value v = evaluated(*part, watch);
    if (const auto* relative = syntax::as_if<syntax::RelativeTraversalExpr>(*part)) {
      watch.report_named(v.marks(), relative->steps, part->range, reported);
    } else if (const auto* splat = syntax::as_if<syntax::SplatExpr>(*part)) {
      watch.report_named(v.deep_marks(), steps_after(*splat), part->range, reported);
    }
  }
  return reported;
}

// The marks of what `expr` may come to, where the evaluator cannot tell yet: the arms of a
// condition that is unknown, the elements of a `for` over something unknown.
Marks possible_marks(const syntax::Expr& expr, const DeprecationScope& watch) {
  using syntax::as_if;
  if (const auto* parens = as_if<syntax::ParensExpr>(expr)) {
    return possible_marks(*parens->inner, watch);
  }
  Marks marks;
  if (const auto* either = as_if<syntax::ConditionalExpr>(expr)) {
    if (evaluated(*either->condition, watch).is_known()) return marks;
    for (const syntax::Expr* arm : {either->if_true, either->if_false}) {
      marks = marks.with(evaluated(*arm, watch).deep_marks()).with(possible_marks(*arm, watch));
    }
  } else if (const auto* loop = as_if<syntax::ForExpr>(expr)) {
    if (evaluated(*loop->collection, watch).is_known()) return marks;
    marks = evaluated(*loop->value, watch).deep_marks();
    marks = marks.with(possible_marks(*loop->value, watch));
  } else if (const auto* tuple = as_if<syntax::TupleExpr>(expr)) {
    for (const syntax::Expr* item : tuple->items) marks = marks.with(possible_marks(*item, watch));
  } else if (const auto* object = as_if<syntax::ObjectExpr>(expr)) {
    for (const syntax::ObjectItem& item : object->items) {
      marks = marks.with(possible_marks(*item.value, watch));
    }
  }
  return marks;
}

}  // namespace

std::optional<Value> warn_of_deprecated(const syntax::Expr& expr, const ModuleScope& names,
                                        Until until, diag::Diagnostics& diags) {
  if (names.evaluation().marked == nullptr) return std::nullopt;
  const DeprecationScope watch(names, diags);
  diag::Diagnostics ignored;
  // Also what is never evaluated, such as the second argument of try(), names outputs.
  for (const syntax::Traversal* traversal : syntax::variables(expr)) {
    (void)watch.resolve(*traversal, ignored);
  }
  if (!watch.met()) return std::nullopt;
  const Sources reported = report_accesses(expr, watch);
  const Value all = evaluated(expr, watch).with_marks(possible_marks(expr, watch));
  Value left = without_inside(all, reported);
  if (!has_deprecations(left)) return std::nullopt;
  if (until == Until::Used && !watch.is_silent()) {
    const Marks marks = left.deep_marks();
    for (const Deprecation& mark : marks.deprecations()) watch.warn_of(mark, expr.range);
    return std::nullopt;
  }
  return left;
}

}  // namespace tofu::eval
