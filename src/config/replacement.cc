#include "config/replacement.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <string_view>
#include <utility>

#include "addrs/version.h"
#include "config/suggestion.h"
#include "syntax/analysis.h"
#include "syntax/block_reading.h"
#include "syntax/body.h"
#include "syntax/constants.h"
#include "syntax/parser.h"

namespace tofu::config {

namespace {

using diag::SourceRange;
using syntax::as_if;
using syntax::Expr;
using syntax::Traversal;

// An expression that stands in a JSON string as a template: the expression itself.
const Expr& plain(const Expr& expr) {
  const Expr* at = &expr;
  if (const auto* string = as_if<syntax::JsonStringExpr>(*at)) at = string->parsed;
  if (const auto* wrap = as_if<syntax::TemplateWrapExpr>(*at)) at = wrap->wrapped;
  return *at;
}

// The expression as a reference; in JSON also one that is the whole string.
const Traversal* reference_in(const Expr& expr) {
  if (const auto* string = as_if<syntax::JsonStringExpr>(expr); string && string->traversal) {
    return string->traversal;
  }
  const auto* variable = as_if<syntax::VariableExpr>(plain(expr));
  return variable == nullptr ? nullptr : &variable->traversal;
}

// `var.NAME` or `output.NAME`; empty for another expression.
std::string_view lone_name(const Expr& expr, std::string_view root) {
  const Traversal* found = reference_in(expr);
  if (found == nullptr) return {};
  const Traversal& traversal = *found;
  const bool is_name = traversal.root == root && traversal.steps.size() == 1 &&
                       traversal.steps[0].kind == syntax::StepKind::Attribute;
  return is_name ? traversal.steps[0].name : std::string_view();
}

std::string key_text(const Expr& key) {
  if (const auto* string = as_if<syntax::JsonStringExpr>(key)) return std::string(string->text);
  const auto* object_key = as_if<syntax::ObjectKeyExpr>(key);
  return object_key == nullptr ? std::string() : std::string(syntax::keyword(*object_key->wrapped));
}

bool is_date(std::string_view text) {
  constexpr std::string_view kForm = "dddd-dd-dd";
  if (text.size() != kForm.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_digit = text[i] >= '0' && text[i] <= '9';
    if (kForm[i] == 'd' ? !is_digit : text[i] != kForm[i]) return false;
  }
  const auto number = [&](std::size_t at) { return (text[at] - '0') * 10 + (text[at + 1] - '0'); };
  constexpr std::array kDays = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const int month = number(5);
  if (month < 1 || month > 12) return false;
  const int day = number(8);
  return day >= 1 && day <= kDays[static_cast<std::size_t>(month - 1)];
}

// What differs between variables and outputs, for messages.
struct Noun {
  std::string_view kind;  // variable
  std::string_view root;  // var
};
constexpr Noun kVariable{"variable", "var"};
constexpr Noun kOutput{"output", "output"};

class Checker {
 public:
  Checker(const Module& module, diag::Diagnostics& diags)
      : module_(module), retirements_(module), diags_(diags) {}

  void check(const Variable& variable) {
    const Retirement& retirement = retirements_.of(variable);
    if (!variable.deprecated) return;
    check_removal(retirement);
    if (retirement.replaced_by == nullptr) return;
    const SourceRange place = retirement.replaced_by->range;
    const std::vector<NewArgument> arguments = new_arguments(variable, retirement);
    if (arguments.empty()) {
      report(
          "Write the variable that replaces this one, such as var.capacity, or an object of the "
          "arguments that do, such as { capacity = var.size * 1024 }.",
          place);
    }
    for (const NewArgument& argument : arguments) {
      check_successor(argument.name, variable.name, kVariable, module_.variables, place);
      if (argument.value != nullptr) check_names(*argument.value, variable);
    }
  }

