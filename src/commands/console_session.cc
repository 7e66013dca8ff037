#include "commands/console_session.h"

#include "base/trim.h"
#include "syntax/analysis.h"
#include "syntax/parser.h"
#include "views/value_text.h"

namespace tofu::commands {

namespace {

constexpr std::string_view kHelp =
    "Type an expression of the language and press Enter to see its value, such as\n"
    "  [for s in [\"a\", \"b\"] : upper(s)]\n"
    "An expression with an open bracket continues on the next line, as does a line\n"
    "that ends with a backslash. The Tab key completes names.\n"
    "\n"
    "To leave, type \"exit\" or press Control-D.";

// type() answers with a capsule that holds a type; it is shown, never used.
const value::Type* held_type(const value::Value& v) {
  if (v.kind() != value::Kind::Capsule || v.type().capsule_name() != "type") return nullptr;
  return static_cast<const value::Type*>(v.plain().as_capsule().get());
}

bool is_type_call(const syntax::CallExpr& call) {
  return call.name == "type" || call.name == "core::type";
}

// The time of a plan means nothing here. Locals may use it all the same, since they are
// written for a plan.
bool check_plan_time(const syntax::Expr& expr, diag::Diagnostics& diags) {
  for (const syntax::CallExpr* call : syntax::calls(expr)) {
    if (call->name != "plantimestamp" && call->name != "core::plantimestamp") continue;
    diags.error("Function not available in the console")
        .detail("The function plantimestamp() returns the time of a plan. The console has no plan.")
        .at(call->range);
    return false;
  }
  return true;
}

// What is made from the result of type(), other than that result itself, means
// nothing: it can only be shown.
bool check_type_calls(const syntax::Expr& expr, diag::Diagnostics& diags) {
  for (const syntax::CallExpr* call : syntax::calls(expr)) {
    if (!is_type_call(*call)) continue;
    diags.error("Invalid use of type()")
        .detail(
            "The result of type() can only be shown. Use type() alone, around the whole "
            "expression.")
        .at(call->range);
    return false;
  }
  return true;
}

}  // namespace

diag::Checked<ConsoleSession::Answer> ConsoleSession::handle(const std::string& expression,
                                                             diag::Diagnostics& diags) {
  const std::string_view trimmed = base::trim_space(expression);
  if (trimmed.empty()) return Answer{};
  if (trimmed == "exit") return Answer{{}, true};
  if (trimmed == "help") return Answer{std::string(kHelp)};
  auto text = evaluate(expression, diags);
  if (!text) return std::nullopt;
  return Answer{std::move(*text)};
}

std::optional<std::string> ConsoleSession::evaluate(const std::string& expression,
                                                    diag::Diagnostics& diags) {
  const diag::FileId id = sources_.add("<console-input>", expression);
  diag::Diagnostics problems;
  const auto file = syntax::parse_expression(sources_, id, problems);
  std::optional<value::Value> result;
  if (!problems.has_errors() && check_plan_time(*file->expr, problems)) {
    result = inspection_.evaluate(*file->expr, problems);
    if (result && warnings_ != nullptr) warnings_->warn_of_uses(*file->expr, problems);
  }
  diags.take(std::move(problems));
  if (!result) return std::nullopt;

  const auto shown = result->unmarked();
  if (const value::Type* type = held_type(shown)) return views::type_text(*type);
  if (!check_type_calls(*file->expr, diags)) return std::nullopt;
  return views::value_text(*result);
}

}  // namespace tofu::commands
