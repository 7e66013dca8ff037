#include "syntax/dynamic.h"

#include <algorithm>
#include <fmt/format.h>
#include <unordered_map>
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

// What a `dynamic` block says, evaluated once for all blocks it makes.
struct Recipe {
  const BlockSchema* type;
  std::string iterator;
  Value for_each;  // without its own marks
  value::Marks marks;
  std::vector<const Expr*> labels;
  Body content;
};

class Expander {
 public:
  Expander(const Scope& scope, std::shared_ptr<const Iterator> iterators, Diagnostics& diags)
      : scope_(scope), iterators_(std::move(iterators)), diags_(diags) {}

  void add_written(const Block& block) { blocks_.push_back({block, iterators_, false, {}, {}}); }
  void add_dynamic(const Block& block, const BlockSchema& type);
  std::vector<ExpandedBlock> take() { return std::move(blocks_); }

 private:
  std::optional<Recipe> read(const Block& block, const BlockSchema& type);
  bool read_iterator(const Content& content, Recipe& recipe);
  bool read_for_each(const Content& content, const Scope& scope, Recipe& recipe);
  bool read_labels(const Content& content, Recipe& recipe);
  bool read_content(const Content& content, Recipe& recipe);
  void add(const Block& block, const Recipe& recipe, Value key, Value element, bool unknown);
  bool label(const Expr& expr, const Scope& scope, ExpandedBlock& out);

  const Scope& scope_;
  std::shared_ptr<const Iterator> iterators_;  // shared with the blocks made here
  Diagnostics& diags_;
  std::vector<ExpandedBlock> blocks_;
};

void Expander::add_dynamic(const Block& block, const BlockSchema& type) {
  const auto recipe = read(block, type);
  if (!recipe) return;
  if (recipe->for_each.is_unknown()) {
    add(block, *recipe, Value::unknown(), Value::unknown(), true);
    return;
  }
  for_each_element(recipe->for_each, [&](Value key, const Value& element) {
    add(block, *recipe, std::move(key), element, false);
  });
}

std::optional<Recipe> Expander::read(const Block& block, const BlockSchema& type) {
  BodySchema schema;
  schema.attributes = {{"for_each", true}, {"iterator", false}};
  if (!type.label_names.empty()) schema.attributes.push_back({"labels", true});
  schema.blocks = {{"content", {}}};
  const std::size_t errors_before = diags_.error_count();
  const Content content = block.body.content(schema, diags_);
  if (diags_.error_count() != errors_before) return std::nullopt;

  Recipe recipe;
  recipe.type = &type;
  if (!read_iterator(content, recipe)) return std::nullopt;
  const IteratorScope scope(scope_, iterators_);
  if (!read_for_each(content, scope, recipe)) return std::nullopt;
  if (!read_labels(content, recipe) || !read_content(content, recipe)) return std::nullopt;
  return recipe;
}

bool Expander::read_iterator(const Content& content, Recipe& recipe) {
  recipe.iterator = recipe.type->type;
  const Attribute* attribute = content.attribute("iterator");
  if (attribute == nullptr) return true;
  const auto name = as_traversal(*attribute->expr, diags_);
  if (!name) return false;
  if (!name->steps.empty()) {
    diags_.error("Invalid iterator name")
        .detail("The iterator of a dynamic block is a single new name, such as item.")
        .at(name->range);
    return false;
  }
  recipe.iterator = name->root;
  return true;
}

bool Expander::read_for_each(const Content& content, const Scope& scope, Recipe& recipe) {
  const Expr& expr = *content.attribute("for_each")->expr;
  const auto given = evaluate(expr, &scope, diags_);
  if (!given) return false;
  recipe.for_each = strip_marks(*given, recipe.marks);
  const Type type = recipe.for_each.type();
  const bool has_elements = type.is_collection() || type.is_structural();
  if (!has_elements && !type.is_dynamic()) {
    diags_.error("Invalid for_each of a dynamic block")
        .detail(fmt::format("for_each needs a collection; this is a value of type {}.",
                            friendly_name(type)))
        .at(expr.range)
        .values(shown_values(expr, &scope));
    return false;
  }
  if (recipe.for_each.is_null()) {
    diags_.error("Invalid for_each of a dynamic block")
        .detail("The value of for_each is null. Use an empty collection for no blocks.")
        .at(expr.range)
        .values(shown_values(expr, &scope));
    return false;
  }
  return true;
}

