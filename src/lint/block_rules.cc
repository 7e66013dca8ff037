#include "lint/block_rules.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <fmt/format.h>

#include "lint/rules.h"
#include "lint/usage.h"
#include "syntax/analysis.h"
#include "syntax/token.h"

namespace tofu::lint {

namespace {

using syntax::as_if;
using syntax::Expr;

// The text of a string without interpolation; null if it is not one.
const value::Value* literal_text(const Expr& expr) {
  const auto* text = as_if<syntax::TemplateExpr>(expr);
  if (text == nullptr || text->parts.size() != 1) return nullptr;
  const auto* literal = as_if<syntax::LiteralExpr>(*text->parts[0]);
  return literal == nullptr ? nullptr : literal->value;
}

// Texts that are keys of well-known services whatever their argument is called.
bool looks_like_key(std::string_view text) {
  constexpr std::array<std::string_view, 6> kPrefixes = {"AKIA",        "ASIA",  "ghp_",
                                                         "github_pat_", "xoxb-", "glpat-"};
  constexpr std::size_t kMinLength = 20;
  if (text.size() >= kMinLength && text.find(' ') == std::string_view::npos &&
      std::ranges::any_of(kPrefixes, [&](auto prefix) { return text.starts_with(prefix); })) {
    return true;
  }
  return text.find("PRIVATE KEY-----") != std::string_view::npos;
}

constexpr std::array<std::string_view, 3> kImpure = {"timestamp", "uuid", "bcrypt"};

// The name of the first impure function that an expression calls.
std::string_view impure_call(const Expr& expr) {
  for (const syntax::CallExpr* call : syntax::calls(expr)) {
    std::string_view name = call->name;
    if (name.starts_with("core::")) name.remove_prefix(6);
    if (std::ranges::find(kImpure, name) != kImpure.end()) return name;
  }
  return {};
}

// The local values that differ each time they are evaluated, directly or through others.
std::map<std::string, std::string, std::less<>> impure_locals(const config::Module& module) {
  std::map<std::string, std::string, std::less<>> impure;
  std::unordered_multimap<std::string, std::string_view> users;
  std::vector<std::string> next;
  for (const config::Local& local : module.locals) {
    if (local.expr == nullptr) continue;
    const std::string_view function = impure_call(*local.expr);
    if (!function.empty()) {
      impure.emplace(local.name, function);
      next.push_back(local.name);
    }
    for (const syntax::Traversal* used : syntax::variables(*local.expr)) {
      if (used->root == "local" && !used->steps.empty()) {
        users.emplace(used->steps[0].name, local.name);
      }
    }
  }
  while (!next.empty()) {
    const std::string name = std::move(next.back());
    next.pop_back();
    const auto [begin, end] = users.equal_range(name);
    for (auto user = begin; user != end; ++user) {
      if (impure.emplace(user->second, impure.find(name)->second).second) {
        next.emplace_back(user->second);
      }
    }
  }
  return impure;
}

// Types whose objects are different although their blocks are the same.
bool may_repeat(std::string_view type) {
  constexpr std::array<std::string_view, 6> kPrefixes = {"random_", "null_", "terraform_",
                                                         "tls_",    "time_", "external"};
  return std::ranges::any_of(kPrefixes, [&](auto prefix) { return type.starts_with(prefix); });
}

// The sensitive variable whose value is the value of an expression or a part of it; empty if there
// is none that is certain. What functions make of values is not followed.
std::string_view sensitive_variable(const Expr& expr, const config::Module& module) {
  std::vector<const Expr*> parts;
  if (const auto* variable = as_if<syntax::VariableExpr>(expr)) {
    const syntax::Traversal& traversal = variable->traversal;
    if (traversal.root != "var" || traversal.steps.empty()) return {};
    const config::Variable* declared = module.variables.find(traversal.steps[0].name);
    return declared != nullptr && declared->is_sensitive() ? traversal.steps[0].name
                                                           : std::string_view();
  }
  if (const auto* text = as_if<syntax::TemplateExpr>(expr)) {
    parts.assign(text->parts.begin(), text->parts.end());
  } else if (const auto* tuple = as_if<syntax::TupleExpr>(expr)) {
    parts.assign(tuple->items.begin(), tuple->items.end());
  } else if (const auto* object = as_if<syntax::ObjectExpr>(expr)) {
    for (const syntax::ObjectItem& item : object->items) parts.push_back(item.value);
  } else if (const auto* wrap = as_if<syntax::TemplateWrapExpr>(expr)) {
    parts = {wrap->wrapped};
  } else if (const auto* parens = as_if<syntax::ParensExpr>(expr)) {
    parts = {parens->inner};
  } else if (const auto* conditional = as_if<syntax::ConditionalExpr>(expr)) {
    parts = {conditional->if_true, conditional->if_false};
  }
  for (const Expr* part : parts) {
    if (const auto found = sensitive_variable(*part, module); !found.empty()) return found;
  }
  return {};
}

const syntax::Attribute* find_attribute(const syntax::NativeBlock& block, std::string_view name) {
  for (const syntax::Attribute& attribute : block.body.attributes) {
    if (attribute.name == name) return &attribute;
  }
  return nullptr;
}

// An argument on a line of its own at the end of a block; nothing if the brace that ends the block
// does not stand alone on its line.
syntax::EditGroup appended_argument(const syntax::NativeBlock& block, std::string_view argument,
                                    const diag::SourceMap& sources) {
  const diag::FileId file = block.close_range.file;
  const std::uint32_t line = sources.line_start(file, block.close_range.begin);
  const std::string_view indent = sources.text({file, line, block.close_range.begin});
  if (indent.find_first_not_of(" \t") != std::string_view::npos) return {};
  return {{{file, line, line}, fmt::format("{}  {}\n", indent, argument)}};
}

}  // namespace

bool is_secret_name(std::string_view name) {
  std::string lower;
  for (const char c : name) {
    lower += c == '-' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  constexpr std::array<std::string_view, 13> kEndings = {
      "password",    "passwd",        "passphrase", "secret",     "token",
      "api_key",     "apikey",        "access_key", "secret_key", "private_key",
      "account_key", "client_secret", "auth_key"};
  return std::ranges::any_of(kEndings, [&](std::string_view ending) {
    if (!lower.ends_with(ending)) return false;
    const std::size_t before = lower.size() - ending.size();
    return before == 0 || lower[before - 1] == '_';
  });
}

BlockRules::BlockRules(const config::Module& module, const diag::SourceMap& sources,
                       Findings& findings)
    : module_(module),
      sources_(sources),
      findings_(findings),
      finds_duplicates_(findings.wants(kDuplicateResource)),
      impure_locals_(findings.wants(kImpureFunction) ? impure_locals(module)
                                                     : decltype(impure_locals_)()) {}

void BlockRules::block(const syntax::NativeBlock& block, const Site& site) {
  if (site.top == nullptr) {
    references_.clear();
    dependencies_.clear();
    if (finds_duplicates_) check_duplicate(block);
    if (block.type == "output") check_output(block);
  }
  if (block.type == "dynamic") check_dynamic(block);
}

void BlockRules::check_output(const syntax::NativeBlock& block) {
  const syntax::Attribute* value = find_attribute(block, "value");
  if (value == nullptr || find_attribute(block, "ephemeral") != nullptr) return;
  const syntax::Attribute* marked = find_attribute(block, "sensitive");
  // An output that says false says so on purpose, and is an error in the root.
  if (marked != nullptr) return;
  const std::string_view variable = sensitive_variable(*value->expr, module_);
  if (variable.empty()) return;
  Finding* finding = findings_.add(
      kSensitiveOutput, value->range,
      fmt::format("var.{} is sensitive. Add \"sensitive = true\" to the output.", variable));
  if (finding != nullptr) finding->fix = appended_argument(block, "sensitive = true", sources_);
}

void BlockRules::check_dynamic(const syntax::NativeBlock& block) {
  for (const syntax::Attribute& attribute : block.body.attributes) {
    if (attribute.name != "for_each") continue;
    const Expr& expr = *attribute.expr;
    const bool is_written_out =
        expr.kind == syntax::ExprKind::Tuple || expr.kind == syntax::ExprKind::Object;
    if (!is_written_out || !syntax::variables(expr).empty() || !syntax::calls(expr).empty()) {
      continue;
    }
    findings_.add(kDynamicConstant, expr.range,
                  "The elements are constants, so the blocks are known. Write them out, which is "
                  "easier to read.");
  }
}

void BlockRules::end_block(const syntax::NativeBlock&, const Site& site) {
  if (site.top == nullptr) check_dependencies();
}

void BlockRules::attribute(const syntax::Attribute& attribute, const Site& site) {
  if (site.block == nullptr) return;
  check_secret(attribute.name, *attribute.expr, attribute.name_range, site);
  if (attribute.name == "ignore_changes" && site.in_nested("lifecycle") &&
      syntax::keyword(*attribute.expr) == "all") {
    findings_.add(kWideIgnoreChanges, attribute.range,
                  "After the object is created, changes of its block no longer have an effect. "
                  "List the arguments that others change.");
  }
  if (attribute.name == "command" && site.in_nested("provisioner")) {
    const auto* text = as_if<syntax::TemplateExpr>(*attribute.expr);
    if (text != nullptr && text->parts.size() > 1) {
      findings_.add(kCommandInterpolation, attribute.range,
                    "A value with quotes, blanks or $( ) in it is read by the shell as part of the "
                    "command. Pass values in the \"environment\" argument instead.");
    }
  }
  if (attribute.name == "count" && site.block == site.top) {
    const auto* call = as_if<syntax::CallExpr>(*attribute.expr);
    if (call != nullptr && (call->name == "length" || call->name == "core::length")) {
      findings_.add(kCountOverList, attribute.range,
                    "Instances are numbered, so removing an element of the list changes or "
                    "replaces the objects of all elements after it. Use for_each over a map or a "
                    "set.");
    }
  }
}

void BlockRules::expression(const Expr& expr, const Site& site) {
  if (const auto* variable = as_if<syntax::VariableExpr>(expr)) {
    note_reference(variable->traversal, site);
  } else if (const auto* object = as_if<syntax::ObjectExpr>(expr)) {
    for (const syntax::ObjectItem& item : object->items) {
      const auto* key = as_if<syntax::ObjectKeyExpr>(*item.key);
      if (key == nullptr || key->forced) continue;
      check_secret(syntax::keyword(*key->wrapped), *item.value, item.key->range, site);
    }
  }
  check_impure(expr, site);
}

void BlockRules::check_secret(std::string_view name, const Expr& expr, diag::SourceRange place,
                              const Site& site) {
  const value::Value* text = literal_text(expr);
  if (text == nullptr) return;
  const std::string_view value = text->plain().as_string();
  if (value.empty()) return;
  const bool is_default = name == "default" && site.top != nullptr &&
                          site.top->type == "variable" && site.block == site.top &&
                          !site.top->labels.empty() && is_secret_name(site.top->labels[0].text);
  if (!is_secret_name(name) && !is_default && !looks_like_key(value)) return;
  findings_.add(kSecretLiteral, place,
                "All who can read the file know the secret. Pass it in a sensitive variable or "
                "read it from a secret store, and change the secret.");
}

void BlockRules::check_duplicate(const syntax::NativeBlock& block) {
  if ((block.type != "resource" && block.type != "data") || block.labels.size() != 2) return;
  const std::string_view type = block.labels[0].text;
  if (may_repeat(type) || block.body.attributes.empty()) return;
  std::string content(block.type);
  content += '\n';
  content += type;
  const std::string_view body = sources_.text(block.body.range);
  for (const syntax::Token& token : syntax::scan(body, syntax::ScanMode::Normal)) {
    if (token.kind == syntax::TokenKind::Comment || token.kind == syntax::TokenKind::Newline) {
      continue;
    }
    content += '\n';
    content += token.text(body);
  }
  const auto [first, is_new] =
      contents_.try_emplace(std::move(content), fmt::format("{}.{}", type, block.labels[1].text));
  if (is_new) return;
  findings_.add(kDuplicateResource,
                {block.type_range.file, block.type_range.begin, block.labels[1].range.end},
                fmt::format("The block has the same content as that of {}. Remove one of them, or "
                            "use for_each if both objects are needed.",
                            first->second));
}

void BlockRules::note_reference(const syntax::Traversal& traversal, const Site& site) {
  if (site.top == nullptr || site.attribute == nullptr) return;
  if (site.attribute->name == "depends_on" && site.block == site.top) {
    dependencies_.push_back(&traversal);
  } else {
    references_.insert(referenced_name(traversal));
  }
}

void BlockRules::check_dependencies() {
  for (const syntax::Traversal* dependency : dependencies_) {
    const std::string name = referenced_name(*dependency);
    // A module as a whole is more than the output that another reference names.
    if (name.empty() || name.starts_with("module.") || !references_.contains(name)) continue;
    findings_.add(kRedundantDependsOn, dependency->range,
                  fmt::format("Another argument of this block refers to {}, which implies the "
                              "dependency. Remove it from depends_on.",
                              name));
  }
}

void BlockRules::check_impure(const Expr& expr, const Site& site) {
  if (site.top == nullptr || site.top->type != "resource" || site.attribute == nullptr) return;
  if (site.in_nested("provisioner") || site.in_nested("connection") || site.in_nested("lifecycle"))
    return;
  std::string_view function;
  if (const auto* call = as_if<syntax::CallExpr>(expr)) {
    std::string_view name = call->name;
    if (name.starts_with("core::")) name.remove_prefix(6);
    if (std::ranges::find(kImpure, name) != kImpure.end()) function = name;
  } else if (const auto* variable = as_if<syntax::VariableExpr>(expr)) {
    const syntax::Traversal& traversal = variable->traversal;
    if (traversal.root != "local" || traversal.steps.empty()) return;
    const auto found = impure_locals_.find(traversal.steps[0].name);
    if (found != impure_locals_.end()) function = found->second;
  }
  if (function.empty()) return;
  findings_.add(kImpureFunction, expr.range,
                fmt::format("{}() has another result each time, so every plan changes this "
                            "resource. Use plantimestamp, or a resource that keeps the value, such "
                            "as terraform_data.",
                            function));
}

}  // namespace tofu::lint
