// The evaluator itself: one object per evaluation, one function per kind of
// expression, spread over eval_*.cc.
//
// Evaluation never stops at the first error. A part that failed stands for an
// unknown value, so that the parts beside it are still checked, and so that an
// operator may drop the errors of a side that does not matter. Therefore eval()
// always gives a value; whether there were errors is seen from `diags`.
//
// Private to this component; they call syntax/eval.h.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "diag/diagnostic.h"
#include "syntax/ast.h"
#include "syntax/eval.h"
#include "value/object_shape.h"
#include "value/size_limit.h"
#include "value/value.h"

namespace tofu::syntax {

inline bool definitely_not_null(const value::Plain& v) {
  return v.is_unknown() ? v.refinements().not_null : !v.is_null();
}

// Takes a value's own marks off and adds them to `marks`.
inline value::Plain strip_marks(value::Value v, value::Marks& marks) {
  if (v.is_marked()) marks = marks.with(v.marks());
  return std::move(v).unmarked();
}

// A string, number or bool as text, as conversion to string has it; nothing for
// anything else. Saves the hot paths of templates and keys a conversion.
bool append_text(std::string& out, const value::Value& v);
std::optional<value::Value> quick_string(const value::Value& v);

// Large: a function for each kind of expression, which call each other.
class Evaluator {
 public:
  explicit Evaluator(const Scope* scope) : scope_(scope) {}
  Evaluator(const Evaluator&) = delete;
  Evaluator& operator=(const Evaluator&) = delete;

  // A whole expression. Adds an error if it made too much, also if the error about that was
  // dropped.
  value::Value run(const Expr& expr, diag::Diagnostics& diags);
  // Reports it at `expr` if the system refuses more memory.
  value::Value eval_with_memory(const Expr& expr, diag::Diagnostics& diags);
  value::Value eval(const Expr& expr, diag::Diagnostics& diags);

  const Scope* scope() const { return scope_; }
  // The value bound to a LocalExpr's slot now; `any` unknown outside its binder.
  value::Value local(std::uint32_t slot) const;

  // Asks whether this evaluation may make so much more. If not, that is an error at `at`, and from
  // then on loops give unknown values at once.
  bool may_make(std::size_t elements, const Expr& at, diag::Diagnostics& diags) {
    if (elements > budget_.elements) return refuse_more(at, diags);
    budget_.elements -= elements;
    return true;
  }
  bool may_make_text(std::size_t bytes, const Expr& at, diag::Diagnostics& diags) {
    if (bytes > budget_.text) return refuse_more(at, diags);
    budget_.text -= bytes;
    return true;
  }

  // Counts `steps` of work and now and then asks the scope whether the user interrupted. If so,
  // that is an error at `at`, and from then on loops give unknown values at once.
  bool may_go_on(const Expr& at, diag::Diagnostics& diags, std::uint32_t steps = 1) {
    if (steps >= until_look_) return look_for_interrupt(at, diags);
    until_look_ -= steps;
    return true;
  }

  // Adds an error with the values of the references in `about` (none if null).
  diag::Diagnostics::Entry fault(diag::Diagnostics& diags, std::string summary, std::string detail,
                                 diag::SourceRange at, const Expr* about) const;

 private:
  // eval.cc
  value::Value variable(const VariableExpr& expr, diag::Diagnostics& diags);
  value::Value local_traversal(const LocalExpr& expr, diag::Diagnostics& diags);
  value::Value relative_traversal(const RelativeTraversalExpr& expr, diag::Diagnostics& diags);
  value::Value index_expr(const IndexExpr& expr, diag::Diagnostics& diags);
  // The value of `collection[key]` with the first `taken` steps of `after` applied. `taken` is set.
  value::Value element(const IndexExpr& expr, std::span<const TraversalStep> after,
                       std::size_t& taken, diag::Diagnostics& diags);
  value::Value json_string(const JsonStringExpr& expr, diag::Diagnostics& diags);
  void show_values_in(diag::Diagnostics& diags, std::size_t from, const Expr& about) const;
  void bind(std::uint32_t slot, value::Value v);
  bool may_make_result(const value::Value& result, const Expr& at, diag::Diagnostics& diags);
  [[gnu::cold]] bool refuse_more(const Expr& at, diag::Diagnostics& diags);
  [[gnu::noinline]] bool look_for_interrupt(const Expr& at, diag::Diagnostics& diags);
  // `made` by `at`, unless it is too large in all.
  value::Value checked(value::Value made, const Expr& at, diag::Diagnostics& diags);

  // eval_operator.cc
  value::Value binary(const BinaryExpr& top, diag::Diagnostics& diags);
  value::Value apply_binary(const BinaryExpr& expr, value::Value left, value::Value right,
                            std::size_t errors_before, diag::Diagnostics& diags);
  value::Value apply_logic(const BinaryExpr& expr, value::Value left, value::Value right,
                           diag::Diagnostics& left_diags, diag::Diagnostics& right_diags);
  value::Value compute(const BinaryExpr& expr, const value::Value& left, const value::Value& right,
                       diag::Diagnostics& diags);
  value::Value unary(const UnaryExpr& expr, diag::Diagnostics& diags);

  // eval_conditional.cc
  value::Value conditional(const ConditionalExpr& expr, diag::Diagnostics& diags);
  value::Value choose(const ConditionalExpr& expr, const Expr& arm, value::Value result,
                      value::Type type, diag::Diagnostics& diags);

