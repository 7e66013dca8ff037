#include "syntax/type_expr.h"

#include <fmt/format.h>
#include <set>
#include <utility>
#include <vector>

#include "base/unicode.h"
#include "syntax/analysis.h"
#include "syntax/eval.h"
#include "syntax/evaluator.h"
#include "value/convert.h"
#include "value/path.h"

namespace tofu::syntax {
namespace {

using diag::Diagnostics;
using value::Defaults;
using value::Type;
using value::TypeKind;

constexpr const char* kInvalid = "Invalid type specification";

std::unique_ptr<Defaults> copy_of(const Defaults& defaults) {
  auto copy = std::make_unique<Defaults>();
  copy->type = defaults.type;
  copy->attribute_defaults = defaults.attribute_defaults;
  for (const auto& [name, child] : defaults.children) copy->children.emplace(name, copy_of(*child));
  return copy;
}

// The result: `any` after an error, so that the rest is still checked.
struct Read {
  Type type;
  std::unique_ptr<Defaults> defaults = {};      // null if there are none inside
  std::shared_ptr<const TypeRules> rules = {};  // likewise
};

// The rules of a type from those of its parts; null if none has any.
std::shared_ptr<const TypeRules> rules_of(TypeRules rules) {
  return rules.children.empty() ? nullptr : std::make_shared<const TypeRules>(std::move(rules));
}

class Reader {
 public:
  Reader(const TypeExprOptions& options, Diagnostics& diags) : options_(options), diags_(diags) {}

  Read read(const Expr& expr) {
    const std::string_view word = keyword(expr);
    if (!word.empty()) return read_keyword(word, expr);
    Diagnostics ignored;
    const CallExpr* call = as_call(expr, ignored);
    if (call != nullptr) return read_call(*call, expr);
    if (expr.kind == ExprKind::Invalid) return {};  // the parser has reported it
    return refuse(
        expr.range,
        "Expected a type: bool, number, string, any, or a type constructor such as list(string).");
  }

 private:
  Read refuse(diag::SourceRange at, std::string detail) {
    diags_.error(kInvalid).detail(std::move(detail)).at(at);
    return {};
  }
  Read refuse(diag::SourceRange at, diag::SourceRange context, std::string detail) {
    diags_.error(kInvalid).detail(std::move(detail)).at(at).within(context);
    return {};
  }

  Read read_keyword(std::string_view word, const Expr& expr);
  Read read_call(const CallExpr& call, const Expr& expr);
  Read read_collection(const CallExpr& call);
  Read read_tuple(const CallExpr& call, const Expr& expr);
  Read read_object(const CallExpr& call, const Expr& expr);
  Read read_named(const CallExpr& call, const Expr& expr);
  struct ObjectParts {
    std::vector<value::ObjectAttribute> attributes;
    Defaults defaults;
    TypeRules rules;
  };
  bool read_attribute(const std::string& name, const Expr& expr, ObjectParts& parts);
  // The type inside optional(…), and whether and how the attribute is optional.
  // Null if that cannot be determined, which is reported.
  struct Optional {
    const Expr* type = nullptr;
    const Expr* default_expr = nullptr;
    bool optional = false;
  };
  Optional read_optional(const CallExpr& call);

