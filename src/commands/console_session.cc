#include "commands/console_session.h"

#include "commands/console_input.h"
#include "syntax/eval.h"
#include "syntax/parser.h"
#include "views/value_text.h"

namespace tofu::commands {

namespace {

constexpr std::string_view kHelp =
    "Type an expression of the language and press Enter to see its value, such as\n"
    "  [for s in [\"a\", \"b\"] : upper(s)]\n"
    "An expression with an open bracket goes on in the next line, as does a line\n"
    "that ends with a backslash. The Tab key completes names.\n"
    "\n"
    "To leave, type \"exit\" or press Control-D.";

// type() answers with a capsule that holds a type; it is shown, never used.
const value::Type* held_type(const value::Value& v) {
  if (v.kind() != value::Kind::Capsule || v.type().capsule_name() != "type") return nullptr;
  return static_cast<const value::Type*>(v.as_capsule().get());
}

bool mentions_capsule(value::Type type) {
  switch (type.kind()) {
    case value::TypeKind::Capsule: return true;
    case value::TypeKind::List:
    case value::TypeKind::Set:
    case value::TypeKind::Map: return mentions_capsule(type.element());
    case value::TypeKind::Tuple:
      for (const value::Type element : type.elements()) {
        if (mentions_capsule(element)) return true;
      }
      return false;
    case value::TypeKind::Object:
      for (const value::ObjectAttribute& attribute : type.attributes()) {
        if (mentions_capsule(attribute.type)) return true;
      }
      return false;
    case value::TypeKind::Dynamic:
    case value::TypeKind::Bool:
    case value::TypeKind::Number:
    case value::TypeKind::String: return false;
  }
  return false;
}

}  // namespace

std::optional<ConsoleSession::Answer> ConsoleSession::handle(const std::string& expression,
                                                             diag::Diagnostics& diags) {
  const std::string_view trimmed = trim_space(expression);
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
  const bool ok = !problems.has_errors() && check_references(*file->expr, scope_, problems);
  std::optional<value::Value> result;
  if (ok) result = syntax::evaluate(*file->expr, &scope_, problems);
  diags.take(std::move(problems));
  if (!result) return std::nullopt;

  const value::Value shown = result->unmarked();
  if (const value::Type* type = held_type(shown)) return views::type_text(*type);
  if (mentions_capsule(shown.type())) {
    diags.error("Invalid use of type()")
        .detail(
            "The result of type() can only be shown. Use type() alone, around the whole "
            "expression.");
    return std::nullopt;
  }
  return views::value_text(*result);
}

}  // namespace tofu::commands
