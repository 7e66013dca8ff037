// The syntax tree of expressions: what an author wrote, names bound, nothing
// evaluated.
//
// Nodes live in the arena of their syntax::File and are trivially destructible;
// constants point to values the File keeps. Each node has a tag; there are no
// virtual functions. Names bound by `for` and by splats are numbered when parsed
// (LocalExpr), so evaluation looks up by name only what comes from outside.
//
// Promise: nesting is at most kMaxNesting, so recursive walks are safe. One
// exception, because generated code has sums of 100,000 terms: the chain of
// `left` operands that are themselves BinaryExpr may be of any length, and every
// walk has to go down that chain with a loop (see left_spine).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "diag/diagnostic.h"
#include "diag/source.h"
#include "value/value.h"

namespace tofu::syntax {

inline constexpr int kMaxNesting = 1'000;

// Stack that is enough to parse, check and evaluate a tree at that limit which calls
// functions of libraries at theirs. A thread that evaluates is a base::Thread with this
// much; only what is used of it costs memory.
inline constexpr std::size_t kTaskStack = std::size_t{16} << 20;

enum class ExprKind : std::uint8_t {
  Literal,
  Template,
  TemplateWrap,
  TemplateJoin,
  Variable,
  Local,
  RelativeTraversal,
  Index,
  Splat,
  Call,
  Conditional,
  Binary,
  Unary,
  Parens,
  Tuple,
  Object,
  ObjectKey,
  For,
  JsonString,
  Invalid,  // stands where a syntax error was reported
};

struct Expr {
  ExprKind kind;
  bool in_json;  // written in JSON syntax, where true, false and null cannot be names
  diag::SourceRange range;
};

// A number, bool or null; the literal parts of templates; constants in JSON.
struct LiteralExpr : Expr {
  static constexpr ExprKind kKind = ExprKind::Literal;
  const value::Value* value;  // kept by the File
};

// "a ${b} c" or a heredoc: always a string. `"abc"` is one with one Literal part.
struct TemplateExpr : Expr {
  static constexpr ExprKind kKind = ExprKind::Template;
  std::span<const Expr* const> parts;
  bool heredoc = false;
};

// "${x}" and nothing else: the value of x with its own type.
struct TemplateWrapExpr : Expr {
  static constexpr ExprKind kKind = ExprKind::TemplateWrap;
  const Expr* wrapped;
};

// %{ for … }: joins the strings that a ForExpr makes.
struct TemplateJoinExpr : Expr {
  static constexpr ExprKind kKind = ExprKind::TemplateJoin;
  const Expr* tuple;
};

enum class StepKind : std::uint8_t { Attribute, Index, Splat };

// `.name`, `[key]` with a constant key, or (only in what parse_traversal
// accepts) `[*]`.
struct TraversalStep {
  StepKind kind;
  diag::SourceRange range;
  std::string_view name;              // of an Attribute, as written
  const value::Value* key = nullptr;  // of an Index: a string, number, bool or null
};

// A root name and the constant steps after it, such as var.a.b["c"][0].
struct Traversal {
  std::string_view root;
  diag::SourceRange root_range;
  std::span<const TraversalStep> steps;
  diag::SourceRange range;
};

// A name from outside the expression and the constant steps after it.
struct VariableExpr : Expr {
  static constexpr ExprKind kKind = ExprKind::Variable;
  Traversal traversal;
};

// A name bound by an enclosing `for`, or the element of an enclosing splat
// (whose name is empty), and the constant steps after it.
struct LocalExpr : Expr {
  static constexpr ExprKind kKind = ExprKind::Local;
  std::uint32_t slot;  // counted from the outermost binder of the whole expression
  Traversal traversal;
};

struct RelativeTraversalExpr : Expr {
  static constexpr ExprKind kKind = ExprKind::RelativeTraversal;
  const Expr* source;
  std::span<const TraversalStep> steps;
};

struct IndexExpr : Expr {
  static constexpr ExprKind kKind = ExprKind::Index;
  const Expr* collection;
  const Expr* key;
  diag::SourceRange open_range;
  diag::SourceRange bracket_range;  // from `[` to `]`
};

struct SplatExpr : Expr {
  static constexpr ExprKind kKind = ExprKind::Splat;
  const Expr* source;
  const Expr* each;  // evaluated for each element, with LocalExpr `slot` as the element
  std::uint32_t slot;
  diag::SourceRange marker_range;  // `.*` or `[*]`
};

struct CallExpr : Expr {
  static constexpr ExprKind kKind = ExprKind::Call;
  std::string_view name;  // with namespaces: provider::aws::arn_parse
  diag::SourceRange name_range;
  std::span<const Expr* const> arguments;
  bool expand_final = false;  // f(xs...)
  diag::SourceRange open_range;
  diag::SourceRange close_range;
};

struct ConditionalExpr : Expr {
  static constexpr ExprKind kKind = ExprKind::Conditional;
  const Expr* condition;
  const Expr* if_true;
  const Expr* if_false;
};

enum class BinaryOp : std::uint8_t {
  Or,
  And,
  Equal,
  NotEqual,
  Greater,
  GreaterEqual,
  Less,
  LessEqual,
  Add,
  Subtract,
  Multiply,
  Divide,
  Modulo,
};
enum class UnaryOp : std::uint8_t { Not, Negate };

struct BinaryExpr : Expr {
  static constexpr ExprKind kKind = ExprKind::Binary;
  BinaryOp op;
  const Expr* left;
  const Expr* right;
  diag::SourceRange op_range;
};

struct UnaryExpr : Expr {
  static constexpr ExprKind kKind = ExprKind::Unary;
  UnaryOp op;
  const Expr* operand;
  diag::SourceRange op_range;
};

struct ParensExpr : Expr {
  static constexpr ExprKind kKind = ExprKind::Parens;
  const Expr* inner;
};

struct TupleExpr : Expr {
  static constexpr ExprKind kKind = ExprKind::Tuple;
  std::span<const Expr* const> items;
  diag::SourceRange open_range;
};

struct ObjectItem {
  const Expr* key;  // an ObjectKeyExpr in native syntax, a JsonStringExpr in JSON
  const Expr* value;
};

struct ObjectExpr : Expr {
  static constexpr ExprKind kKind = ExprKind::Object;
  std::span<const ObjectItem> items;
  diag::SourceRange open_range;
};

// The key of an object item. A bare name (also true, false, null, or a name that
// an enclosing `for` binds) is the name itself, not a variable: analysis.h's
// keyword(wrapped) says which. In parentheses (`forced`) it is an expression.
struct ObjectKeyExpr : Expr {
  static constexpr ExprKind kKind = ExprKind::ObjectKey;
  const Expr* wrapped;
  bool forced = false;
};

struct ForExpr : Expr {
  static constexpr ExprKind kKind = ExprKind::For;
  std::string_view key_name;  // empty if only the value is named
  std::string_view value_name;
  std::uint32_t key_slot;  // bound even when unnamed; value_slot is key_slot + 1
  std::uint32_t value_slot;
  const Expr* collection;
  const Expr* key = nullptr;  // only in the object form
  const Expr* value;
  const Expr* condition = nullptr;
  bool group = false;  // `...` after the value
  diag::SourceRange open_range;
  diag::SourceRange close_range;
};

// A string in JSON syntax: a template where there is a scope, otherwise itself.
// Static reading (analysis.h) may also take it for a traversal or a call.
struct JsonStringExpr : Expr {
  static constexpr ExprKind kKind = ExprKind::JsonString;
  std::string_view text;        // without quotes and escapes, not normalized
  const value::Value* literal;  // the same as a value
  const Expr* parsed;           // as a template; Invalid if there are `errors`
  // Errors in the template, reported when it is evaluated. Null if nothing is.
  const std::vector<diag::Diagnostic>* errors = nullptr;
  const Traversal* traversal = nullptr;  // what a.b["c"] in the string means; null if it is none
  const CallExpr* call = nullptr;  // what list(string) in the string means; null if it is none
};

struct InvalidExpr : Expr {
  static constexpr ExprKind kKind = ExprKind::Invalid;
};

template <class Node>
const Node& as(const Expr& expr) {
  TOFU_CHECK(expr.kind == Node::kKind, "an expression is read as the kind it has");
  return static_cast<const Node&>(expr);
}
template <class Node>
const Node* as_if(const Expr& expr) {
  return expr.kind == Node::kKind ? static_cast<const Node*>(&expr) : nullptr;
}

// The binary operations from `expr` down its left operands, outermost first; the
// last one's `left` is no BinaryExpr. Empty if `expr` is none itself.
inline std::vector<const BinaryExpr*> left_spine(const Expr& expr) {
  std::vector<const BinaryExpr*> spine;
  for (auto* binary = as_if<BinaryExpr>(expr); binary; binary = as_if<BinaryExpr>(*binary->left)) {
    spine.push_back(binary);
  }
  return spine;
}

}  // namespace tofu::syntax