  const TypeExprOptions& options_;
  Diagnostics& diags_;
};

// The expected arguments of a constructor; empty if it is none.
std::string argument_needed(std::string_view constructor) {
  if (constructor == "list" || constructor == "set" || constructor == "map") {
    return fmt::format("{}(…) requires one argument: the element type.", constructor);
  }
  if (constructor == "object") {
    return "object(…) requires one argument: the attribute types in braces, such as object({ name "
           "= string }).";
  }
  if (constructor == "tuple") {
    return "tuple(…) requires one argument: the element types in brackets, such as tuple([string, "
           "number]).";
  }
  return {};
}

Read Reader::read_keyword(std::string_view word, const Expr& expr) {
  if (word == "bool") return {Type::boolean(), nullptr};
  if (word == "string") return {Type::string(), nullptr};
  if (word == "number") return {Type::number(), nullptr};
  if (word == "any") {
    if (options_.allow_any) return {};
    return refuse(expr.range, "An exact type is required here; any is not allowed.");
  }
  std::string needed = argument_needed(word);
  if (!needed.empty()) return refuse(expr.range, std::move(needed));
  return refuse(expr.range, fmt::format("{} is not a valid type.", base::quote_go(word)));
}

Read Reader::read_call(const CallExpr& call, const Expr& expr) {
  const diag::SourceRange in_parentheses = diag::cover(call.open_range, call.close_range);
  const std::string_view name = call.name;
  if (name == "bool" || name == "string" || name == "number" || name == "any") {
    return refuse(in_parentheses, fmt::format("The type {} takes no arguments.", name));
  }
  std::string needed = argument_needed(name);
  if (!needed.empty() && call.arguments.size() != 1) {
    const diag::SourceRange at =
        call.arguments.size() < 2
            ? in_parentheses
            : diag::cover(call.arguments[1]->range, call.arguments.back()->range);
    return refuse(at, in_parentheses, std::move(needed));
  }
  if (name == "object") return read_object(call, expr);
  if (name == "tuple") return read_tuple(call, expr);
  if (!needed.empty()) return read_collection(call);
  if (name == "optional") {
    return refuse(call.name_range,
                  "optional(…) is allowed only for an attribute of an object type.");
  }
  return read_named(call, expr);
}

Read Reader::read_collection(const CallExpr& call) {
  Read element = read(*call.arguments[0]);
  Read result;
  result.type = call.name == "list"  ? Type::list(element.type)
                : call.name == "set" ? Type::set(element.type)
                                     : Type::map(element.type);
  if (element.defaults != nullptr) {
    result.defaults = std::make_unique<Defaults>();
    result.defaults->type = result.type;
    result.defaults->children.emplace("", std::move(element.defaults));
  }
  TypeRules rules;
  if (element.rules != nullptr) rules.children.emplace("", std::move(element.rules));
  result.rules = rules_of(std::move(rules));
  return result;
}

Read Reader::read_tuple(const CallExpr& call, const Expr& expr) {
  Diagnostics ignored;
  const auto items = as_list(*call.arguments[0], ignored);
  if (!items) return refuse(call.arguments[0]->range, expr.range, argument_needed("tuple"));
  std::vector<Type> elements;
  auto defaults = std::make_unique<Defaults>();
  TypeRules rules;
  for (const Expr* item : *items) {
    Read element = read(*item);
    if (element.rules != nullptr) {
      rules.children.emplace(std::to_string(elements.size()), std::move(element.rules));
    }
    if (element.defaults != nullptr) {
      defaults->children.emplace(std::to_string(elements.size()), std::move(element.defaults));
    }
    elements.push_back(element.type);
  }
  Read result;
  result.type = Type::tuple(elements);
  result.rules = rules_of(std::move(rules));
  if (!defaults->children.empty()) {
    defaults->type = result.type;
    result.defaults = std::move(defaults);
  }
  return result;
}

// The name that a key of an object type spells; empty if it is something else.
std::string attribute_name(const Expr& key) {
  const auto* native = as_if<ObjectKeyExpr>(key);
  if (native == nullptr || native->forced) return {};
  return base::to_nfc(bare_word(*native->wrapped));
}

Read Reader::read_object(const CallExpr& call, const Expr& expr) {
  Diagnostics ignored;
  const auto items = as_map(*call.arguments[0], ignored);
  if (!items) return refuse(call.arguments[0]->range, expr.range, argument_needed("object"));
  ObjectParts parts;
  std::set<std::string, std::less<>> seen;
  for (const ObjectItem& item : *items) {
    const std::string name = attribute_name(*item.key);
    if (name.empty()) {
      refuse(item.key->range, expr.range, "The keys of an object type must be attribute names.");
    } else if (seen.contains(name)) {
      refuse(item.key->range, expr.range,
             fmt::format("The attribute {} is already declared.", base::quote_go(name)));
    } else if (read_attribute(name, *item.value, parts)) {
      seen.insert(name);
    }
  }
  Read result;
  result.type = Type::object(std::move(parts.attributes));
  result.rules = rules_of(std::move(parts.rules));
  if (!parts.defaults.attribute_defaults.empty() || !parts.defaults.children.empty()) {
    parts.defaults.type = result.type;
    result.defaults = std::make_unique<Defaults>(std::move(parts.defaults));
  }
  return result;
}

Reader::Optional Reader::read_optional(const CallExpr& call) {
  const diag::SourceRange in_parentheses = diag::cover(call.open_range, call.close_range);
  Optional result;
  if (call.arguments.empty()) {
    refuse(in_parentheses, call.range, "optional(…) requires the attribute type.");
    return result;
  }
  result.type = call.arguments[0];
  if (!options_.allow_optional) {
    refuse(call.name_range, call.range, "An exact type is required here, without optional(…).");
  } else if (call.arguments.size() > 2) {
    refuse(in_parentheses, call.range,
           "optional(…) expects the attribute type and optionally a default value.");
  } else {
    result.optional = true;
    if (call.arguments.size() == 2) result.default_expr = call.arguments[1];
  }
  return result;
}

// False if not even the type could be determined.
bool Reader::read_attribute(const std::string& name, const Expr& expr, ObjectParts& parts) {
  Optional optional{&expr, nullptr, false};
  Diagnostics ignored;
  const CallExpr* call = as_call(expr, ignored);
  if (call != nullptr && call->name == "optional") {
    optional = read_optional(*call);
    if (optional.type == nullptr) return false;
  }
  std::optional<value::Value> default_value;
  if (optional.default_expr != nullptr) {
    default_value = evaluate(*optional.default_expr, nullptr, diags_);
    if (!default_value) optional.optional = false;
  }
  Read type = read(*optional.type);
  if (default_value) {
    auto converted = value::convert(*default_value, type.type);
    if (converted) {
      parts.defaults.attribute_defaults.emplace(name, std::move(*converted));
    } else {
      diags_.error("Invalid default value for optional attribute")
          .detail(fmt::format("The default value does not match the attribute's type: {}.",
                              to_string(converted.error())))
          .at(optional.default_expr->range);
    }
  }
  if (type.defaults != nullptr) parts.defaults.children.emplace(name, std::move(type.defaults));
  if (type.rules != nullptr) parts.rules.children.emplace(name, std::move(type.rules));
  parts.attributes.push_back({name, type.type, optional.optional});
  return true;
}

Read Reader::read_named(const CallExpr& call, const Expr& expr) {
  if (options_.named_type) {
    TypeConstraint named;
    const std::size_t errors_before = diags_.error_count();
    if (options_.named_type(call, named, diags_)) {
      if (diags_.error_count() != errors_before) return {};
      return {named.type, named.defaults == nullptr ? nullptr : copy_of(*named.defaults),
              std::move(named.rules)};
    }
  }
  return refuse(expr.range,
                fmt::format("{} is not a valid type constructor.", base::quote_go(call.name)));
}

void append_text(std::string& out, Type type) {
  switch (type.kind()) {
    case TypeKind::Dynamic: out += "any"; return;
    case TypeKind::Bool: out += "bool"; return;
    case TypeKind::Number: out += "number"; return;
    case TypeKind::String: out += "string"; return;
    case TypeKind::List:
    case TypeKind::Set:
    case TypeKind::Map:
      out += type.kind() == TypeKind::List  ? "list("
             : type.kind() == TypeKind::Set ? "set("
                                            : "map(";
      append_text(out, type.element());
      out += ')';
      return;
    case TypeKind::Tuple: {
      out += "tuple([";
      bool first = true;
      for (const Type element : type.elements()) {
        if (!std::exchange(first, false)) out += ',';
        append_text(out, element);
      }
      out += "])";
      return;
    }
    case TypeKind::Object: {
      out += "object({";
      bool first = true;
      for (const value::ObjectAttribute& attribute : type.attributes()) {
        if (!std::exchange(first, false)) out += ',';
        out +=
            base::is_identifier(attribute.name) ? attribute.name : base::quote_go(attribute.name);
        out += '=';
        append_text(out, attribute.type);
      }
      out += "})";
      return;
    }
    case TypeKind::Capsule: out += type.capsule_name(); return;
  }
}

// Types in quotes were the only ones there were, long ago.
void refuse_quoted(const Expr& expr, Diagnostics& diags) {
  const auto text = evaluate(expr, nullptr, diags);
  if (!text) return;
  const std::string_view word = text->plain().as_string();
  std::string instead;
  if (word == "string") instead = "string";
  if (word == "list" || word == "map") instead = fmt::format("{}(string)", word);
  diags.error("Invalid quoted type constraints")
      .detail(instead.empty() ? std::string("Write the type without quotes.")
                              : fmt::format("Write the type without quotes: {}.", instead))
      .at(expr.range);
}

}  // namespace

diag::Checked<TypeConstraint> read_type(const Expr& expr, const TypeExprOptions& options,
                                        Diagnostics& diags) {
  const std::size_t errors_before = diags.error_count();
  Read result = Reader(options, diags).read(expr);
  if (diags.error_count() != errors_before) return std::nullopt;
  return TypeConstraint{result.type, std::move(result.defaults), std::move(result.rules)};
}

value::PathResult<value::Value> fit(const TypeConstraint& constraint, value::Value value) {
  if (constraint.defaults != nullptr && !value.is_null()) {
    value = value::apply_defaults(*constraint.defaults, value);
  }
  if (constraint.defaults != nullptr || !conforms(value.type(), constraint.type)) {
    auto converted = value::convert(value, constraint.type);
    if (!converted) return converted;
    value = std::move(*converted);
  }
  if (constraint.rules != nullptr) {
    if (auto problem = broken_rule(*constraint.rules, value)) return std::move(*problem);
  }
  return value;
}

std::optional<TypeConstraint> read_variable_type(const Expr& expr, const TypeExprOptions& options,
                                                 Diagnostics& diags) {
  if (expr.kind == ExprKind::Template) {
    refuse_quoted(expr, diags);
    return std::nullopt;
  }
  const std::string_view word = keyword(expr);
  if (word == "list") return TypeConstraint{Type::list(Type::dynamic()), nullptr};
  if (word == "map") return TypeConstraint{Type::map(Type::dynamic()), nullptr};
  return read_type(expr, options, diags);
}

std::string type_expr_text(Type type) {
  std::string out;
  append_text(out, type);
  return out;
}

}  // namespace tofu::syntax
