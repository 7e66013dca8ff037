#include "schema/selection.h"

#include <utility>

#include "schema/members.h"

namespace tofu::schema {

namespace {

using value::Kind;
using value::Path;
using value::Value;
using Part = Selection::Part;

std::vector<Part> chosen_parts(const Members& members, Selection::Choose choose) {
  std::vector<Part> parts;
  members.each([&](std::size_t i, const Attribute* attribute, const NestedBlock* nested) {
    Part part{i};
    if (nested != nullptr) {
      part.nesting = nested->nesting;
      part.inside = chosen_parts(Members(*nested->block), choose);
    } else {
      part.chosen = choose(*attribute);
      // OpenTofu looks inside the chosen attributes of a block, but not inside those of
      // a nested attribute. The paths in state files are those.
      if (attribute->nested && (!part.chosen || members.block != nullptr)) {
        part.nesting = attribute->nested->nesting;
        part.inside = chosen_parts(Members(*attribute->nested), choose);
      }
    }
    if (part.chosen || !part.inside.empty()) parts.push_back(std::move(part));
  });
  return parts;
}

class PathFinder {
 public:
  void look(std::span<const Part> parts, const Value& marked) {
    const Value object = marked.unmarked();
    if (object.kind() != Kind::Object) return;
    for (const Part& part : parts) {
      path_.steps.emplace_back(
          value::AttributeStep{object.type().attributes()[part.position].name});
      if (part.chosen) found_.push_back(path_);
      if (!part.inside.empty()) look_inside(part, object.unmarked().items()[part.position]);
      path_.steps.pop_back();
    }
  }

  std::vector<Path> found() && { return std::move(found_); }

 private:
  void look_inside(const Part& part, const Value& marked) {
    if (is_one_object(part.nesting)) return look(part.inside, marked);
    const Value v = marked.unmarked();
    if (!has_items(v)) return;
    value::for_each_element(v.unmarked(), [&](const Value& key, const Value& item) {
      if (v.kind() == Kind::Object) {
        path_.steps.emplace_back(value::AttributeStep{std::string(key.unmarked().as_string())});
      } else {
        path_.steps.emplace_back(value::IndexStep{key});
      }
      look(part.inside, item);
      path_.steps.pop_back();
    });
  }

  Path path_;
  std::vector<Path> found_;
};

Value changed_parts(std::span<const Part> parts, const Value& marked, Selection::Change change);

Value changed_inside(const Part& part, const Value& marked, Selection::Change change) {
  if (is_one_object(part.nesting)) return changed_parts(part.inside, marked, change);
  const Value v = marked.unmarked();
  if (!has_items(v)) return marked;
  Edited result(v);
  for (const Value& item : v.unmarked().items())
    result.add(changed_parts(part.inside, item, change));
  const Value now = std::move(result).result();
  return now.is_same(v) ? marked : now.with_marks(marked.marks());
}

Value changed_parts(std::span<const Part> parts, const Value& marked, Selection::Change change) {
  const Value object = marked.unmarked();
  if (object.kind() != Kind::Object) return marked;
  Edited result(object);
  auto part = parts.begin();
  for (const Value& item : object.unmarked().items()) {
    if (part == parts.end() || part->position != result.position()) {
      result.add(item);
      continue;
    }
    Value now = part->inside.empty() ? item : changed_inside(*part, item, change);
    result.add(part->chosen ? change(now) : std::move(now));
    ++part;
  }
  const Value now = std::move(result).result();
  return now.is_same(object) ? marked : now.with_marks(marked.marks());
}

}  // namespace

Selection::Selection(const Block& schema, Choose choose)
    : parts_(chosen_parts(Members(schema), choose)) {}

std::vector<Path> Selection::paths(const Value& v) const {
  if (empty()) return {};
  PathFinder finder;
  finder.look(parts_, v);
  return std::move(finder).found();
}

Value Selection::changed(const Value& v, Change change) const {
  return empty() ? v : changed_parts(parts_, v, change);
}

Selection sensitive_attributes(const Block& schema) {
  return {schema, [](const Attribute& attribute) { return attribute.sensitive; }};
}

Selection write_only_attributes(const Block& schema) {
  return {schema, [](const Attribute& attribute) { return attribute.write_only; }};
}

Selection computed_only_attributes(const Block& schema) {
  return {schema,
          [](const Attribute& attribute) { return attribute.computed && !attribute.optional; }};
}

}  // namespace tofu::schema
