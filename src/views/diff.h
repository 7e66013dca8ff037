// The difference between two values, as a tree that knows what to show where.
//
// Made from a value before and after by the schema (or without one, for dynamic
// values and outputs), written by diff_text. A diff holds views of the values,
// the schema and the arena it was made with; all of them outlive it.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "plans/action.h"
#include "schema/schema.h"
#include "views/path_filter.h"
#include "views/plain_value.h"

namespace tofu::views {

enum class DiffKind : std::uint8_t {
  Text,    // a string, before and after
  Scalar,  // a number, boolean or null
  Object,
  NestedObject,  // nested: of an attribute whose attributes the schema knows
  Map,
  NestedMap,
  List,
  NestedList,
  Set,
  NestedSet,
  Unknown,  // parts: the value before, if any
  Sensitive,
  SensitiveBlock,
  TypeChange,  // parts: before and after
  WriteOnly,
  Block,
};

struct Diff;

enum class BlockNesting : std::uint8_t { Single, List, Set, Map };

// All blocks of one type.
struct BlockGroup {
  std::string_view name;
  BlockNesting nesting = BlockNesting::Single;
  bool replace = false;  // the group as a whole forces replacement, or is sensitive
  bool before_sensitive = false;
  bool after_sensitive = false;
  std::vector<Diff> blocks;
  std::vector<std::string_view> labels;  // of a map, one for each block
};

struct Diff {
  DiffKind kind = DiffKind::Scalar;
  plans::Action action = plans::Action::NoOp;  // NoOp, Create, Update or Delete
  bool replace = false;                        // this is what forces the replacement
  bool before_sensitive = false;
  bool after_sensitive = false;
  const PlainValue* before = nullptr;  // of a scalar; null: nothing, or null
  const PlainValue* after = nullptr;
  std::vector<Diff> parts;
  std::vector<std::string_view> keys;  // of an object, map or block: one for each part, sorted
  std::vector<BlockGroup> blocks;      // of a block, by name
};

// The values to compare. Values that are null or missing are null pointers.
struct DiffInput {
  const PlainValue* before = nullptr;
  const PlainValue* after = nullptr;
  PathFilter replace = PathFilter::none();  // what forces replacement
  PathFilter relevant = PathFilter::all();  // the rest counts as unchanged
};

Diff diff_block(const DiffInput& input, const schema::Block& schema);
// By a type, as outputs of a state have it.
Diff diff_typed(const DiffInput& input, value::Type type);
// Without one.
Diff diff_dynamic(const DiffInput& input);

}  // namespace tofu::views
