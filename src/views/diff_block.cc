// Blocks: attributes first, then nested blocks group by group.
#include <algorithm>
#include <optional>
#include <utility>

#include "base/check.h"
#include "views/diff_place.h"

namespace tofu::views {

namespace {

using plans::Action;
using schema::Attribute;
using schema::Block;
using schema::NestedBlock;
using schema::Nesting;

const PlainValue* unless_empty(const PlainValue* v) {
  return v != nullptr && v->kind == PlainKind::String && v->text.empty() ? nullptr : v;
}

// Nothing for an attribute that is null on both sides.
std::optional<Diff> diff_part(DiffPlace part, const Attribute& attribute, Action outer) {
  part = std::move(part).if_relevant();
  // The older provider SDK cannot tell an empty string from none.
  part.before = unless_empty(part.before);
  part.after = unless_empty(part.after);
  part.before_given = part.after_given = false;
  Diff diff = diff_attribute(part, attribute, outer);
  if (diff.action == Action::NoOp && part.is_null() && !attribute.write_only) return std::nullopt;
  return diff;
}

void diff_attributes(const DiffPlace& place, const Block& schema, Diff& out) {
  std::vector<std::pair<std::string_view, Diff>> found;
  found.reserve(schema.attributes.size());
  // Those that are only written go by the action of all others.
  for (const bool write_only : {false, true}) {
    for (const Attribute& attribute : schema.attributes) {
      if (attribute.write_only != write_only) continue;
      auto diff = diff_part(place.at(attribute.name), attribute, out.action);
      if (!diff) continue;
      out.action = joined(out.action, diff->action);
      found.emplace_back(attribute.name, std::move(*diff));
    }
  }
  const auto name_of = [](const auto& entry) { return entry.first; };
  // As they mostly are, and sorting would move each of them.
  if (!std::ranges::is_sorted(found, {}, name_of)) std::ranges::sort(found, {}, name_of);
  out.keys.reserve(found.size());
  out.parts.reserve(found.size());
  for (auto& [name, diff] : found) {
    out.keys.push_back(name);
    out.parts.push_back(std::move(diff));
  }
}

// The blocks of one type, and the action of them all.
Action diff_group(const DiffPlace& place, const NestedBlock& nested, BlockGroup& group) {
  const Block& schema = *nested.block;
  Action action = place.outer_action();
  const auto add = [&](const DiffPlace& part) {
    group.blocks.push_back(diff_block(part, schema));
    action = joined(action, group.blocks.back().action);
  };
  switch (nested.nesting) {
    case Nesting::Single:
    case Nesting::Group:
      group.nesting = BlockNesting::Single;
      group.blocks.push_back(diff_block(place, schema));
      return group.blocks.back().action;
    case Nesting::List:
      group.nesting = BlockNesting::List;
      for_each_position(place, [&](DiffPlace part) { add(std::move(part).if_relevant()); });
      return action;
    case Nesting::Set:
      group.nesting = BlockNesting::Set;
      for_each_set_element(place, add);
      return action;
    case Nesting::Map:
      group.nesting = BlockNesting::Map;
      for (const std::string_view key : known_keys(place)) {
        group.labels.push_back(key);
        add(place.at(key).if_relevant());
      }
      return action;
  }
  base::broken_promise("a nesting out of range");
}

void diff_blocks(const DiffPlace& outer, const Block& schema, Diff& out) {
  for (const NestedBlock& nested : schema.blocks) {
    const DiffPlace place = outer.at(nested.name).if_relevant();
    BlockGroup group;
    group.name = nested.name;
    group.replace = place.replace.matches();
    group.before_sensitive = place.before_sensitive;
    group.after_sensitive = place.after_sensitive;
    // OpenTofu shows what was there before an unknown number of blocks by the
    // schema of the block around them, and does not count it as a change of that.
    const auto again = [&](const DiffPlace& inner) { return diff_block(inner, schema); };
    if (auto covered = cover_unknown(place, &schema.attributes, again)) {
      if (covered->action == Action::NoOp && place.is_null()) continue;
      group.blocks.push_back(std::move(*covered));
      out.blocks.push_back(std::move(group));
      continue;
    }
    const Action action = diff_group(place, nested, group);
    if (action == Action::NoOp && place.is_null()) continue;
    out.action = joined(out.action, action);
    out.blocks.push_back(std::move(group));
  }
}

}  // namespace

Diff diff_block(const DiffPlace& place, const Block& schema) {
  const auto again = [&](const DiffPlace& inner) { return diff_block(inner, schema); };
  if (auto covered = cover_sensitive(place, DiffKind::SensitiveBlock, again))
    return std::move(*covered);
  if (auto covered = cover_unknown(place, &schema.attributes, again)) return std::move(*covered);
  Diff out = diff_of(place, DiffKind::Block, place.outer_action());
  diff_attributes(place, schema, out);
  diff_blocks(place, schema, out);
  return out;
}

}  // namespace tofu::views
