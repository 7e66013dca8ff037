#include "syntax/type_expr.h"

#include <gtest/gtest.h>

#include "tests/syntax/evaluated.h"

namespace tofu::syntax {
namespace {

using value::Type;

std::string with_optional(Type type) {
  std::string out;
  if (type.kind() != value::TypeKind::Object) {
    if (!type.is_collection()) return type_expr_text(type);
    out = type_expr_text(type);
    return out.substr(0, out.find('(') + 1) + with_optional(type.element()) + ")";
  }
  for (const value::ObjectAttribute& attribute : type.attributes()) {
    if (!out.empty()) out += ", ";
    out += attribute.name + (attribute.optional ? "? " : " ") + with_optional(attribute.type);
  }
  return "{" + out + "}";
}

std::string defaults_text(const value::Defaults* defaults) {
  if (defaults == nullptr) return "";
  std::string out;
  for (const auto& [name, value] : defaults->attribute_defaults) {
    out += " " + name + "=" + plain_text(value);
  }
  for (const auto& [name, child] : defaults->children) {
    out += " " + (name.empty() ? "*" : name) + "(" + defaults_text(child.get()) + " )";
  }
  return out;
}

struct Source {
  explicit Source(std::string_view text) {
    file = parse_expression(sources, sources.add("test", std::string(text)), diags);
  }
  diag::SourceMap sources;
  diag::Diagnostics diags;
  std::unique_ptr<File> file;
};

using Read = std::optional<TypeConstraint>(const Expr&, const TypeExprOptions&, diag::Diagnostics&);

std::string outcome(std::string_view text, const TypeExprOptions& options = {},
                    Read* read = read_type) {
  Source source(text);
  const auto type = read(*source.file->expr, options, source.diags);
  if (!type) return error_places(source.diags);
  return with_optional(type->type) + defaults_text(type->defaults.get());
}

TEST(TypeExpr, ReadsEveryKindOfType) {
  EXPECT_EQ(outcome("string"), "string");
  EXPECT_EQ(outcome("number"), "number");
  EXPECT_EQ(outcome("bool"), "bool");
  EXPECT_EQ(outcome("any"), "any");
  EXPECT_EQ(outcome("list(set(map(any)))"), "list(set(map(any)))");
  EXPECT_EQ(outcome("tuple([string, list(bool)])"), "tuple([string,list(bool)])");
  EXPECT_EQ(outcome("tuple([])"), "tuple([])");
  EXPECT_EQ(outcome("object({})"), "{}");
  EXPECT_EQ(outcome("object({ b = string, a = object({ null = bool }) })"),
            "{a {null bool}, b string}");
}

TEST(TypeExpr, OptionalAttributesMayHaveDefaults) {
  EXPECT_EQ(outcome("object({ a = optional(string) })"), "{a? string}");
  EXPECT_EQ(outcome("object({ a = optional(string, 5), b = optional(number, null) })"),
            "{a? string, b? number} a=\"5\" b=null(number)");
  EXPECT_EQ(outcome("list(object({ a = optional(object({ b = optional(bool, true) }), {}) }))"),
            "list({a? {b? bool}}) *( a={b = null(bool)} a( b=true ) )");
  EXPECT_EQ(outcome("tuple([string, object({ a = optional(any, [1]) })])"),
            "tuple([string,object({a=any})]) 1( a=[1] )");
}

// Recorded from OpenTofu, as byte ranges.
TEST(TypeExpr, ErrorsPointAtTheFaultyPart) {
  const std::vector<Row> rows{
      {"list", "error 0-4"},
      {"object", "error 0-6"},
      {"tuple", "error 0-5"},
      {"strng", "error 0-5"},
      {"null", "error 0-4"},
      {"\"string\"", "error 0-8"},
      {"1", "error 0-1"},
      {"a.b", "error 0-3"},
      {"string()", "error 6-8"},
      {"any(string)", "error 3-11"},
      {"list()", "error 4-6 in 4-6"},
      {"list(string, bool, any)", "error 13-22 in 4-23"},
      {"object(string)", "error 7-13 in 0-14"},
      {"tuple(string)", "error 6-12 in 0-13"},
      {"optional(string)", "error 0-8"},
      {"what(string)", "error 0-12"},
      {"list(strng)", "error 5-10"},
      {"tuple([a, b])", "error 7-8, error 10-11"},
      {"object({ (a) = string })", "error 9-12 in 0-24"},
      {"object({ a = string, a = bool })", "error 21-22 in 0-32"},
      {"object({ a = optional() })", "error 21-23 in 13-23"},
      {"object({ a = optional(string, 1, 2) })", "error 21-35 in 13-35"},
      {"object({ a = optional(string, []) })", "error 30-32"},
      {"object({ a = optional(string, x) })", "error 30-31"},
      {"object({ a = optional(string, f()) })", "error 30-33"},
  };
  for (const Row& row : rows) EXPECT_EQ(outcome(row.text), row.want) << row.text;
}

TEST(TypeExpr, AnExactTypeHasNoAnyAndNothingOptional) {
  TypeExprOptions exact;
  exact.allow_any = false;
  exact.allow_optional = false;
  EXPECT_EQ(outcome("list(string)", exact), "list(string)");
  EXPECT_EQ(outcome("list(any)", exact), "error 5-8");
  EXPECT_EQ(outcome("object({ a = optional(any) })", exact), "error 13-21 in 13-26, error 22-25");
}

TEST(TypeExpr, UnknownConstructorsAreOfferedToTheCaller) {
  TypeExprOptions options;
  options.named_type = [](const CallExpr& call, TypeConstraint& out, diag::Diagnostics& diags) {
    if (!call.name.starts_with("symbols::")) return false;
    if (call.name == "symbols::lib::bad") diags.error("No such type").at(call.name_range);
    out.type = Type::object({{"x", Type::number(), true}});
    auto defaults = std::make_shared<value::Defaults>();
    defaults->type = out.type;
    defaults->attribute_defaults.emplace("x", value::Value::integer(1));
    out.defaults = defaults;
    return true;
  };
  EXPECT_EQ(outcome("map(symbols::lib::point())", options), "map({x? number}) *( x=1 )");
  EXPECT_EQ(outcome("symbols::lib::bad()", options), "error 0-17");
  EXPECT_EQ(outcome("other::point()", options), "error 0-14");
}

TEST(TypeExpr, VariablesMayUseTheOldShorthands) {
  EXPECT_EQ(outcome("list", {}, read_variable_type), "list(any)");
  EXPECT_EQ(outcome("map", {}, read_variable_type), "map(any)");
  EXPECT_EQ(outcome("set", {}, read_variable_type), "error 0-3");
  EXPECT_EQ(outcome("list(list)", {}, read_variable_type), "error 5-9");
  for (const std::string_view quoted : {"\"string\"", "\"list\"", "\"map\"", "\"list(string)\""}) {
    EXPECT_EQ(outcome(quoted, {}, read_variable_type), fmt::format("error 0-{}", quoted.size()));
  }
}

TEST(TypeExpr, JsonSpellsTypesAsStrings) {
  const auto json = [](std::string_view type) {
    diag::SourceMap sources;
    diag::Diagnostics diags;
    const auto id = sources.add("test.json", fmt::format("{{\"type\": \"{}\"}}", type));
    const auto file = parse_json_file(sources, id, diags);
    const auto attributes = file->body().just_attributes(diags);
    const auto read = read_variable_type(*attributes[0].expr, {}, diags);
    return read ? with_optional(read->type) : error_places(diags);
  };
  EXPECT_EQ(json("string"), "string");
  EXPECT_EQ(json("list"), "list(any)");
  EXPECT_EQ(json("map(object({a = optional(string)}))"), "map({a? string})");
  EXPECT_EQ(json("strng"), "error 9-16");
}

TEST(TypeExprText, WritesATypeAsAnAuthorWould) {
  const Type type = Type::object(
      {{"b c", Type::list(Type::dynamic())}, {"a", Type::set(Type::map(Type::boolean())), true}});
  EXPECT_EQ(type_expr_text(type), "object({a=set(map(bool)),\"b c\"=list(any)})");
}

}  // namespace
}  // namespace tofu::syntax
