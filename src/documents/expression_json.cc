#include "documents/expression_json.h"

#include <map>
#include <variant>
#include <vector>

#include "base/overloaded.h"
#include "diag/diagnostic.h"
#include "schema/layout.h"
#include "syntax/analysis.h"
#include "syntax/eval.h"
#include "value/json.h"

namespace tofu::documents {

namespace {

// The object without its key, or without its output: what a reader may look for.
std::string wider_subject(const addrs::Subject& subject) {
  return std::visit(base::Overloaded{
                        [](const addrs::ModuleCallInstance& a) {
                          return a.key == addrs::InstanceKey{} ? std::string() : a.call.to_string();
                        },
                        [](const addrs::ResourceInstance& a) {
                          return a.key == addrs::InstanceKey{} ? std::string()
                                                               : a.resource.to_string();
                        },
                        [](const addrs::ModuleCallOutput& a) { return a.call.to_string(); },
                        [](const auto&) { return std::string(); },
                    },
                    subject);
}

// From the longest to the shortest: a.b.c, a.b and so on.
void append_reference(const addrs::Reference& reference, std::vector<std::string>& out) {
  const std::string subject = addrs::to_string(reference.subject);
  for (std::size_t length = reference.remaining.size(); length > 0; --length) {
    out.push_back(subject + addrs::to_text(reference.remaining.first(length)));
  }
  out.push_back(subject);
  std::string wider = wider_subject(reference.subject);
  if (!wider.empty()) out.push_back(std::move(wider));
}

std::vector<std::string> references_of(const syntax::Expr& expr,
                                       const addrs::ParseRefContext& context) {
  diag::Diagnostics ignored;  // validation reports them
  std::vector<std::string> out;
  for (const syntax::Traversal* traversal : syntax::variables(expr)) {
    const auto reference = addrs::parse_reference(*traversal, context, ignored);
    if (reference) append_reference(*reference, out);
  }
  for (const syntax::CallExpr* call : syntax::calls(expr)) {
    if (call->name.starts_with("provider::")) out.emplace_back(call->name);
  }
  return out;
}

// Empty if the expression is not a constant.
std::string constant_of(const syntax::Expr& expr) {
  diag::Diagnostics ignored;
  const auto v = syntax::evaluate(expr, nullptr, ignored);
  if (!v) return "";
  const auto json = value::to_json(*v);
  return json ? *json : "";
}

// The contents of a block type of a body, as text that is joined at the end: an object for each
// block of a list, or by label of a map.
using Written = std::map<std::string, std::string>;

void append_block(const schema::NestedBlock& nested, const syntax::Block& block,
                  const addrs::ParseRefContext& context, Written& singles,
                  std::map<std::string, std::vector<std::string>>& lists,
                  std::map<std::string, Written>& maps) {
  std::string json = expressions_json(block.body, *nested.block, context);
  switch (nested.nesting) {
    case schema::Nesting::Single:
    case schema::Nesting::Group: singles[nested.name] = std::move(json); return;
    case schema::Nesting::List:
    case schema::Nesting::Set: lists[nested.name].push_back(std::move(json)); return;
    case schema::Nesting::Map:
      maps[nested.name][std::string(block.labels[0].text)] = std::move(json);
      return;
  }
}

std::string object_text(const Written& written) {
  std::string out;
  base::JsonWriter json(out);
  json.begin_object();
  for (const auto& [name, text] : written) {
    json.key(name);
    json.raw(text);
  }
  json.end_object();
  return out;
}

std::string array_text(const std::vector<std::string>& items) {
  std::string out;
  base::JsonWriter json(out);
  json.begin_array();
  for (const std::string& item : items) json.raw(item);
  json.end_array();
  return out;
}

}  // namespace

std::string expression_json(const syntax::Expr& expr, const addrs::ParseRefContext& context) {
  std::string out;
  base::JsonWriter json(out);
  json.begin_object();
  if (const std::string constant = constant_of(expr); !constant.empty()) {
    json.key("constant_value");
    json.raw(constant);
  }
  if (const auto references = references_of(expr, context); !references.empty()) {
    json.key("references");
    json.begin_array();
    for (const std::string& reference : references) json.string(reference);
    json.end_array();
  }
  json.end_object();
  return out;
}

std::string expressions_json(const syntax::Body& body, const schema::Block& schema,
                             const addrs::ParseRefContext& context) {
  diag::Diagnostics ignored;  // validation reports them
  const auto read = body.partial_content(schema::body_schema(schema), ignored);
  Written all;
  for (const syntax::Attribute& attribute : read.content.attributes) {
    all[std::string(attribute.name)] = expression_json(*attribute.expr, context);
  }
  std::map<std::string, std::vector<std::string>> lists;
  std::map<std::string, Written> maps;
  for (const syntax::Block& block : read.content.blocks) {
    const schema::NestedBlock* nested = schema.block(block.type);
    if (nested != nullptr) append_block(*nested, block, context, all, lists, maps);
  }
  for (const auto& [name, items] : lists) all[name] = array_text(items);
  for (const auto& [name, items] : maps) all[name] = object_text(items);
  return object_text(all);
}

}  // namespace tofu::documents
