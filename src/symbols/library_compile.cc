#include "symbols/library_compile.h"

#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/graph.h"
#include "base/overloaded.h"
#include "symbols/library_check.h"
#include "symbols/library_function.h"
#include "symbols/library_names.h"
#include "symbols/library_types.h"
#include "syntax/analysis.h"
#include "syntax/eval.h"
#include "syntax/type_expr.h"
#include "value/path.h"

namespace tofu::symbols {

namespace {

// The cost of a function call besides the expressions in it, measured in expressions: calls take
// more of the machine's stack.
constexpr int kCallDepth = 10;

// The depth of every function that is refused for it.
constexpr int kTooDeep = syntax::kMaxNesting + 1;

// Values, functions and types of a library have one numbering: first all values, then all
// functions, then all types.
using Number = std::uint32_t;

// The references of an expression with bound names.
struct Uses {
  std::vector<Number> needs;                // values, functions and types of this library
  std::vector<const LibraryLocal*> locals;  // of the function
  int depth = 0;                 // of the expression; what it uses of imported ones included
  bool calls_functions = false;  // of libraries, or rules of their types
  bool usable = true;
};

void note_depth(int depth, Uses& uses) {
  if (depth == kTooDeep) {
    uses.usable = false;
  } else {
    uses.depth = std::max(uses.depth, depth);
  }
}

class Compiler {
 public:
  Compiler(Library& library, const functions::Table& builtin, const diag::SourceMap& sources,
           LibraryCalls& calls, diag::Diagnostics& diags)
      : library_(library), builtin_(builtin), sources_(sources), calls_(calls), diags_(diags) {}

  void compile();

 private:
  void number_everything();
  void check_value(Number number, LibraryValue& value);
  void bind_function(Number number, LibraryFunction& function);
  void bind_signature(Number number, const LibraryFunction& function);
  void bind_rules(Number number, const std::vector<syntax::Condition>& rules,
                  const LibraryContext& context);
  void bind_type(Number number, const LibraryType& type);
  void check_locals(LibraryFunction& function, std::vector<Uses>& found);
  void order_locals(LibraryFunction& function, const Uses& result, const std::vector<Uses>& locals);
  Uses uses_of(const syntax::Expr& expr, const LibraryContext& context);
  void note_call(const BoundCall& call, Uses& uses) const;
  void note_types(const syntax::Expr& type, Uses& uses) const;
  void gather(Number number, const Uses& uses);
  void report_cycles(const base::Ordered& order);
  void settle_all(const std::vector<Number>& order);
  void settle_value(Number number);
  void settle_function(Number number);
  void settle_defaults(LibraryFunction& function);
  void settle_type(Number number);
  // How deep what `number` needs is nested, without its own expressions.
  int depth_below(Number number) const;
  // The depth with those, after it was reported if it is too deep.
  int settled_depth(Number number);
  void break_symbol(Number number);

  bool is_value(Number number) const { return number < values_.size(); }
  bool is_type(Number number) const { return number >= values_.size() + functions_.size(); }
  LibraryFunction& function_at(Number number) const { return *functions_[number - values_.size()]; }
  LibraryType& type_at(Number number) const {
    return *types_[number - values_.size() - functions_.size()];
  }
  std::string name_of(Number number) const;
  diag::SourceRange place_of(Number number) const;

  Library& library_;
  const functions::Table& builtin_;
  const diag::SourceMap& sources_;
  LibraryCalls& calls_;
  diag::Diagnostics& diags_;

