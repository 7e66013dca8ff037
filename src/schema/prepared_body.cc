#include "schema/prepared_body.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <unordered_map>
#include <utility>

#include "base/check.h"
#include "base/counted.h"
#include "syntax/analysis.h"
#include "syntax/map_scope.h"
#include "syntax/shown.h"
#include "value/convert.h"

namespace tofu::schema {

using value::Type;
using value::Value;

struct PreparedBody::Entry {
  PreparedBody body;
  diag::SourceRange range;
  std::vector<syntax::Label> labels;            // of a block as written
  std::optional<syntax::DynamicBlock> dynamic;  // what makes the blocks, if that is what it is
};

struct PreparedBody::Occurrence {
  const Entry* entry;
  std::optional<syntax::MadeBlock> made;  // by a dynamic block
  bool unknown = false;                   // stands for any number of blocks
  value::Marks marks;
  const syntax::Iterator* outer = nullptr;

  std::string_view key() const {
    return made ? made->labels[0].plain().as_string() : entry->labels[0].text;
  }
  diag::SourceRange key_range() const {
    return made ? entry->dynamic->labels[0]->range : entry->labels[0].range;
  }
  Value evaluate(const syntax::Scope& scope, diag::Diagnostics& diags) const {
    if (!made) return entry->body.evaluate(scope, outer, diags);
    const syntax::Iterator own{entry->dynamic->iterator, made->key, made->value, outer,
                               made->in_all};
    return entry->body.evaluate(scope, &own, diags).with_marks(marks);
  }
};

namespace {

// A scope for what needs none.
const syntax::Scope& no_names() {
  static const syntax::MapScope kNone({});
  return kNone;
}

using Iterators = std::vector<std::string_view>;

void add_uses(const syntax::Expr& expr, const Iterators& iterators, Uses& out) {
  const std::size_t before = out.variables.size();
  for (const syntax::Traversal* traversal : syntax::variables(expr)) {
    if (std::ranges::find(iterators, traversal->root) != iterators.end()) continue;
    out.variables.push_back(traversal);
  }
  if (out.variables.size() != before) out.exprs.push_back(&expr);
  for (const syntax::CallExpr* call : syntax::calls(expr)) out.calls.push_back(call);
}

// Gives the names of the iterators in force inside: for_each stands outside its own
// iterator, labels stand inside.
Iterators add_uses(const syntax::DynamicBlock& dynamic, const Iterators& iterators, Uses& out) {
  Iterators inner = iterators;
  inner.push_back(dynamic.iterator);
  if (dynamic.for_each != nullptr) add_uses(*dynamic.for_each, iterators, out);
  for (const syntax::Expr* label : dynamic.labels) add_uses(*label, inner, out);
  return inner;
}

void add_uses(const Uses& inside, Uses& out) {
  out.variables.insert(out.variables.end(), inside.variables.begin(), inside.variables.end());
  out.calls.insert(out.calls.end(), inside.calls.begin(), inside.calls.end());
  out.exprs.insert(out.exprs.end(), inside.exprs.begin(), inside.exprs.end());
}

bool is_objects(Type type) {
  return (type.kind() == value::TypeKind::List || type.kind() == value::TypeKind::Set) &&
         type.element().kind() == value::TypeKind::Object;
}

bool may_be_blocks(const Attribute& attribute) {
  return !attribute.nested && is_objects(attribute.type);
}

bool is_primitive(Type type) {
  return type == Type::boolean() || type == Type::number() || type == Type::string();
}

bool is_collection(Type type) {
  return type.kind() == value::TypeKind::List || type.kind() == value::TypeKind::Set ||
         type.kind() == value::TypeKind::Map;
}

// The older SDK cannot declare everything, so a schema shows whether it was made with it.
bool may_have_blocks_for_arguments(const Block& block) {
  const auto is_old = [](const Attribute& attribute) {
    const Type type = attribute.type;
    if (attribute.nested || type.kind() == value::TypeKind::Tuple ||
        type.kind() == value::TypeKind::Object) {
      return false;
    }
    if (!is_collection(type)) return true;
    const Type element = type.element();
    if (type.kind() == value::TypeKind::Map && element.kind() == value::TypeKind::Object) {
      return false;
    }
    return !is_collection(element) || is_primitive(element.element());
  };
  return std::ranges::all_of(block.attributes, is_old) &&
         std::ranges::all_of(block.blocks, [](const NestedBlock& nested) {
           return may_have_blocks_for_arguments(*nested.block);
         });
}

// Whether there are such blocks, or dynamic ones, and no such argument.
bool is_written_as_blocks(const syntax::Body& body, const std::string& name) {
  diag::Diagnostics ignored;
  const auto has_attribute =
      body.partial_content({{{name, false}}, {}}, ignored).content.attribute(name) != nullptr;
  if (has_attribute) return false;
  const syntax::BodySchema wanted{{}, {{name, {}}, {"dynamic", {"type"}}}};
  const syntax::Content content = body.partial_content(wanted, ignored).content;
  return std::ranges::any_of(content.blocks, [&](const syntax::Block& block) {
    return block.type == name || block.labels[0].text == name;
  });
}

// Blocks whose objects have the type of the attribute's elements. The provider checks for required
// arguments in them.
NestedBlock block_for(const Attribute& attribute) {
  auto inside = std::make_shared<Block>();
  for (const value::ObjectAttribute& part : attribute.type.element().attributes()) {
    Attribute made;
    made.name = part.name;
    made.type = part.type;
    made.optional = true;
    inside->attributes.push_back(std::move(made));
  }
  const bool is_set = attribute.type.kind() == value::TypeKind::Set;
  return {attribute.name, std::move(inside), is_set ? Nesting::Set : Nesting::List, 0, 0};
}

bool names_nothing(const syntax::Expr& expr) {
  return syntax::variables(expr).empty() && syntax::calls(expr).empty();
}

}  // namespace

struct PreparedBody::OwnLayout {
  Block block;
  std::set<std::string, std::less<>> arguments;  // that are written as blocks
  Layouts layouts = {};
  const Layout& layout() const { return *made; }
  const Layout* made = nullptr;
};

// Providers made with the older SDK may declare an argument, a list or set of objects, and
// let authors write it as blocks all the same.
std::unique_ptr<const PreparedBody::OwnLayout> PreparedBody::layout_for(const syntax::Body& body,
                                                                        const Layout& layout) {
  const Block& block = layout.block();
  std::set<std::string, std::less<>> as_blocks;
  for (const Attribute& attribute : block.attributes) {
    if (may_be_blocks(attribute) && is_written_as_blocks(body, attribute.name)) {
      as_blocks.insert(attribute.name);
    }
  }
  if (as_blocks.empty() || !may_have_blocks_for_arguments(block)) return nullptr;
  auto own = std::make_unique<OwnLayout>();
  own->block = block;
  std::erase_if(own->block.attributes,
                [&](const Attribute& attribute) { return as_blocks.contains(attribute.name); });
  for (const std::string& name : as_blocks) {
    own->block.blocks.push_back(block_for(*block.attribute(name)));
  }
  std::ranges::sort(own->block.blocks, {}, &NestedBlock::name);
  own->arguments = std::move(as_blocks);
  own->made = &own->layouts.of(own->block);
  return own;
}

PreparedBody::PreparedBody(PreparedBody&&) noexcept = default;
PreparedBody::~PreparedBody() = default;

PreparedBody::PreparedBody(const syntax::Body& body, const Layout& layout)
    : PreparedBody(body, layout, IteratorNames()) {}

PreparedBody::PreparedBody(const syntax::Body& body, const Layout& layout,
                           const IteratorNames& iterators)
    : own_(layout_for(body, layout)), layout_(own_ ? own_->layout() : layout) {
  const syntax::Content content = body.content(layout_.names(), problems_);
  missing_range_ = content.missing_item_range;
  known_.reserve(layout_.parts().size());
  for (const Part& part : layout_.parts()) known_.push_back(part.absent);
  read_arguments(content, iterators);
  read_blocks(content, iterators);
}

void PreparedBody::note(const PreparedBody& inside) {
  add_uses(inside.uses_, uses_);
  add_uses(inside.unused_, unused_);
}

std::optional<diag::SourceRange> PreparedBody::place_of(std::string_view argument) const {
  const auto part = layout_.find(argument);
  for (const auto& [place_part, place] : places_) {
    if (place_part == part) return place;
  }
  return std::nullopt;
}

void PreparedBody::read_arguments(const syntax::Content& content, const IteratorNames& iterators) {
  for (const syntax::Attribute& written : content.attributes) {
    const auto part = layout_.find(written.name);
    TOFU_CHECK(part.has_value(), "a body is read by the names of its layout");
    add_uses(*written.expr, iterators, uses_);
    places_.emplace_back(static_cast<std::uint32_t>(*part), written.expr->range);
    const Argument one{static_cast<std::uint32_t>(*part), written};
    if (names_nothing(*written.expr)) {
      diag::Diagnostics problems;
      Value constant = argument(one, no_names(), problems);
      if (problems.items().empty()) {
        known_[*part] = std::move(constant);
        continue;
      }
    }
    arguments_.push_back(one);
  }
}

void PreparedBody::read_blocks(const syntax::Content& content, const IteratorNames& iterators) {
  std::vector<Group> groups(layout_.parts().size());
  for (const syntax::Block& block : content.blocks) {
    if (block.type == "dynamic") {
      read_dynamic(block, iterators, groups);
      continue;
    }
    const std::size_t part = *layout_.find(block.type);
    PreparedBody inside(block.body, *layout_.parts()[part].inside, iterators);
    note(inside);
    groups[part].entries.push_back({std::move(inside), block.range, block.labels, std::nullopt});
  }
  for (std::size_t part = 0; part < groups.size(); ++part) {
    if (layout_.parts()[part].nested == nullptr) continue;
    groups[part].part = static_cast<std::uint32_t>(part);
    keep(std::move(groups[part]));
  }
}

void PreparedBody::read_dynamic(const syntax::Block& block, const IteratorNames& iterators,
                                std::vector<Group>& groups) {
  const std::string_view type = block.labels[0].text;
  const auto part = layout_.find(type);
  if (!part || layout_.parts()[*part].nested == nullptr) {
    problems_.error("Unsupported block type")
        .detail(fmt::format("Blocks of type {:?} are not expected here.", type))
        .at(block.labels[0].range);
    // Its content has no schema, but its own arguments contain references.
    diag::Diagnostics ignored;
    add_uses(syntax::read_dynamic(block, {std::string(type), {"key"}}, ignored), iterators,
             unused_);
    return;
  }
  syntax::DynamicBlock dynamic = syntax::read_dynamic(block, layout_.block_names(*part), problems_);
  const IteratorNames inner = add_uses(dynamic, iterators, uses_);
  if (!dynamic.content) return;
  PreparedBody inside(*dynamic.content, *layout_.parts()[*part].inside, inner);
  note(inside);
  if (!dynamic.usable) return;
  const diag::SourceRange place = dynamic.content->missing_item_range();
  groups[*part].entries.push_back({std::move(inside), place, {}, std::move(dynamic)});
}

// Keeps the blocks for evaluation, or what they amount to in every scope.
void PreparedBody::keep(Group blocks) {
  const bool constant = std::ranges::all_of(blocks.entries, [](const Entry& entry) {
    return !entry.dynamic && entry.body.is_constant();
  });
  if (constant) {
    diag::Diagnostics problems;
    Value all = group(blocks, no_names(), nullptr, problems);
    if (problems.items().empty()) {
      known_[blocks.part] = std::move(all);
      return;
    }
  }
  groups_.push_back(std::move(blocks));
}

Value PreparedBody::evaluate(const syntax::Scope& scope, const syntax::Iterator* iterators,
                             diag::Diagnostics& diags) const {
  for (const diag::Diagnostic& problem : problems_.items()) diags.add(problem);
  std::vector<Value> parts = known_;
  const syntax::IteratorScope inner(scope, iterators);
  const syntax::Scope& inside = iterators == nullptr ? scope : inner;
  for (const Argument& one : arguments_) parts[one.part] = argument(one, inside, diags);
  for (const Group& one : groups_) parts[one.part] = group(one, scope, iterators, diags);
  return layout_.make(std::move(parts));
}

Value PreparedBody::argument(const Argument& argument, const syntax::Scope& scope,
                             diag::Diagnostics& diags) const {
  const Part& part = layout_.parts()[argument.part];
  const syntax::Attribute& written = argument.written;
  const Value result = syntax::evaluate_despite_errors(*written.expr, &scope, diags);
  auto converted = value::convert(result, part.attribute->type);
  if (converted) return std::move(*converted);
  diags.error("Incorrect attribute value type")
      .detail(fmt::format("Inappropriate value for {:?}: {}.", part.name,
                          value::to_string(converted.error())))
      .at(written.expr->range)
      .within(written.range)
      .values(syntax::shown_values(*written.expr, &scope));
  return Value::unknown(part.absent.type());
}

std::vector<PreparedBody::Occurrence> PreparedBody::occurrences(const Group& group,
                                                                const syntax::Scope& scope,
                                                                const syntax::Iterator* iterators,
                                                                diag::Diagnostics& diags) {
  std::vector<Occurrence> out;
  out.reserve(group.entries.size());
  for (const Entry& entry : group.entries) {
    if (!entry.dynamic) {
      out.push_back({&entry, std::nullopt, false, {}, iterators});
      continue;
    }
    syntax::Expansion expansion = syntax::expand(*entry.dynamic, scope, iterators, diags);
    for (syntax::MadeBlock& made : expansion.blocks) {
      out.push_back({&entry, std::move(made), expansion.unknown, expansion.marks, iterators});
    }
  }
  return out;
}

// From the blocks of one type to the value of their part.
class PreparedBody::Gathering {
 public:
  Gathering(const Part& part, std::span<const Occurrence> blocks, const syntax::Scope& scope,
            diag::Diagnostics& diags)
      : schema_(*part.nested),
        part_(part),
        impl_(part.inside->type()),
        blocks_(blocks),
        unknown_(std::ranges::any_of(blocks, &Occurrence::unknown)),
        scope_(scope),
        diags_(diags) {}

