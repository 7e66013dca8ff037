#include "lint/declarations.h"

#include <fmt/format.h>

#include "lint/block_rules.h"
#include "lint/rules.h"
#include "syntax/ast.h"

namespace tofu::lint {

namespace {

using syntax::as_if;

bool is_number(const syntax::Expr& expr, int number) {
  const auto* literal = as_if<syntax::LiteralExpr>(expr);
  return literal != nullptr && value::raw_equal(*literal->value, value::Value::integer(number));
}

// Whether `count` can only be 0 or 1, and `wanted` if it is written out.
bool is_zero_or_one(const syntax::Expr& expr, int wanted) {
  if (const auto* parens = as_if<syntax::ParensExpr>(expr)) {
    return is_zero_or_one(*parens->inner, wanted);
  }
  if (const auto* conditional = as_if<syntax::ConditionalExpr>(expr)) {
    const syntax::Expr& yes = *conditional->if_true;
    const syntax::Expr& no = *conditional->if_false;
    return (is_zero_or_one(yes, 1) && is_zero_or_one(no, 0)) ||
           (is_zero_or_one(yes, 0) && is_zero_or_one(no, 1));
  }
  return is_number(expr, wanted);
}

void check_count(const config::Resource& resource, Findings& findings) {
  const syntax::Expr* count = resource.repetition.count;
  if (count == nullptr) return;
  if (is_zero_or_one(*count, 0) || is_zero_or_one(*count, 1)) {
    Finding* finding = findings.add(
        kCountInsteadEnabled, count->range,
        fmt::format("{} uses \"count\" to have one instance or none. Use \"enabled\" in its "
                    "\"lifecycle\" block instead, and its instance has no index.",
                    resource.address().to_string()));
    if (finding != nullptr) finding->context = diag::cover(resource.range, count->range);
  }
}

// Lower-case words with single underscores between them.
bool is_snake_case(std::string_view name) {
  bool after_underscore = true;  // also at the beginning
  for (const char c : name) {
    const bool is_letter = c >= 'a' && c <= 'z';
    const bool is_digit = c >= '0' && c <= '9';
    if (c == '_' ? after_underscore : !is_letter && !is_digit) return false;
    after_underscore = c == '_';
  }
  return !after_underscore && !(name[0] >= '0' && name[0] <= '9');
}

// A value that is written out, other than null and "".
bool has_content(const syntax::Expr& expr) {
  if (const auto* literal = as_if<syntax::LiteralExpr>(expr)) return !literal->value->is_null();
  if (const auto* tuple = as_if<syntax::TupleExpr>(expr)) return !tuple->items.empty();
  if (const auto* object = as_if<syntax::ObjectExpr>(expr)) return !object->items.empty();
  const auto* text = as_if<syntax::TemplateExpr>(expr);
  if (text == nullptr) return true;
  if (text->parts.size() != 1) return !text->parts.empty();
  const auto* part = as_if<syntax::LiteralExpr>(*text->parts[0]);
  return part == nullptr || !part->value->plain().as_string().empty();
}

class Declarations {
 public:
  Declarations(const config::Module& module, const Usage& usage, Findings& findings)
      : module_(module), usage_(usage), findings_(findings) {}

  void check() {
    for (const config::Variable& variable : module_.variables) check(variable);
    for (const config::Local& local : module_.locals) check(local);
    for (const config::Output& output : module_.outputs) check(output);
    for (const config::ModuleCall& call : module_.module_calls) {
      check_name("module call", call.name, call.range);
    }
    for (const auto mode : {addrs::ResourceMode::Managed, addrs::ResourceMode::Data,
                            addrs::ResourceMode::Ephemeral}) {
      for (const config::Resource& resource : module_.resources(mode)) check(resource);
    }
    for (const auto& import : module_.symbols) {
      if (usage_.symbols(import.name)) continue;
      findings_.add(
          kUnusedSymbols, import.range,
          fmt::format("The module uses no symbol of {:?}. Remove the block.", import.name));
    }
  }