  void check(const Output& output) {
    const Retirement& retirement = retirements_.of(output);
    if (!output.deprecated) return;
    check_removal(retirement);
    if (retirement.replaced_by == nullptr) return;
    const SourceRange place = retirement.replaced_by->range;
    if (const auto name = replacing_output(retirement); !name.empty()) {
      return check_successor(name, output.name, kOutput, module_.outputs, place);
    }
    const Expr& expr = replacing_expr(retirement);
    const std::vector<const Traversal*> names = syntax::variables(expr);
    if (names.empty()) {
      report(
          "Write an expression of the outputs that replace this one, such as "
          "output.addresses[0].",
          place);
    }
    for (const Traversal* used : names) {
      if (is_name_of("output", *used)) {
        check_successor(used->steps[0].name, output.name, kOutput, module_.outputs, used->range);
        continue;
      }
      report(fmt::format("Callers can use only outputs of this module, so an expression of them is "
                         "expected, such as output.addresses[0]. It cannot refer to {}.",
                         used->root),
             used->range);
    }
    check_calls(expr);
  }

 private:
  static bool is_name_of(std::string_view root, const Traversal& used) {
    return used.root == root && !used.steps.empty() &&
           used.steps[0].kind == syntax::StepKind::Attribute;
  }

  void check_removal(const Retirement& retirement) {
    if (!retirement.removed_in || removal_kind(*retirement.removed_in)) return;
    diags_.error("Invalid `removed_in` value")
        .detail(fmt::format("{:?} is neither a version such as \"3.0.0\" nor a date such as "
                            "\"2027-01-31\".",
                            *retirement.removed_in))
        .at(retirement.removed_in_range);
  }

  template <class All>
  void check_successor(std::string_view name, const std::string& of, Noun noun, const All& all,
                       SourceRange place) {
    const auto* successor = all.find(std::string(name));
    if (name == of) {
      report(fmt::format("The {} \"{}\" cannot replace itself.", noun.kind, of), place);
    } else if (successor == nullptr) {
      report(fmt::format("This module has no {} \"{}\".{}", noun.kind, name,
                         suggestion(name, all, diags_)),
             place);
    } else if (successor->deprecated) {
      report(fmt::format("{}.{} is deprecated, too. Name what replaces both.", noun.root, name),
             place);
    }
  }

  // The value of a new argument is made of the old value alone.
  void check_names(const Expr& value, const Variable& variable) {
    for (const Traversal* used : syntax::variables(value)) {
      if (is_name_of("var", *used) && used->steps[0].name == variable.name) continue;
      report(fmt::format("The new value can use var.{} only, the value that callers give now.",
                         variable.name),
             used->range);
    }
    check_calls(value);
  }

  // Callers do not have the libraries and providers of this module.
  void check_calls(const Expr& expr) {
    for (const syntax::CallExpr* call : syntax::calls(expr)) {
      if (call->name.find("::") == call->name.npos || call->name.starts_with("core::")) continue;
      report(fmt::format("Callers may not have the function {}. Use built-in functions only.",
                         call->name),
             call->name_range);
    }
  }

  void report(std::string detail, SourceRange place) {
    diags_.error("Invalid `replaced_by` value").detail(std::move(detail)).at(place);
  }

