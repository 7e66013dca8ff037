#include "symbols/library_check.h"

#include <fmt/format.h>
#include <optional>
#include <utility>
#include <vector>

#include "symbols/library_names.h"
#include "syntax/eval.h"
#include "syntax/type_expr.h"
#include "value/convert.h"
#include "value/path.h"

namespace tofu::symbols {

namespace {

using value::Type;
using value::Value;

// The value of a parameter, as far as it is known without a call.
Value unknown_argument(const LibraryParameter& parameter) {
  const Value any = Value::unknown(parameter.constraint.type.without_optional_attributes());
  return parameter.allow_null ? any : any.refined_not_null();
}

// Arguments of different types make a tuple, so the type of their list is known only if
// they have one.
Value unknown_rest(const LibraryParameter& parameter) {
  const Type element = parameter.constraint.type.without_optional_attributes();
  return element.has_dynamic() ? Value::unknown()
                               : Value::unknown(Type::list(element)).refined_not_null();
}

class RuleCheck {
 public:
  RuleCheck(const syntax::Scope& scope, diag::Diagnostics& diags) : scope_(scope), diags_(diags) {}

  std::optional<Value> evaluate(const syntax::Expr& expr) const {
    return syntax::evaluate(expr, &scope_, diags_);
  }

  void check(const std::vector<syntax::Condition>& rules) const {
    for (const syntax::Condition& rule : rules) {
      check_condition(*rule.condition);
      check_message(*rule.error_message);
    }
  }

 private:
  // A condition that does not hold is no error: a function may refuse every call.
  void check_condition(const syntax::Expr& condition) const {
    const auto given = evaluate(condition);
    if (!given) return;
    const auto truth = value::convert(given->deep_unmarked(), Type::boolean());
    if (truth && !truth->is_null()) return;
    diags_.error("Invalid condition result")
        .detail(fmt::format("The condition must be true or false{}.",
                            truth ? ", not null" : ": " + to_string(truth.error())))
        .at(condition.range);
  }

  void check_message(const syntax::Expr& message) const {
    const auto given = evaluate(message);
    if (!given) return;
    const auto text = value::convert(given->deep_unmarked(), Type::string());
    if (!text || text->is_null()) {
      diags_.error("Invalid error message")
          .detail(text ? std::string("The error message must be a string, not null.")
                       : fmt::format("The error message must be a string: {}.",
                                     to_string(text.error())))
          .at(message.range);
      return;
    }
    const value::Marks marks = given->deep_marks();
    if (!marks.is_sensitive() && !marks.is_ephemeral()) return;
    diags_
        .warning(fmt::format("Error message refers to {} values",
                             marks.is_sensitive() ? "sensitive" : "ephemeral"))
        .detail("The message will not be shown. Remove these values from the message.")
        .at(message.range);
  }

  const syntax::Scope& scope_;
  diag::Diagnostics& diags_;
};

class FunctionCheck {
 public:
  FunctionCheck(const Library& library, const LibraryFunction& function,
                const functions::Table& builtin, diag::Diagnostics& diags)
      : function_(function),
        diags_(diags),
        frame_{function, {}, {}},
        scope_(library, builtin, &frame_),
        rules_(scope_, diags) {}

  void run() {
    for (const LibraryParameter& parameter : function_.parameters) {
      frame_.parameters.push_back(unknown_argument(parameter));
    }
    if (function_.variadic) frame_.parameters.push_back(unknown_rest(*function_.variadic));
    for (const LibraryParameter& parameter : function_.parameters) {
      rules_.check(parameter.validations);
    }
    if (function_.variadic) rules_.check(function_.variadic->validations);
    for (const LibraryLocal* local : function_.local_order) {
      frame_.locals.push_back(rules_.evaluate(*local->expr).value_or(Value::unknown()));
    }
    check_result();
  }

 private:
  void check_result() {
    auto result = rules_.evaluate(*function_.result);
    if (!result) return;
    const auto fit = syntax::fit(function_.result_type, std::move(*result));
    if (fit) return;
    diags_.error("Invalid function result")
        .detail(fmt::format("The result of the function {:?} does not match its type: {}.",
                            function_.name, to_string(fit.error())))
        .at(function_.result->range);
  }

  const LibraryFunction& function_;
  diag::Diagnostics& diags_;
  LibraryFrame frame_;
  LibraryScope scope_;
  RuleCheck rules_;
};

}  // namespace

void check_function(const Library& library, const LibraryFunction& function,
                    const functions::Table& builtin, diag::Diagnostics& diags) {
  FunctionCheck(library, function, builtin, diags).run();
}

void check_type(const Library& library, const LibraryType& type, const functions::Table& builtin,
                diag::Diagnostics& diags) {
  const Value self =
      Value::unknown(type.constraint.type.without_optional_attributes()).refined_not_null();
  const LibraryScope scope(library, builtin, nullptr, &self);
  RuleCheck(scope, diags).check(type.validations);
}

}  // namespace tofu::symbols