  // eval_template.cc
  value::Value template_text(const TemplateExpr& expr, diag::Diagnostics& diags);
  value::Value template_join(const TemplateJoinExpr& expr, diag::Diagnostics& diags);

  // eval_object.cc
  value::Value tuple(const TupleExpr& expr, diag::Diagnostics& diags);
  value::Value object(const ObjectExpr& expr, diag::Diagnostics& diags);
  value::Value object_key(const ObjectKeyExpr& expr, diag::Diagnostics& diags);
  bool object_item(const ObjectItem& item, std::vector<value::Attr>& attributes,
                   value::Marks& marks, diag::Diagnostics& diags);
  value::Value json_object(const ObjectExpr& expr, diag::Diagnostics& diags);

  // eval_for.cc
  value::Value for_expr(const ForExpr& expr, diag::Diagnostics& diags);
  value::Value for_elements(const ForExpr& expr, const value::Value& collection, value::Marks marks,
                            diag::Diagnostics& diags);
  value::Value for_secret_elements(const ForExpr& expr, const value::Value& collection,
                                   value::Marks marks, diag::Diagnostics& diags);
  value::Value for_tuple(const ForExpr& expr, const value::Value& collection, value::Marks marks,
                         diag::Diagnostics& diags);
  value::Value for_object(const ForExpr& expr, const value::Value& collection, value::Marks marks,
                          diag::Diagnostics& diags);
  bool for_condition_makes_sense(const ForExpr& expr, value::Marks& marks,
                                 diag::Diagnostics& diags);
  enum class Include : std::uint8_t { Yes, No, NotTold };
  Include for_include(const ForExpr& expr, bool report, value::Marks& marks,
                      diag::Diagnostics& diags);
  std::optional<value::Value> for_key(const ForExpr& expr, bool report, value::Marks& marks,
                                      diag::Diagnostics& diags);

  // eval_splat.cc
  value::Value splat(const SplatExpr& expr, diag::Diagnostics& diags);
  value::Value splat_each(const SplatExpr& expr, const value::Value& source, bool may_be_absent,
                          diag::Diagnostics& diags);
  value::Value splat_unknown(const SplatExpr& expr, const value::Value& source,
                             diag::Diagnostics& diags);
  value::Type splat_type(const SplatExpr& expr, value::Type source, diag::Diagnostics& diags);

  // eval_call.cc
  value::Value call(const CallExpr& expr, diag::Diagnostics& diags);
  value::Value call_unknown(const CallExpr& expr, diag::Diagnostics& diags) const;
  value::Value call_eager(const CallExpr& expr, const Function& function,
                          std::span<const value::Value> expanded, diag::Diagnostics& diags);
  value::Value call_lazy(const CallExpr& expr, const Function& function,
                         std::span<const value::Value> expanded, diag::Diagnostics& diags);
  bool call_argument(const CallExpr& expr, const Function& function, std::size_t position,
                     value::Value& argument, diag::Diagnostics& diags) const;
  bool expand_argument(const CallExpr& expr, const Function& function,
                       std::vector<value::Value>& expanded, bool& unknown,
                       diag::Diagnostics& diags);
  bool right_number_of_arguments(const CallExpr& expr, const Function& function, std::size_t given,
                                 diag::Diagnostics& diags) const;
  void call_failed(const CallExpr& expr, const Function& function, CallError error,
                   std::size_t given, diag::Diagnostics& diags) const;

  void complete(diag::Diagnostic& problem, const CallExpr& expr, const Function& function) const;

  friend class LazyArguments;

  // An object constructor whose keys are all written out makes the same type
  // again and again inside a loop: the names are sorted once.
  // Nothing if a key has to be evaluated.
  static std::optional<value::ObjectShape> shape_of(const ObjectExpr& expr);
  value::Value object_of_shape(const ObjectExpr& expr, const value::ObjectShape& shape,
                               diag::Diagnostics& diags);

  // Binds names while it lives; inside one, expressions are evaluated many times.
  class Loop {
   public:
    explicit Loop(Evaluator& evaluator) : evaluator_(evaluator) { ++evaluator_.loops_; }
    ~Loop() { --evaluator_.loops_; }
    Loop(const Loop&) = delete;
    Loop& operator=(const Loop&) = delete;

   private:
    Evaluator& evaluator_;
  };

  const Scope* scope_;
  std::vector<value::Value> locals_;     // by slot
  std::vector<value::Value> arguments_;  // of the calls being prepared, innermost last
  std::unordered_map<const ObjectExpr*, std::optional<value::ObjectShape>> shapes_;
  int loops_ = 0;
  // The remaining size budget.
  struct Budget {
    std::size_t elements = value::kMaxAllElements;
    std::size_t text = value::kMaxAllText;
    const Expr* spent_at = nullptr;  // the expression that exceeded it, or was interrupted
  };
  Budget budget_;
  // An element of a loop is a step, a call as many as make it a fraction of a look.
  static constexpr std::uint32_t kStepsBetweenLooks = 1024;
  static constexpr std::uint32_t kStepsOfCall = 256;
  std::uint32_t until_look_ = kStepsBetweenLooks;
  bool interrupted_ = false;
  bool explains_ = false;  // whether names of loops are bound with the marks of their collections
};

// The name that `expr` is if it is a single bare word, also null, true and
// false; empty otherwise.
std::string_view bare_word(const Expr& expr);

}  // namespace tofu::syntax
