#include <algorithm>

#include "schema/decode.h"
#include "syntax/analysis.h"
#include "syntax/dynamic.h"

namespace tofu::schema {

namespace {

using Names = std::vector<std::string_view>;

// Finds what a body refers to, with the names of the iterators in force.
class Finder {
 public:
  explicit Finder(Uses& out) : out_(out) {}

  void body(const syntax::Body& body, const Block& schema, const Names& iterators);

 private:
  void expression(const syntax::Expr& expr, const Names& iterators);
  void dynamic(const syntax::Block& block, const Block& schema, const Names& iterators);

  Uses& out_;
  diag::Diagnostics ignored_;  // decode() reports the same mistakes
};

void Finder::expression(const syntax::Expr& expr, const Names& iterators) {
  for (const syntax::Traversal* traversal : syntax::variables(expr)) {
    if (std::ranges::find(iterators, traversal->root) != iterators.end()) continue;
    out_.variables.push_back(traversal);
  }
  for (const syntax::CallExpr* call : syntax::calls(expr)) out_.calls.push_back(call);
}

void Finder::body(const syntax::Body& body, const Block& schema, const Names& iterators) {
  const syntax::Content content = body.content(syntax::with_dynamic(body_schema(schema)), ignored_);
  for (const syntax::Attribute& attribute : content.attributes) {
    expression(*attribute.expr, iterators);
  }
  for (const syntax::Block& block : content.blocks) {
    if (block.type == "dynamic") {
      dynamic(block, schema, iterators);
    } else if (const NestedBlock* nested = schema.block(block.type)) {
      this->body(block.body, *nested->block, iterators);
    }
  }
}

void Finder::dynamic(const syntax::Block& block, const Block& schema, const Names& iterators) {
  if (block.labels.empty()) return;
  const NestedBlock* nested = schema.block(block.labels[0].text);
  if (nested == nullptr) return;
  static const syntax::BodySchema kDynamic = {
      {{"for_each", true}, {"iterator", false}, {"labels", false}}, {{"content", {}}}};
  const syntax::Content content = block.body.content(kDynamic, ignored_);
  Names inner = iterators;
  inner.push_back(block.labels[0].text);
  if (const syntax::Attribute* name = content.attribute("iterator")) {
    if (const auto traversal = syntax::traversal_if(*name->expr)) inner.back() = traversal->root;
  }
  // for_each stands outside its own iterator; labels stand inside.
  if (const syntax::Attribute* each = content.attribute("for_each")) {
    expression(*each->expr, iterators);
  }
  if (const syntax::Attribute* labels = content.attribute("labels")) {
    expression(*labels->expr, inner);
  }
  for (const syntax::Block& inside : content.blocks) body(inside.body, *nested->block, inner);
}

}  // namespace

Uses uses(const syntax::Body& body, const Block& schema) {
  Uses out;
  Finder(out).body(body, schema, {});
  return out;
}

}  // namespace tofu::schema
