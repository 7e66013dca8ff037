#include "config/library_needs.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>
#include <variant>

#include "addrs/reference.h"
#include "config/early_settings.h"
#include "diag/diagnostic.h"
#include "symbols/symbol_names.h"
#include "syntax/analysis.h"

namespace tofu::config {

namespace {

// The names in the text of an expression.
struct Uses {
  std::vector<std::string> libraries = {};
  std::vector<const Local*> locals = {};
  std::vector<const Variable*> variables = {};
};

void add_reference(const syntax::Traversal& traversal, const Module& module, Uses& uses) {
  diag::Diagnostics ignored;
  const auto reference = addrs::parse_reference(traversal, module, ignored);
  if (!reference) return;
  if (const auto* library = std::get_if<addrs::FeatureBlock>(&reference->subject)) {
    uses.libraries.emplace_back(library->name);
  } else if (const auto* local = std::get_if<addrs::LocalValue>(&reference->subject)) {
    if (const Local* found = module.locals.find(local->name)) uses.locals.push_back(found);
  } else if (const auto* variable = std::get_if<addrs::InputVariable>(&reference->subject)) {
    if (const Variable* found = module.variables.find(variable->name)) {
      uses.variables.push_back(found);
    }
  }
}

void add_type_uses(const syntax::Expr& type, Uses& uses);

void add_calls(const syntax::Expr& expr, Uses& uses) {
  for (const syntax::CallExpr* call : syntax::calls(expr)) {
    if (const syntax::Expr* type = syntax::type_argument(*call)) add_type_uses(*type, uses);
    if (!symbols::is_symbol_name(call->name)) continue;
    if (const auto library = symbols::library_of_name(call->name))
      uses.libraries.emplace_back(*library);
  }
}

void add_uses(const syntax::Expr& expr, const Module& module, Uses& uses) {
  for (const syntax::Traversal* each : syntax::variables(expr)) {
    add_reference(*each, module, uses);
  }
  add_calls(expr, uses);
  // What a template calls is known only when it is rendered.
  const auto renders = [](const syntax::CallExpr* call) {
    return call->name.ends_with("templatefile") || call->name.ends_with("templatestring");
  };
  if (std::ranges::none_of(syntax::calls(expr), renders)) return;
  for (const symbols::SymbolsImport& import : module.symbols) uses.libraries.push_back(import.name);
}

void add_type_uses(const syntax::Expr& type, Uses& uses) {
  diag::Diagnostics ignored;                                      // a type need not be a call
  const syntax::CallExpr* call = syntax::as_call(type, ignored);  // in JSON the string has it
  add_calls(call == nullptr ? type : *call, uses);
}

Uses uses_of(const Variable& variable, const Module& module) {
  Uses uses;
  const auto add = [&](const syntax::Expr* type, const syntax::Expr* default_value) {
    if (type != nullptr) add_type_uses(*type, uses);
    if (default_value != nullptr) add_uses(*default_value, module, uses);
  };
  add(variable.type_expr, variable.default_expr);
  for (const VariablePart& part : variable.parts) add(part.type, part.default_value);
  return uses;
}

Uses uses_of(const Local& local, const Module& module) {
  Uses uses;
  if (local.expr != nullptr) add_uses(*local.expr, module, uses);
  return uses;
}

// Follows what settings name until nothing new is found.
class Collector {
 public:
  explicit Collector(const Module& module) : module_(module) {}

  void add(const syntax::Body& body) {
    each_argument(body, [&](const syntax::Attribute& attribute) { add(*attribute.expr); });
  }
  void add(const Encryption& encryption) {
    for (const EncryptionPart& part : encryption.key_providers) add(part.config);
    for (const EncryptionPart& part : encryption.methods) add(part.config);
  }

  LibraryLabels finish() {
    while (!pending_.empty()) {
      const Uses next = std::move(pending_.back());
      pending_.pop_back();
      labels_.insert(next.libraries.begin(), next.libraries.end());
      for (const Local* local : next.locals) follow(*local);
      for (const Variable* variable : next.variables) follow(*variable);
    }
    return std::move(labels_);
  }

 private:
  void add(const syntax::Expr& expr) { add_uses(expr, module_, pending_.emplace_back()); }
  template <class Declared>
  void follow(const Declared& declared) {
    if (seen_.insert(&declared).second) pending_.push_back(uses_of(declared, module_));
  }

  const Module& module_;
  LibraryLabels labels_;
  std::vector<Uses> pending_;
  std::unordered_set<const void*> seen_;
};

}  // namespace

LibraryLabels libraries_of_settings(const Module& module, const Encryption* other_encryption) {
  Collector collector(module);
  if (module.backend) collector.add(module.backend->config);
  if (module.cloud) collector.add(module.cloud->config);
  if (module.encryption) collector.add(*module.encryption);
  if (other_encryption != nullptr) collector.add(*other_encryption);
  return collector.finish();
}

NeedsLeftOut::NeedsLeftOut(const Module& module, LibraryLabels left_out)
    : module_(module), left_out_(std::move(left_out)) {
  if (left_out_.empty()) return;
  std::unordered_map<const void*, std::vector<const void*>> users;
  std::vector<const void*> pending;
  const auto note = [&](const void* declared, const Uses& uses) {
    for (const std::string& library : uses.libraries) {
      if (!left_out_.contains(library)) continue;
      pending.push_back(declared);
      break;
    }
    for (const Local* local : uses.locals) users[local].push_back(declared);
    for (const Variable* variable : uses.variables) users[variable].push_back(declared);
  };
  for (const Variable& variable : module.variables) note(&variable, uses_of(variable, module));
  for (const Local& local : module.locals) note(&local, uses_of(local, module));
  while (!pending.empty()) {
    const void* next = pending.back();
    pending.pop_back();
    if (!tainted_.insert(next).second) continue;
    if (const auto found = users.find(next); found != users.end()) {
      pending.insert(pending.end(), found->second.begin(), found->second.end());
    }
  }
}

bool NeedsLeftOut::operator()(const syntax::Expr* expr) const {
  if (expr == nullptr || left_out_.empty()) return false;
  Uses uses;
  add_uses(*expr, module_, uses);
  const auto is_left_out = [&](const std::string& label) { return left_out_.contains(label); };
  const auto is_tainted = [&](const void* declared) { return tainted_.contains(declared); };
  return std::ranges::any_of(uses.libraries, is_left_out) ||
         std::ranges::any_of(uses.locals, is_tainted) ||
         std::ranges::any_of(uses.variables, is_tainted);
}

}  // namespace tofu::config
