#include "syntax/dynamic.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "base/unicode.h"
#include "syntax/analysis.h"
#include "syntax/evaluator.h"
#include "syntax/shown.h"
#include "value/convert.h"
#include "value/path.h"

namespace tofu::syntax {
namespace {

using diag::Diagnostics;
using value::Type;
using value::Value;

constexpr std::string_view kDynamic = "dynamic";
// Dynamic blocks inside each other make as many blocks as the product of their collections.
constexpr std::size_t kMaxBlocks = std::size_t{1} << 20;

bool read_iterator(const Content& content, DynamicBlock& out, Diagnostics& diags) {
  out.iterator = out.type;
  const Attribute* attribute = content.attribute("iterator");
  if (attribute == nullptr) return true;
  const auto name = as_traversal(*attribute->expr, diags);
  if (!name) return false;
  out.iterator = name->root;
  if (name->steps.empty()) return true;
  diags.error("Invalid dynamic iterator name")
      .detail("The iterator of a dynamic block must be a single name, such as item.")
      .at(name->range);
  return false;
}

bool read_labels(const Content& content, const BlockSchema& made, DynamicBlock& out,
                 Diagnostics& diags) {
  const Attribute* attribute = content.attribute("labels");
  if (attribute == nullptr) return true;
  const auto labels = as_list(*attribute->expr, diags);
  if (!labels) return false;
  out.labels.assign(labels->begin(), labels->end());
  const std::size_t wanted = made.label_names.size();
  if (labels->size() == wanted) return true;
  const bool too_many = labels->size() > wanted;
  diags.error(too_many ? "Extraneous dynamic block label" : "Insufficient dynamic block labels")
      .detail(fmt::format("A block of type {} requires {} label{}; {} given.",
                          base::quote_go(made.type), wanted, wanted == 1 ? "" : "s",
                          labels->size()))
      .at(too_many ? (*labels)[wanted]->range : attribute->expr->range);
  return false;
}

bool read_content(const Content& content, DynamicBlock& out, Diagnostics& diags) {
  if (content.blocks.empty()) {
    diags.error("Missing dynamic content block")
        .detail("A dynamic block requires a \"content\" block, the body of each generated block.")
        .at(content.missing_item_range);
    return false;
  }
  out.content = content.blocks[0].body;
  if (content.blocks.size() == 1) return true;
  diags.error("Extraneous dynamic content block")
      .detail("A dynamic block can have only one \"content\" block.")
      .at(content.blocks[1].range);
  return false;
}

// The collection, with its own marks moved to `marks`.
diag::Checked<Value> collection_of(const Expr& expr, const Scope& scope, value::Marks& marks,
                                   Diagnostics& diags) {
  const std::size_t errors_before = diags.error_count();
  Value collection = strip_marks(evaluate_despite_errors(expr, &scope, diags), marks);
  const auto refuse = [&](std::string detail) {
    diags.error("Invalid dynamic for_each value")
        .detail(std::move(detail))
        .at(expr.range)
        .values(shown_values(expr, &scope));
    return std::nullopt;
  };
  const Type type = collection.type();
  if (!type.is_collection() && !type.is_structural() && !type.is_dynamic()) {
    return refuse(fmt::format("for_each requires a collection, but this value is of type {}.",
                              friendly_name(type)));
  }
  if (collection.is_null()) {
    return refuse("The value of for_each is null. Use an empty collection to generate no blocks.");
  }
  if (diags.error_count() != errors_before) return std::nullopt;
  return collection;
}

diag::Checked<Value> label(const Expr& expr, const Scope& scope, Diagnostics& diags) {
  const auto refuse = [&](std::string detail) {
    diags.error("Invalid dynamic block label")
        .detail(std::move(detail))
        .at(expr.range)
        .values(shown_values(expr, &scope));
    return std::nullopt;
  };
  const auto given = evaluate(expr, &scope, diags);
  if (!given) return std::nullopt;
  auto text = value::convert(*given, Type::string());
  if (!text) {
    return refuse(
        fmt::format("This value cannot be used as a label: {}.", to_string(text.error())));
  }
  if (text->is_null()) return refuse("A label cannot be null.");
  if (!text->is_known()) {
    return refuse("The value is not known yet. Labels must be known when the block is read.");
  }
  if (text->marks().is_sensitive() || text->marks().is_ephemeral()) {
    return refuse("A label cannot be sensitive or ephemeral.");
  }
  return text->unmarked();
}

void add(MadeBlock block, const DynamicBlock& dynamic, const Scope& scope, const Iterator* outer,
         Expansion& out, Diagnostics& diags) {
  if (!dynamic.labels.empty()) {
    const Iterator own{dynamic.iterator, block.key, block.value, outer, block.in_all};
    const IteratorScope inner(scope, &own);
    for (const Expr* expr : dynamic.labels) {
      auto text = label(*expr, inner, diags);
      if (!text) return;
      block.labels.push_back(std::move(*text));
    }
  }
  out.blocks.push_back(std::move(block));
}

}  // namespace

std::optional<Scope::Resolved> IteratorScope::resolve(const Traversal& traversal,
                                                      Diagnostics& diags) const {
  for (const Iterator* at = innermost_; at != nullptr; at = at->outer) {
    if (at->name != traversal.root) continue;
    if (!traversal.steps.empty() && traversal.steps[0].kind == StepKind::Attribute) {
      if (traversal.steps[0].name == "key") return Resolved{at->key, 1};
      if (traversal.steps[0].name == "value") return Resolved{at->value, 1};
    }
    return Resolved{Value::object({{"key", at->key}, {"value", at->value}}), 0};
  }
  return outer_.resolve(traversal, diags);
}

const Function* IteratorScope::function(std::string_view name) const {
  return outer_.function(name);
}

std::vector<std::string_view> IteratorScope::function_names() const {
  return outer_.function_names();
}

DynamicBlock read_dynamic(const Block& block, const BlockSchema& made, Diagnostics& diags) {
  DynamicBlock out;
  out.type = block.labels[0].text;
  out.type_range = block.labels[0].range;
  out.range = block.range;
  BodySchema schema;
  schema.attributes = {{"for_each", true}, {"iterator", false}};
  if (!made.label_names.empty()) schema.attributes.push_back({"labels", true});
  schema.blocks = {{"content", {}}};
  const std::size_t errors_before = diags.error_count();
  const Content content = block.body.content(schema, diags);
  const bool complete = diags.error_count() == errors_before;
  if (const Attribute* each = content.attribute("for_each")) out.for_each = each->expr;
  // One error in such a block is reported; the parts are read all the same.
  Diagnostics unreported;
  out.usable = complete;
  const auto sink = [&]() -> Diagnostics& { return out.usable ? diags : unreported; };
  out.usable &= read_iterator(content, out, sink());
  out.usable &= read_labels(content, made, out, sink());
  out.usable &= read_content(content, out, sink());
  return out;
}

Expansion expand(const DynamicBlock& dynamic, const Scope& scope, const Iterator* outer,
                 Diagnostics& diags) {
  Expansion out;
  const IteratorScope outside(scope, outer);
  const auto collection = collection_of(*dynamic.for_each, outside, out.marks, diags);
  if (!collection) return out;
  if (collection->is_unknown()) {
    out.unknown = true;
    add({Value::unknown(), Value::unknown(), {}, outer == nullptr ? 1 : outer->in_all}, dynamic,
        scope, outer, out, diags);
    return out;
  }
  const std::size_t around = outer == nullptr ? 1 : outer->in_all;
  const std::size_t size = collection->plain().size();
  if (size > kMaxBlocks / around) {
    diags.error("Too many dynamic blocks")
        .detail(fmt::format(
            "With the surrounding dynamic blocks, this one would generate more than {} blocks, the "
            "limit for one argument of a body. Reduce the number of blocks.",
            kMaxBlocks))
        .at(dynamic.for_each->range);
    return out;
  }
  value::for_each_element(collection->plain(), [&](Value key, const Value& element) {
    add({std::move(key), element, {}, around * std::max<std::size_t>(size, 1)}, dynamic, scope,
        outer, out, diags);
  });
  return out;
}

BodySchema with_dynamic(const BodySchema& schema) {
  BodySchema extended = schema;
  extended.blocks.push_back({std::string(kDynamic), {"type"}});
  return extended;
}

}  // namespace tofu::syntax
