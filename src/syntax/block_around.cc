#include "syntax/block_around.h"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <iterator>
#include <span>

#include "base/unicode.h"
#include "syntax/ast.h"
#include "syntax/body.h"

namespace tofu::syntax {

namespace {

// Every error in a block has a copy of its header.
constexpr std::size_t kMaxHeader = 1024;

std::string header(const syntax::NativeBlock& block) {
  std::string text(block.type);
  for (const syntax::Label& label : block.labels) {
    text += fmt::format(" \"{}\"", label.text);
    if (text.size() > kMaxHeader) {
      base::cut_utf8(text, kMaxHeader);
      return text += "…";
    }
  }
  return text;
}

std::string in_native(const syntax::NativeBody& body, std::uint32_t byte) {
  // Blocks are in source order: the last one that begins before the place is the
  // only one that can hold it.
  const auto after = std::ranges::upper_bound(
      body.blocks, byte, {},
      [](const syntax::NativeBlock& block) { return block.type_range.begin; });
  if (after == body.blocks.begin()) return {};
  const syntax::NativeBlock& block = *std::prev(after);
  return byte < block.close_range.end ? header(block) : std::string();
}

// The one of `items`, which are in source order, that holds the place and has an
// inside. Null if there is none.
template <class Item, class ValueOf>
const Item* holder(std::span<const Item> items, std::uint32_t byte, ValueOf value_of) {
  const auto after = std::ranges::upper_bound(
      items, byte, {}, [&](const Item& item) { return value_of(item)->range.begin; });
  if (after == items.begin()) return nullptr;
  const Item& item = *std::prev(after);
  const syntax::Expr& value = *value_of(item);
  const bool has_inside =
      value.kind == syntax::ExprKind::Object || value.kind == syntax::ExprKind::Tuple;
  return has_inside && byte < value.range.end ? &item : nullptr;
}

std::string in_json(const syntax::Expr& root, std::uint32_t byte) {
  std::string way;
  const syntax::Expr* at = &root;
  while (at != nullptr) {
    const syntax::Expr* inside = nullptr;
    if (const auto* object = syntax::as_if<syntax::ObjectExpr>(*at)) {
      const auto* item =
          holder(object->items, byte, [](const syntax::ObjectItem& each) { return each.value; });
      if (item != nullptr) {
        inside = item->value;
        if (const auto* key = syntax::as_if<syntax::JsonStringExpr>(*item->key)) {
          way += fmt::format(".{}", key->text);
        }
      }
    } else if (const auto* array = syntax::as_if<syntax::TupleExpr>(*at)) {
      const auto* item = holder(array->items, byte, [](const syntax::Expr* each) { return each; });
      if (item != nullptr) {
        inside = *item;
        way += fmt::format("[{}]", item - array->items.data());
      }
    }
    at = inside;
    if (way.size() > kMaxHeader) {
      base::cut_utf8(way, kMaxHeader);
      return way += "…";
    }
  }
  return way;
}

}  // namespace

std::string block_around(const syntax::File& file, diag::SourceRange place) {
  // A place at the start of a block is about that block, not in it.
  if (place.begin == 0) return {};
  if (file.native != nullptr) return in_native(*file.native, place.begin - 1);
  if (file.json != nullptr) return in_json(*file.json, place.begin - 1);
  return {};
}

}  // namespace tofu::syntax