bool Expander::read_labels(const Content& content, Recipe& recipe) {
  const Attribute* attribute = content.attribute("labels");
  if (attribute == nullptr) return true;
  const auto labels = as_list(*attribute->expr, diags_);
  if (!labels) return false;
  const std::size_t wanted = recipe.type->label_names.size();
  if (labels->size() != wanted) {
    const bool too_many = labels->size() > wanted;
    diags_.error(too_many ? "Too many labels" : "Not enough labels")
        .detail(fmt::format("A block of type {} has {} label{}; {} given.",
                            base::quote_go(recipe.type->type), wanted, wanted == 1 ? "" : "s",
                            labels->size()))
        .at(too_many ? (*labels)[wanted]->range : attribute->expr->range);
    return false;
  }
  recipe.labels.assign(labels->begin(), labels->end());
  return true;
}

bool Expander::read_content(const Content& content, Recipe& recipe) {
  if (content.blocks.empty()) {
    diags_.error("No content block")
        .detail("A dynamic block needs a block \"content\", the body of each block it makes.")
        .at(content.missing_item_range);
    return false;
  }
  if (content.blocks.size() > 1) {
    diags_.error("Several content blocks")
        .detail("A dynamic block has exactly one block \"content\".")
        .at(content.blocks[1].range);
    return false;
  }
  recipe.content = content.blocks[0].body;
  return true;
}

void Expander::add(const Block& block, const Recipe& recipe, Value key, Value element,
                   bool unknown) {
  ExpandedBlock out;
  out.iterators = std::make_shared<const Iterator>(
      Iterator{recipe.iterator, std::move(key), std::move(element), iterators_});
  out.unknown = unknown;
  out.marks = recipe.marks;
  out.block.type = block.labels[0].text;
  out.block.type_range = block.labels[0].range;
  out.block.range = block.range;
  out.block.body = recipe.content;
  const IteratorScope scope(scope_, out.iterators);
  for (const Expr* expr : recipe.labels) {
    if (!label(*expr, scope, out)) return;
  }
  blocks_.push_back(std::move(out));
}

bool Expander::label(const Expr& expr, const Scope& scope, ExpandedBlock& out) {
  const auto refuse = [&](std::string detail) {
    diags_.error("Invalid label of a dynamic block")
        .detail(std::move(detail))
        .at(expr.range)
        .values(shown_values(expr, &scope));
    return false;
  };
  const auto given = evaluate(expr, &scope, diags_);
  if (!given) return false;
  auto text = value::convert(*given, Type::string());
  if (!text) {
    return refuse(fmt::format("This value cannot be a label: {}.", to_string(text.error())));
  }
  if (null_inside(*text)) return refuse("A label cannot be null.");
  if (!known_inside(*text)) {
    return refuse("The value is not known yet. Labels must be known when the block is read.");
  }
  if (text->is_marked()) {
    return refuse("A sensitive, ephemeral or deprecated value cannot be a label.");
  }
  out.block.labels.push_back({text->as_string(), expr.range});
  out.label_values.push_back(std::move(*text));
  return true;
}

}  // namespace

IteratorScope::IteratorScope(const Scope& outer, std::shared_ptr<const Iterator> iterators)
    : outer_(outer), iterators_(std::move(iterators)) {}

std::optional<Scope::Resolved> IteratorScope::resolve(const Traversal& traversal,
                                                      Diagnostics& diags) const {
  for (const Iterator* at = iterators_.get(); at != nullptr; at = at->outer.get()) {
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

std::vector<ExpandedBlock> expand_blocks(const Content& content, const BlockSchema& type,
                                         const Scope& scope,
                                         std::shared_ptr<const Iterator> iterators,
                                         Diagnostics& diags) {
  BodySchema schema;
  schema.blocks.push_back(type);
  return expand_blocks(content, schema, scope, std::move(iterators), false, diags);
}

std::vector<ExpandedBlock> expand_blocks(const Content& content, const BodySchema& schema,
                                         const Scope& scope,
                                         std::shared_ptr<const Iterator> iterators, bool strict,
                                         Diagnostics& diags) {
  std::unordered_map<std::string_view, const BlockSchema*> types;
  for (const BlockSchema& type : schema.blocks) types.emplace(type.type, &type);
  Expander expander(scope, std::move(iterators), diags);
  for (const Block& block : content.blocks) {
    if (block.type != kDynamic) {
      if (types.contains(block.type)) expander.add_written(block);
      continue;
    }
    const auto type = types.find(block.labels[0].text);
    if (type != types.end()) {
      expander.add_dynamic(block, *type->second);
    } else if (strict) {
      diags.error("Unsupported block type")
          .detail(
              fmt::format("There is no block type {} here.", base::quote_go(block.labels[0].text)))
          .at(block.labels[0].range);
    }
  }
  return expander.take();
}

BodySchema with_dynamic(const BodySchema& schema) {
  BodySchema extended = schema;
  extended.blocks.push_back({std::string(kDynamic), {"type"}});
  return extended;
}

}  // namespace tofu::syntax