  Value value(diag::SourceRange missing_range) {
    switch (schema_.nesting) {
      case Nesting::Single:
      case Nesting::Group: return single(missing_range);
      case Nesting::List:
      case Nesting::Set: return sequence(missing_range);
      case Nesting::Map: return map();
    }
    base::broken_promise("a nesting out of range");
  }

 private:
  Value single(diag::SourceRange missing_range);
  Value sequence(diag::SourceRange missing_range);
  Value map();
  void check_count(diag::SourceRange missing_range);

  const NestedBlock& schema_;
  const Part& part_;
  const Type impl_;
  const std::span<const Occurrence> blocks_;
  const bool unknown_;  // the number of blocks is not known yet
  const syntax::Scope& scope_;
  diag::Diagnostics& diags_;
};

Value PreparedBody::Gathering::single(diag::SourceRange missing_range) {
  if (blocks_.empty()) {
    if (schema_.min_items >= 1) {
      diags_.error("Insufficient blocks")
          .detail(fmt::format("At least one block of type {:?} is required.", schema_.name))
          .at(missing_range);
    }
    return part_.absent;
  }
  if (blocks_.size() > 1) {
    diags_.error("Too many blocks")
        .detail(fmt::format("Only one block of type {:?} is allowed.", schema_.name))
        .at(blocks_[1].entry->range);
  }
  const Value first = blocks_[0].evaluate(scope_, diags_);
  return blocks_[0].unknown ? Value::unknown(impl_) : first;
}

void PreparedBody::Gathering::check_count(diag::SourceRange missing_range) {
  if (unknown_) return;
  if (blocks_.size() < schema_.min_items) {
    diags_.error("Insufficient blocks")
        .detail(fmt::format("At least {} of type {:?} {} required.",
                            base::counted(schema_.min_items, "block"), schema_.name,
                            schema_.min_items == 1 ? "is" : "are"))
        .at(missing_range);
  } else if (schema_.max_items > 0 && blocks_.size() > schema_.max_items) {
    diags_.error("Too many blocks")
        .detail(fmt::format("At most {} of type {:?} {} allowed.",
                            base::counted(schema_.max_items, "block"), schema_.name,
                            schema_.max_items == 1 ? "is" : "are"))
        .at(blocks_[schema_.max_items].entry->range);
  }
}

Value PreparedBody::Gathering::sequence(diag::SourceRange missing_range) {
  check_count(missing_range);
  const bool is_set = schema_.nesting == Nesting::Set;
  const bool is_tuple = !is_set && impl_.has_dynamic();
  std::vector<Value> items;
  items.reserve(blocks_.size());
  for (const Occurrence& block : blocks_) items.push_back(block.evaluate(scope_, diags_));
  if (unknown_) {
    if (is_tuple) return Value::unknown();
    return Value::unknown(is_set ? Type::set(impl_) : Type::list(impl_));
  }
  if (is_tuple) return Value::tuple(std::move(items));
  return is_set ? Value::set(impl_, std::move(items)) : Value::list(impl_, std::move(items));
}

Value PreparedBody::Gathering::map() {
  std::vector<value::MapEntry> entries;
  std::unordered_map<std::string_view, const Occurrence*> seen;
  for (const Occurrence& block : blocks_) {
    Value item = block.evaluate(scope_, diags_);
    if (block.unknown) continue;
    if (!seen.emplace(block.key(), &block).second) {
      diags_.error("Duplicate block")
          .detail(fmt::format("Another block of type {:?} already has the label {:?}.",
                              schema_.name, block.key()))
          .at(block.key_range())
          .within(block.entry->range);
      continue;
    }
    entries.push_back({std::string(block.key()), std::move(item)});
  }
  const bool is_object = impl_.has_dynamic();
  if (unknown_) return is_object ? Value::unknown() : Value::unknown(Type::map(impl_));
  if (!is_object) return Value::map(impl_, std::move(entries));
  std::vector<value::Attr> attributes;
  for (value::MapEntry& entry : entries) {
    attributes.push_back({std::move(entry.key), std::move(entry.value)});
  }
  return Value::object(std::move(attributes));
}

Value PreparedBody::group(const Group& group, const syntax::Scope& scope,
                          const syntax::Iterator* iterators, diag::Diagnostics& diags) const {
  const std::vector<Occurrence> blocks = occurrences(group, scope, iterators, diags);
  const Part& part = layout_.parts()[group.part];
  // Without blocks nothing is written, and an argument that is not written is null.
  if (own_ && blocks.empty() && own_->arguments.contains(part.name)) {
    return Value::null(part.absent.type());
  }
  return Gathering(layout_.parts()[group.part], blocks, scope, diags).value(missing_range_);
}

Value decode(const syntax::Body& body, const Block& schema, const syntax::Scope& scope,
             diag::Diagnostics& diags) {
  Layouts layouts;
  return PreparedBody(body, layouts.of(schema)).evaluate(scope, diags);
}

Uses uses(const syntax::Body& body, const Block& schema) {
  Layouts layouts;
  const PreparedBody prepared(body, layouts.of(schema));
  Uses all = prepared.uses();
  add_uses(prepared.unused(), all);
  return all;
}

}  // namespace tofu::schema