 private:
  void check_name(std::string_view noun, std::string_view name, diag::SourceRange place) {
    if (name.empty() || is_snake_case(name)) return;
    findings_.add(kNaming, place,
                  fmt::format("The name of the {} {:?} should be lower-case words with underscores "
                              "between them.",
                              noun, name));
  }

  void check(const config::Variable& variable) {
    if (!usage_.variable(variable.name)) {
      findings_.add(kUnusedVariable, variable.range,
                    fmt::format("No expression of this module uses var.{}. Remove the variable, "
                                "and its argument from the module's calls.",
                                variable.name));
    }
    if (variable.constraint.type.is_dynamic()) {
      findings_.add(kNoTypeVariable, variable.range,
                    fmt::format("The variable {:?} accepts values of every type. Add a \"type\" "
                                "argument, so that a wrong value is an error where it is given.",
                                variable.name));
    }
    if (!variable.description || variable.description->empty()) {
      findings_.add(
          kVariableDescription, variable.range,
          fmt::format("Add a \"description\" that says what var.{} is for.", variable.name));
    }
    check_name("variable", variable.name, variable.range);
    const bool is_hidden = variable.is_sensitive() || variable.is_ephemeral();
    if (!is_hidden && is_secret_name(variable.name)) {
      findings_.add(kSensitiveVariable, variable.range,
                    fmt::format("By its name var.{} is a secret. Add \"sensitive = true\", so that "
                                "plans and logs do not show it.",
                                variable.name));
    }
    const syntax::Expr* preset = variable.default_expr;
    if (is_hidden && variable.is_sensitive() && preset != nullptr && has_content(*preset)) {
      findings_.add(kSensitiveDefault, preset->range,
                    fmt::format("var.{} is sensitive, and all who can read the file know its "
                                "default. Remove the default, or make it null.",
                                variable.name));
    }
  }

  void check(const config::Local& local) {
    check_name("local value", local.name, local.name_range);
    if (usage_.local(local.name)) return;
    findings_.add(
        kUnusedLocal, local.range,
        fmt::format("No expression of this module uses local.{}. Remove it.", local.name));
  }

  void check(const config::Output& output) {
    check_name("output", output.name, output.range);
    if (output.description && !output.description->empty()) return;
    findings_.add(kOutputDescription, output.range,
                  fmt::format("Add a \"description\" of the output {:?}.", output.name));
  }

  void check(const config::Resource& resource) {
    check_count(resource, findings_);
    check_name("resource", resource.name, resource.range);
    check_type(resource);
    const bool is_data = resource.mode == addrs::ResourceMode::Data;
    const bool has_conditions = !resource.preconditions.empty() || !resource.postconditions.empty();
    if (!is_data || has_conditions || !resource.check.empty()) return;
    if (usage_.object(fmt::format("data.{}.{}", resource.type, resource.name))) return;
    findings_.add(kUnusedData, resource.range,
                  fmt::format("No expression of this module uses {}. Remove the block.",
                              resource.address().to_string()));
  }

  void check_type(const config::Resource& resource) {
    struct Superseded {
      std::string_view type;
      addrs::ResourceMode mode;
      std::string_view use;
    };
    constexpr Superseded kTypes[] = {
        {"null_resource", addrs::ResourceMode::Managed, "terraform_data, which is built in"},
        {"null_data_source", addrs::ResourceMode::Data, "a local value"},
        {"template_file", addrs::ResourceMode::Data, "the function templatefile"},
        {"template_dir", addrs::ResourceMode::Managed, "the functions fileset and templatefile"},
    };
    for (const Superseded& old : kTypes) {
      if (old.type != resource.type || old.mode != resource.mode) continue;
      findings_.add(kDeprecatedType, resource.range,
                    fmt::format("Use {} instead of {}, which needs a provider of its own.", old.use,
                                old.type));
    }
  }

  const config::Module& module_;
  const Usage& usage_;
  Findings& findings_;
};

}  // namespace

void check_declarations(const config::Module& module, const Usage& usage, Findings& findings) {
  Declarations(module, usage, findings).check();
}

}  // namespace tofu::lint
