#include "syntax/navigation.h"

#include "base/unicode.h"

namespace tofu::syntax {
namespace {

bool contains(diag::SourceRange range, std::uint32_t byte) {
  return range.begin <= byte && byte < range.end;
}

std::string native_block(const NativeBody& body, std::uint32_t byte) {
  for (const NativeBlock& block : body.blocks) {
    if (!contains({block.type_range.file, block.type_range.begin, block.close_range.end}, byte)) {
      continue;
    }
    std::string header(block.type);
    for (const Label& label : block.labels) header += " " + base::quote_go(label.text);
    return header;
  }
  return "";
}

bool is_container(const Expr& expr) {
  return expr.kind == ExprKind::Object || expr.kind == ExprKind::Tuple;
}

// The object or array directly inside `outer` that holds `byte`; adds its step to
// `path`. Null if there is none.
const Expr* step_into(const Expr& outer, std::uint32_t byte, std::string& path) {
  if (const auto* object = as_if<ObjectExpr>(outer)) {
    for (const ObjectItem& item : object->items) {
      if (!is_container(*item.value) || !contains(item.value->range, byte)) continue;
      if (!path.empty()) path += '.';
      path += as<JsonStringExpr>(*item.key).text;
      return item.value;
    }
  } else if (const auto* array = as_if<TupleExpr>(outer)) {
    for (std::size_t i = 0; i < array->items.size(); ++i) {
      if (!is_container(*array->items[i]) || !contains(array->items[i]->range, byte)) continue;
      path += "[" + std::to_string(i) + "]";
      return array->items[i];
    }
  }
  return nullptr;
}

}  // namespace

std::string enclosing_block(const File& file, std::uint32_t byte) {
  if (file.native) return native_block(*file.native, byte);
  std::string path;
  for (const Expr* at = file.json; at;) at = step_into(*at, byte, path);
  return path;
}

}  // namespace tofu::syntax