  const Module& module_;
  const Retirements retirements_;
  diag::Diagnostics& diags_;
};

void read(const syntax::Block& block, Retirement& retirement) {
  static const syntax::BodySchema kArguments = syntax::schema_of({"replaced_by", "removed_in"});
  diag::Diagnostics ignored;
  const syntax::Content content = block.body.partial_content(kArguments, ignored).content;
  if (const auto* attribute = content.attribute("replaced_by")) {
    retirement.replaced_by = attribute->expr;
  }
  if (const auto* attribute = content.attribute("removed_in")) {
    retirement.removed_in = syntax::constant_string(*attribute->expr, ignored);
    retirement.removed_in_range = attribute->expr->range;
  }
}

std::string text_of(const std::string& message, const Retirement& retirement,
                    const std::vector<std::string>& names) {
  const auto& removed_in = retirement.removed_in;
  if (!removed_in && names.empty()) return message;
  std::string text = message + "\n\n";
  if (removed_in) {
    const bool is_date = removal_kind(*removed_in) == RemovalKind::Date;
    text += fmt::format("It will be removed {} {}.", is_date ? "on" : "in version", *removed_in);
  }
  if (!names.empty()) {
    text += fmt::format("{}\"tofu fix\" replaces it with {}.", removed_in ? " " : "",
                        fmt::join(names, " and "));
  }
  return text;
}

}  // namespace

Retirements::Retirements(const Module& module) {
  static const syntax::BodySchema kBlocks =
      syntax::schema_of({}, {{"variable", {"name"}}, {"output", {"name"}}});
  for (const auto& file : module.files()) {
    if (file->native == nullptr && file->json == nullptr) continue;
    diag::Diagnostics ignored;
    const syntax::Content content = file->body().partial_content(kBlocks, ignored).content;
    for (const syntax::Block& block : content.blocks) {
      ByName& all = block.type == "variable" ? variables_ : outputs_;
      read(block, all[std::string(block.labels[0].text)]);  // override files come last
    }
  }
}

const Retirement& Retirements::find(const ByName& all, std::string_view name) {
  static const Retirement kNone;
  const auto found = all.find(name);
  return found == all.end() ? kNone : found->second;
}

std::vector<NewArgument> new_arguments(const Variable& variable, const Retirement& retirement) {
  if (retirement.replaced_by == nullptr) return {};
  const Expr& expr = *retirement.replaced_by;
  if (const auto name = lone_name(expr, "var"); !name.empty()) return {{std::string(name)}};
  const auto* object = as_if<syntax::ObjectExpr>(plain(expr));
  if (object == nullptr) return {};
  std::vector<NewArgument> arguments;
  for (const syntax::ObjectItem& item : object->items) {
    const bool is_same = lone_name(*item.value, "var") == variable.name;
    arguments.push_back({key_text(*item.key), is_same ? nullptr : &plain(*item.value)});
  }
  return arguments;
}

std::string replacing_output(const Retirement& retirement) {
  const Expr* expr = retirement.replaced_by;
  return expr == nullptr ? std::string() : std::string(lone_name(*expr, "output"));
}

const Expr& replacing_expr(const Retirement& retirement) { return plain(*retirement.replaced_by); }

void check_retirements(const Module& module, diag::Diagnostics& diags) {
  const auto is_deprecated = [](const auto& each) { return each.deprecated.has_value(); };
  if (std::ranges::none_of(module.variables, is_deprecated) &&
      std::ranges::none_of(module.outputs, is_deprecated)) {
    return;
  }
  Checker checker(module, diags);
  for (const Variable& variable : module.variables) checker.check(variable);
  for (const Output& output : module.outputs) checker.check(output);
}

std::optional<RemovalKind> removal_kind(const std::string& removed_in) {
  if (is_date(removed_in)) return RemovalKind::Date;
  if (removed_in.find('.') == removed_in.npos) return std::nullopt;
  return addrs::Version::parse(removed_in) ? std::optional(RemovalKind::Version) : std::nullopt;
}

std::string deprecation_text(const Variable& variable, const Retirement& retirement) {
  std::vector<std::string> names;
  for (const NewArgument& argument : new_arguments(variable, retirement)) {
    names.push_back(argument.name);
  }
  return text_of(*variable.deprecated, retirement, names);
}

std::string deprecation_text(const Output& output, const Retirement& retirement) {
  std::vector<std::string> names;
  if (const std::string name = replacing_output(retirement); !name.empty()) {
    names.push_back(name);
  } else if (retirement.replaced_by != nullptr) {
    for (const Traversal* used : syntax::variables(replacing_expr(retirement))) {
      if (used->steps.empty()) continue;
      std::string each(used->steps[0].name);
      if (std::ranges::find(names, each) == names.end()) names.push_back(std::move(each));
    }
  }
  return text_of(*output.deprecated, retirement, names);
}

}  // namespace tofu::config