  std::vector<LibraryValue*> values_;
  std::vector<LibraryFunction*> functions_;
  std::vector<LibraryType*> types_;
  std::unordered_map<const void*, Number> numbers_;
  std::vector<std::vector<Number>> needs_;
  std::vector<int> depths_;   // of the expressions of each
  std::vector<bool> broken_;  // reported; not to be evaluated
};

void Compiler::compile() {
  settle_types(library_, builtin_, sources_, diags_);
  number_everything();
  for (LibraryFunction* function : functions_) settle_signature(library_, *function, diags_);
  for (Number i = 0; i < needs_.size(); ++i) {
    if (is_value(i)) {
      check_value(i, *values_[i]);
    } else if (is_type(i)) {
      bind_type(i, type_at(i));
    } else {
      bind_function(i, function_at(i));
    }
  }
  const base::Ordered order = base::order(base::Waits::of_lists(needs_), base::Alone::Cycle);
  report_cycles(order);
  // All functions and types before any value: one that needs itself must be known as broken.
  for (auto i = static_cast<Number>(values_.size()); i < needs_.size(); ++i) {
    if (broken_[i]) break_symbol(i);
  }
  for (LibraryFunction* function : functions_) {
    function->callable = make_callable(library_, *function, builtin_, sources_, calls_);
  }
  settle_all(order.order);
}

void Compiler::number_everything() {
  for (LibraryValue& value : library_.values) {
    numbers_.emplace(&value, static_cast<Number>(values_.size()));
    values_.push_back(&value);
  }
  for (LibraryFunction& function : library_.functions) {
    numbers_.emplace(&function, static_cast<Number>(values_.size() + functions_.size()));
    functions_.push_back(&function);
  }
  for (LibraryType& type : library_.types) {
    numbers_.emplace(&type,
                     static_cast<Number>(values_.size() + functions_.size() + types_.size()));
    types_.push_back(&type);
  }
  const std::size_t count = values_.size() + functions_.size() + types_.size();
  needs_.resize(count);
  depths_.resize(count);
  broken_.resize(count);
}

void Compiler::note_call(const BoundCall& call, Uses& uses) const {
  if (call.of_library == nullptr) {
    if (call.builtin == nullptr) uses.usable = false;
    return;
  }
  uses.calls_functions = true;
  const auto own = numbers_.find(call.of_library);
  if (own != numbers_.end()) {
    uses.needs.push_back(own->second);
  } else {
    note_depth(call.of_library->depth, uses);
  }
}

// A value that becomes one of a type is checked by the rules of the type.
void Compiler::note_types(const syntax::Expr& type, Uses& uses) const {
  for (const LibraryType* used : types_in(library_, type)) {
    const auto own = numbers_.find(used);
    if (own != numbers_.end()) {
      if (used->size != 0) uses.needs.push_back(own->second);  // otherwise part of a cycle
    } else if (used->depth != 0) {
      uses.calls_functions = true;
      note_depth(used->depth, uses);
    }
  }
}

Uses Compiler::uses_of(const syntax::Expr& expr, const LibraryContext& context) {
  Uses uses;
  for (const syntax::Traversal* traversal : syntax::variables(expr)) {
    const auto bound = bind_name(*traversal, context, diags_);
    if (!bound) {
      uses.usable = false;
      continue;
    }
    std::visit(base::Overloaded{
                   [&](OwnValue own) { uses.needs.push_back(numbers_.at(own.value)); },
                   [&](const LibraryLocal* local) { uses.locals.push_back(local); },
                   [](const auto&) {},
               },
               bound->what);
  }
  for (const syntax::CallExpr* call : syntax::calls(expr)) {
    if (const auto bound = bind_call(*call, library_, builtin_, diags_)) {
      note_call(*bound, uses);
    } else {
      uses.usable = false;
    }
    if (const syntax::Expr* type = syntax::type_argument(*call)) note_types(*type, uses);
  }
  uses.depth += syntax::nesting(expr);
  return uses;
}

void Compiler::gather(Number number, const Uses& uses) {
  needs_[number].insert(needs_[number].end(), uses.needs.begin(), uses.needs.end());
  depths_[number] = std::max(depths_[number], uses.depth);
  if (!uses.usable) broken_[number] = true;
  const bool is_function = !is_value(number) && !is_type(number);
  if (uses.calls_functions && is_function) function_at(number).calls_others = true;
}

void Compiler::check_value(Number number, LibraryValue& value) {
  if (value.expr == nullptr) {
    broken_[number] = true;
  } else {
    gather(number, uses_of(*value.expr, {library_}));
  }
}

void Compiler::bind_rules(Number number, const std::vector<syntax::Condition>& rules,
                          const LibraryContext& context) {
  for (const syntax::Condition& rule : rules) {
    if (rule.condition != nullptr) gather(number, uses_of(*rule.condition, context));
    if (rule.error_message != nullptr) gather(number, uses_of(*rule.error_message, context));
    if (rule.condition == nullptr || rule.error_message == nullptr) broken_[number] = true;
  }
}

void Compiler::bind_type(Number number, const LibraryType& type) {
  bind_rules(number, type.validations, {library_, nullptr, LibraryPart::TypeRule});
  if (type.size == 0) {
    broken_[number] = true;
    return;
  }
  Uses uses;
  note_types(*type.expr, uses);
  gather(number, uses);
}

void Compiler::bind_signature(Number number, const LibraryFunction& function) {
  Uses uses;
  const auto note = [&](const syntax::Expr* type) {
    if (type != nullptr) note_types(*type, uses);
  };
  note(function.type_expr);
  for (const LibraryParameter& parameter : function.parameters) note(parameter.type_expr);
  if (function.variadic) note(function.variadic->type_expr);
  gather(number, uses);
}

void Compiler::bind_function(Number number, LibraryFunction& function) {
  const LibraryContext validation{library_, &function, LibraryPart::Validation};
  for (const LibraryParameter& parameter : function.parameters) {
    bind_rules(number, parameter.validations, validation);
    if (parameter.default_expr != nullptr) {
      gather(number, uses_of(*parameter.default_expr, {library_}));
    }
  }
  if (function.variadic) bind_rules(number, function.variadic->validations, validation);
  bind_signature(number, function);

  std::vector<Uses> locals;
  check_locals(function, locals);
  for (const Uses& uses : locals) gather(number, uses);
  if (function.result != nullptr) {
    const Uses result = uses_of(*function.result, {library_, &function, LibraryPart::Impl});
    gather(number, result);
    order_locals(function, result, locals);
  }
  if (function.broken) broken_[number] = true;
}

// A local's slot is its number in the file until order_locals() gives it its own.
void Compiler::check_locals(LibraryFunction& function, std::vector<Uses>& found) {
  for (LibraryLocal& local : function.locals) {
    local.slot = static_cast<std::uint32_t>(found.size());
    found.push_back(uses_of(*local.expr, {library_, &function, LibraryPart::Impl}));
  }
}

// A call computes only the locals that the result needs. They come first; the others
// are there to be checked.
void Compiler::order_locals(LibraryFunction& function, const Uses& result,
                            const std::vector<Uses>& locals) {
  std::vector<LibraryLocal*> all;
  for (LibraryLocal& local : function.locals) all.push_back(&local);
  std::vector<std::vector<std::uint32_t>> needs;
  const auto slots_of = [](const Uses& uses) {
    std::vector<std::uint32_t> slots;
    for (const LibraryLocal* local : uses.locals) slots.push_back(local->slot);
    return slots;
  };
  for (const Uses& uses : locals) needs.push_back(slots_of(uses));
  const base::Ordered order = base::order(base::Waits::of_lists(needs), base::Alone::Cycle);
  for (const auto& cycle : order.cycles) {
    std::string way;
    for (const std::uint32_t slot : cycle) way += fmt::format("local.{} uses ", all[slot]->name);
    diags_.error("Circular reference")
        .detail(fmt::format("local.{0} depends on itself: {1}local.{0}.", all[cycle[0]]->name, way))
        .at(all[cycle[0]]->range);
    function.broken = true;
  }
  std::vector<bool> needed(all.size(), false);
  std::vector<std::uint32_t> open = slots_of(result);
  while (!open.empty()) {
    const std::uint32_t slot = open.back();
    open.pop_back();
    if (needed[slot]) continue;
    needed[slot] = true;
    open.insert(open.end(), needs[slot].begin(), needs[slot].end());
  }
  for (const bool wanted : {true, false}) {
    for (const std::uint32_t old_slot : order.order) {
      if (needed[old_slot] != wanted) continue;
      all[old_slot]->slot = static_cast<std::uint32_t>(function.local_order.size());
      function.local_order.push_back(all[old_slot]);
    }
    if (wanted) function.needed_locals = function.local_order.size();
  }
}

std::string Compiler::name_of(Number number) const {
  if (is_value(number)) return "value." + values_[number]->name;
  return is_type(number) ? fmt::format("the type symbols::{}()", type_at(number).name)
                         : fmt::format("symbols::{}()", function_at(number).name);
}

diag::SourceRange Compiler::place_of(Number number) const {
  if (is_value(number)) return values_[number]->range;
  return is_type(number) ? type_at(number).range : function_at(number).range;
}

void Compiler::report_cycles(const base::Ordered& order) {
  for (const auto& cycle : order.cycles) {
    std::string way;
    for (const Number number : cycle) way += name_of(number) + " uses ";
    const std::string first = name_of(cycle[0]);
    diags_.error("Circular reference")
        .detail(fmt::format("{0} depends on itself: {1}{0}.", first, way))
        .at(place_of(cycle[0]));
  }
  for (const auto& tangle : order.tangles) {
    for (const Number number : tangle) broken_[number] = true;
  }
}

int Compiler::depth_below(Number number) const {
  int deepest = 0;
  for (const Number needed : needs_[number]) {
    if (is_value(needed)) continue;
    deepest =
        std::max(deepest, is_type(needed) ? type_at(needed).depth : function_at(needed).depth);
  }
  return deepest;
}

// How deep a call is nested has to be known before anybody calls: evaluation follows calls on the
// machine's stack.
int Compiler::settled_depth(Number number) {
  const int below = depth_below(number);
  const int depth = std::min(depths_[number] + below + kCallDepth, kTooDeep);
  if (depth == kTooDeep && below != kTooDeep) {  // otherwise reported where it began
    diags_.error("Function calls nested too deeply")
        .detail(fmt::format("The calls of {} are nested deeper than {} expressions.",
                            name_of(number), syntax::kMaxNesting))
        .at(place_of(number));
  }
  return depth;
}

void Compiler::break_symbol(Number number) {
  if (is_value(number)) return;
  (is_type(number) ? type_at(number).broken : function_at(number).broken) = true;
}

void Compiler::settle_all(const std::vector<Number>& order) {
  const LibraryCalls::Evaluation evaluation(calls_);
  bool exhausted = false;
  for (const Number number : order) {
    // Further calls after the limit would only repeat the error.
    if (exhausted) {
      break_symbol(number);
      continue;
    }
    const std::size_t errors = diags_.error_count();
    if (is_value(number)) {
      settle_value(number);
    } else if (is_type(number)) {
      settle_type(number);
    } else {
      settle_function(number);
    }
    exhausted = evaluation.is_exhausted();
    if (!exhausted || diags_.error_count() != errors) continue;
    diags_.error("Too many function calls")
        .detail(fmt::format("Of {}: {}.", name_of(number), LibraryCalls::too_many_calls()))
        .at(place_of(number));
    break_symbol(number);
  }
}

void Compiler::settle_function(Number number) {
  LibraryFunction& function = function_at(number);
  if (!function.broken) {
    function.depth = settled_depth(number);
    function.broken = function.depth == kTooDeep;
  }
  if (function.broken) return;
  const auto has_rules = [&](Number needed) {
    return is_type(needed) && type_at(needed).depth != 0;
  };
  if (std::ranges::any_of(needs_[number], has_rules)) function.calls_others = true;
  const std::size_t errors = diags_.error_count();
  settle_defaults(function);
  if (diags_.error_count() == errors) check_function(library_, function, builtin_, diags_);
  function.broken = diags_.error_count() != errors;
}

void Compiler::settle_defaults(LibraryFunction& function) {
  const LibraryScope scope(library_, builtin_);
  std::size_t position = 0;
  for (LibraryParameter& parameter : function.parameters) {
    const std::size_t index = position++;
    if (parameter.default_expr == nullptr) continue;
    auto computed = syntax::evaluate(*parameter.default_expr, &scope, diags_);
    if (!computed) continue;
    auto fit = syntax::fit(parameter.constraint, std::move(*computed));
    if (!fit) {
      diags_.error("Invalid default value for parameter")
          .detail(fmt::format("The default does not match the type of the parameter {:?}: {}.",
                              parameter.name, to_string(fit.error())))
          .at(parameter.default_expr->range);
      continue;
    }
    if (fit->is_null() && !parameter.allow_null) {
      diags_.error("Invalid default value for parameter")
          .detail(fmt::format("The default is null, but the parameter {:?} has allow_null = false.",
                              parameter.name))
          .at(parameter.default_expr->range);
      continue;
    }
    parameter.default_value = *fit;
    function.callable.parameters[index].default_value = std::move(*fit);
  }
}

// A type without rules of its own is as deep as the types that it is made of.
void Compiler::settle_type(Number number) {
  LibraryType& type = type_at(number);
  if (type.broken) return;
  if (type.validations.empty()) {
    type.depth = std::max(depths_[number], depth_below(number));
    return;
  }
  type.depth = settled_depth(number);
  type.broken = type.depth == kTooDeep;
  if (type.broken) return;
  const std::size_t errors = diags_.error_count();
  check_type(library_, type, builtin_, diags_);
  type.broken = diags_.error_count() != errors;
}

void Compiler::settle_value(Number number) {
  if (broken_[number]) return;
  LibraryValue& value = *values_[number];
  const LibraryScope scope(library_, builtin_);
  if (auto computed = syntax::evaluate(*value.expr, &scope, diags_)) {
    value.value = std::move(*computed);
  }
}

}  // namespace

void compile_library(Library& library, const functions::Table& builtin,
                     const diag::SourceMap& sources, LibraryCalls& calls,
                     diag::Diagnostics& diags) {
  const std::size_t before = diags.size();
  Compiler(library, builtin, sources, calls, diags).compile();
  library.name_blocks(diags.items_from(before));
}

}  // namespace tofu::symbols
