#include "schema/changes.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "schema/marks.h"
#include "schema/members.h"
#include "value/convert.h"
#include "value/operations.h"

namespace tofu::schema {

namespace {

using value::AttributeStep;
using value::IndexStep;
using value::Kind;
using value::Marks;
using value::Path;
using value::PathStep;
using value::Type;
using value::TypeKind;
using value::Value;

// Something that is to stay as it was.
struct Kept {
  Path path;                 // without a key at its end
  Value before;              // at that path
  std::optional<Value> key;  // only this key of the map there
};

// The differences at the ignored paths. A key is cut off, because one that is only in one of the
// maps could not be followed.
std::vector<Kept> differences(std::span<const Path> paths, const Value& prior,
                              const Value& config) {
  std::vector<Kept> kept;
  for (const Path& ignored : paths) {
    Kept one{ignored, {}, std::nullopt};
    if (one.path.empty()) continue;
    if (const auto* last = std::get_if<IndexStep>(&one.path.steps.back())) {
      if (last->key.kind() == Kind::String) {
        one.key = last->key;
        one.path.steps.pop_back();
      }
    }
    const auto before = follow(prior, one.path);
    const auto now = follow(config, one.path);
    if (!before || !now || raw_equal(*before, *now)) continue;
    one.before = *before;
    kept.push_back(std::move(one));
  }
  return kept;
}

// `v`, with the ignored keys as they were before. Nothing if `v` is unknown.
std::optional<Value> with_keys_of_before(const Value& v, std::span<const Kept> kept) {
  const Value map = v.unmarked();
  if (map.is_unknown()) return std::nullopt;
  std::vector<value::MapEntry> entries;
  if (!map.is_null()) {
    for (std::size_t i = 0; i < map.unmarked().size(); ++i) {
      entries.push_back({std::string(map.unmarked().map_keys()[i].unmarked().as_string()),
                         map.unmarked().items()[i]});
    }
  }
  for (const Kept& one : kept) {
    const Value before = one.before.unmarked();
    const std::string_view key = one.key->unmarked().as_string();
    const Value* item = before.kind() == Kind::Map ? before.unmarked().find(key) : nullptr;
    const auto at = std::ranges::find(entries, key, &value::MapEntry::key);
    if (item != nullptr && at != entries.end()) {
      at->value = *item;
    } else if (item != nullptr) {
      entries.push_back({std::string(key), *item});
    } else if (at != entries.end()) {
      entries.erase(at);
    }
  }
  if (entries.empty() && map.is_null()) return v;
  return Value::map(map.type().element(), std::move(entries)).with_marks(v.marks());
}

// The value at the path of `kept`, which is the same for all of them.
Value as_before(const Value& v, std::span<const Kept> kept) {
  if (v.type().kind() != TypeKind::Map) return kept.front().before;
  // OpenTofu leaves unknown maps alone even where the whole of them is ignored.
  if (v.unmarked().is_unknown()) return v;
  for (const Kept& one : kept) {
    if (!one.key) return one.before;
  }
  return with_keys_of_before(v, kept).value_or(v);
}

std::optional<std::size_t> position_of(const Value& container, const PathStep& step) {
  if (const auto* attribute = std::get_if<AttributeStep>(&step)) {
    if (container.kind() != Kind::Object) return std::nullopt;
    return container.type().attribute_index(attribute->name);
  }
  const Value& key = std::get<IndexStep>(step).key;
  if (container.kind() == Kind::Map && key.kind() == Kind::String) {
    const Value* item = container.unmarked().find(key.unmarked().as_string());
    if (item == nullptr) return std::nullopt;
    return static_cast<std::size_t>(item - container.unmarked().items().data());
  }
  if ((container.kind() != Kind::List && container.kind() != Kind::Tuple) ||
      key.kind() != Kind::Number) {
    return std::nullopt;
  }
  const auto index = key.unmarked().as_number().to_int64();
  if (!index || *index < 0 || static_cast<std::size_t>(*index) >= container.unmarked().size()) {
    return std::nullopt;
  }
  return static_cast<std::size_t>(*index);
}

// `root` with the part at `path` replaced, by what `replace` makes of it. Paths are as
// long as an author writes them.
template <class Replace>
Value replaced_at(const Value& root, std::span<const PathStep> path, Replace&& replace) {
  if (path.empty()) return replace(root);
  const Value bare = root.unmarked();
  const auto position = position_of(bare, path.front());
  if (!position) return root;
  Value now = replaced_at(bare.unmarked().items()[*position], path.subspan(1), replace);
  std::vector<Value> items(bare.unmarked().items().begin(), bare.unmarked().items().end());
  items[*position] = std::move(now);
  return with_items(bare, std::move(items)).with_marks(root.marks());
}

Value with_kept(std::vector<Kept> kept, Value config) {
  // Outer paths come last, so that they take precedence.
  std::ranges::stable_sort(kept, std::ranges::greater(),
                           [](const Kept& one) { return one.path.steps.size(); });
  while (!kept.empty()) {
    const Path path = kept.front().path;
    const auto rest =
        std::ranges::stable_partition(kept, [&](const Kept& one) { return one.path == path; });
    const std::span<const Kept> here(kept.begin(), rest.begin());
    config = replaced_at(config, path.steps, [&](const Value& v) { return as_before(v, here); });
    kept.erase(kept.begin(), rest.begin());
  }
  return config;
}

Value individually(const IgnoredChanges& ignored, const Value& prior, const Value& config) {
  if (config.unmarked().is_null()) return config;
  return with_kept(differences(ignored.paths, prior, config), config);
}

}  // namespace

Path path_of(const syntax::Traversal& traversal) {
  Path path;
  path.steps.emplace_back(AttributeStep{std::string(traversal.root)});
  for (const syntax::TraversalStep& step : traversal.steps) {
    if (step.kind == syntax::StepKind::Attribute) {
      path.steps.emplace_back(AttributeStep{std::string(step.name)});
    } else {
      TOFU_CHECK(step.kind == syntax::StepKind::Index, "a path has no splat");
      path.steps.emplace_back(IndexStep{*step.key});
    }
  }
  return path;
}

Value with_ignored_changes(const IgnoredChanges& ignored, const Value& prior, const Value& config,
                           const Selection& computed_only) {
  if (ignored.empty() || prior.unmarked().is_null()) return config;
  if (!ignored.all) return individually(ignored, prior, config);
  return computed_only.changed(prior, [](const Value& computed) {
    const bool null = computed.is_null() && !computed.is_marked();
    return null ? computed : Value::null(computed.type());
  });
}

Value with_ignored_changes(const IgnoredChanges& ignored, const Value& prior,
                           const Value& planned) {
  if (ignored.empty() || prior.unmarked().is_null()) return planned;
  return ignored.all ? prior : individually(ignored, prior, planned);
}

namespace {

// As an expression would: `.name` also finds keys of a map, `["name"]` also attributes
// of an object, and numbers may be written as text. Providers name paths in all forms.
std::optional<Value> step_to(const Value& from, const PathStep& step) {
  if (from.is_null()) return std::nullopt;
  const Type type = from.type();
  if (type.is_dynamic()) return Value::unknown();
  const auto* attribute = std::get_if<AttributeStep>(&step);
  const Value key =
      attribute != nullptr ? Value::string(attribute->name) : std::get<IndexStep>(step).key;
  switch (type.kind()) {
    case TypeKind::Object: {
      const auto name = value::convert(key, Type::string());
      if (!name || name->kind() != Kind::String) return std::nullopt;
      if (!type.attribute_index(name->unmarked().as_string())) return std::nullopt;
      return get_attribute(from, name->unmarked().as_string());
    }
    case TypeKind::Map:
    case TypeKind::List:
    case TypeKind::Tuple: {
      if (attribute != nullptr && type.kind() != TypeKind::Map) return std::nullopt;
      const auto wanted = type.kind() == TypeKind::Map ? Type::string() : Type::number();
      const auto converted = value::convert(key, wanted);
      if (!converted || converted->is_null()) return std::nullopt;
      const Value found = has_index(from, *converted);
      if (found.kind() == Kind::Bool && !found.unmarked().as_bool()) return std::nullopt;
      return index(from, *converted);
    }
    case TypeKind::Dynamic:
    case TypeKind::Bool:
    case TypeKind::Number:
    case TypeKind::String:
    case TypeKind::Set:  // its elements cannot be named
    case TypeKind::Capsule: break;
  }
  return std::nullopt;
}

std::optional<Value> reached(Value at, const Path& path) {
  for (const PathStep& step : path.steps) {
    auto next = step_to(at, step);
    if (!next) return std::nullopt;
    at = *std::move(next);
  }
  return at;
}

bool surely_equal(const Value& a, const Value& b) {
  const Value equal = equals(a, b);
  return equal.kind() == Kind::Bool && equal.unmarked().as_bool();
}

}  // namespace

Replacing changes_that_replace(const Block& schema, const Value& prior, const Value& planned,
                               std::span<const Path> paths) {
  Replacing result;
  if (paths.empty() || prior.unmarked().is_null()) return result;
  const Value before = prior.deep_unmarked();
  const Value after = planned.deep_unmarked();
  for (const Path& path : paths) {
    const auto was = reached(before, path);
    const auto is = reached(after, path);
    if (!was && !is) {
      result.nowhere.push_back(path);
      continue;
    }
    const Attribute* attribute = attribute_at(schema, path);
    const bool write_only = attribute != nullptr && attribute->write_only;
    if (was && is && surely_equal(*was, *is) && !write_only) continue;
    result.write_only = result.write_only || write_only;
    if (std::ranges::find(result.changed, path) == result.changed.end()) {
      result.changed.push_back(path);
    }
  }
  return result;
}

const Attribute* attribute_at(const Block& schema, const Path& path) {
  Members members(schema);
  bool inside = false;  // of a nested block or attribute, whose keys are passed over
  for (std::size_t i = 0; i < path.steps.size(); ++i) {
    const auto* step = std::get_if<AttributeStep>(&path.steps[i]);
    if (step == nullptr) {
      if (!inside) return nullptr;
      continue;
    }
    const auto attribute = std::ranges::find(members.attributes, step->name, &Attribute::name);
    if (attribute != members.attributes.end()) {
      if (i + 1 == path.steps.size()) return &*attribute;
      if (!attribute->nested) return nullptr;
      members = Members(*attribute->nested);
    } else {
      const auto nested = std::ranges::find(members.blocks, step->name, &NestedBlock::name);
      if (nested == members.blocks.end()) return nullptr;
      members = Members(*nested->block);
    }
    inside = true;
  }
  return nullptr;
}

bool is_unchanged(const Value& prior, const Value& planned) {
  if (!prior.wholly_known() || !planned.wholly_known()) return false;
  if (raw_equal(prior, planned)) return true;
  return surely_equal(prior.deep_unmarked(), planned.deep_unmarked());
}

bool same_sensitive_parts(const Value& prior, const Value& planned) {
  if (prior.is_same(planned) || (!prior.contains_marks() && !planned.contains_marks())) return true;
  const auto sensitive = [](const Value& v) {
    std::vector<PathMarks> marks = unmark(v).marks;
    std::erase_if(marks, [](const PathMarks& one) { return !one.marks.is_sensitive(); });
    return marks;
  };
  const auto same_path = [](const PathMarks& a, const PathMarks& b) { return a.path == b.path; };
  // Both lists are in the order of the parts.
  return std::ranges::equal(sensitive(prior), sensitive(planned), same_path);
}

}  // namespace tofu::schema
