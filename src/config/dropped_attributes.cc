#include <fmt/format.h>
#include <string>
#include <vector>

#include "base/suggest.h"
#include "config/variable_types.h"
#include "syntax/eval.h"
#include "value/convert.h"

namespace tofu::config {

namespace {

using syntax::Expr;
using value::Type;
using value::TypeKind;

// The name that a key in an object literal stands for, if that is plain.
std::optional<std::string> constant_key(const Expr& key) {
  diag::Diagnostics ignored;
  const auto given = syntax::evaluate(key, nullptr, ignored);
  if (!given || given->is_null() || given->is_unknown()) return std::nullopt;
  const auto text = value::convert(*given, Type::string());
  if (!text || text->kind() != value::Kind::String) return std::nullopt;
  return std::string(text->plain().as_string());
}

// Literals only, so nesting is that of the source text.
class Finder {
 public:
  explicit Finder(diag::Diagnostics& diags) : diags_(diags) {}

  void visit(const Expr& expr, Type type) {
    if (expr.in_json) return;
    switch (type.kind()) {
      case TypeKind::Object: return visit_object(expr, type);
      case TypeKind::Map: return visit_map(expr, type.element());
      case TypeKind::List:
      case TypeKind::Set: return visit_list(expr, type.element());
      case TypeKind::Tuple: return visit_tuple(expr, type);
      case TypeKind::Dynamic:
      case TypeKind::Bool:
      case TypeKind::Number:
      case TypeKind::String:
      case TypeKind::Capsule: return;
    }
  }

 private:
  // `step` is how the part is named behind what is around it.
  void inside(const Expr& expr, Type type, std::string_view step) {
    const std::size_t length = path_.size();
    path_ += step;
    visit(expr, type);
    path_.resize(length);
  }

  void visit_object(const Expr& expr, Type type);
  void visit_map(const Expr& expr, Type element);
  void visit_list(const Expr& expr, Type element);
  void visit_tuple(const Expr& expr, Type type);
  void report(const Expr& key, const std::string& name, const Expr& literal, Type type);

  diag::Diagnostics& diags_;
  std::string path_;
};

void Finder::report(const Expr& key, const std::string& name, const Expr& literal, Type type) {
  std::vector<std::string_view> names;
  for (const value::ObjectAttribute& attribute : type.attributes()) names.push_back(attribute.name);
  diags_.warning("Object attribute is ignored")
      .detail(fmt::format(
          "The object type{} has no attribute \"{}\", so this value is ignored.{}",
          path_.empty() ? std::string(" of this variable") : fmt::format(" for {}", path_), name,
          base::did_you_mean(name, names)))
      .at(key.range)
      .within(literal.range);
}

void Finder::visit_object(const Expr& expr, Type type) {
  const auto* object = syntax::as_if<syntax::ObjectExpr>(expr);
  if (object == nullptr) return;
  for (const syntax::ObjectItem& item : object->items) {
    const auto name = constant_key(*item.key);
    if (!name) continue;
    if (const auto index = type.attribute_index(*name)) {
      inside(*item.value, type.attributes()[*index].type, "." + *name);
    } else {
      report(*item.key, *name, expr, type);
    }
  }
}

void Finder::visit_map(const Expr& expr, Type element) {
  if (const auto* object = syntax::as_if<syntax::ObjectExpr>(expr)) {
    for (const syntax::ObjectItem& item : object->items) {
      const auto key = constant_key(*item.key);
      if (key) inside(*item.value, element, fmt::format("[{:?}]", *key));
    }
  } else if (const auto* loop = syntax::as_if<syntax::ForExpr>(expr)) {
    if (loop->key != nullptr) inside(*loop->value, element, "[...]");
  }
}

void Finder::visit_list(const Expr& expr, Type element) {
  if (const auto* tuple = syntax::as_if<syntax::TupleExpr>(expr)) {
    for (std::size_t i = 0; i < tuple->items.size(); ++i) {
      inside(*tuple->items[i], element, fmt::format("[{}]", i));
    }
  } else if (const auto* loop = syntax::as_if<syntax::ForExpr>(expr)) {
    if (loop->key == nullptr) inside(*loop->value, element, "[...]");
  }
}

void Finder::visit_tuple(const Expr& expr, Type type) {
  const auto* tuple = syntax::as_if<syntax::TupleExpr>(expr);
  const auto elements = type.elements();
  if (tuple == nullptr || tuple->items.size() != elements.size()) return;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    inside(*tuple->items[i], elements[i], fmt::format("[{}]", i));
  }
}

}  // namespace

void warn_of_dropped_attributes(const Expr& expr, Type type, diag::Diagnostics& diags) {
  Finder(diags).visit(expr, type);
}

}  // namespace tofu::config
