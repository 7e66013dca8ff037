#include "views/secret_copies.h"

#include <algorithm>
#include <vector>

namespace tofu::views {

namespace {

constexpr std::size_t kMinDigits = 4;

bool is_compared(const PlainValue& v) {
  if (v.unknown) return false;
  if (v.kind == PlainKind::String) return !v.text.empty();
  return v.kind == PlainKind::Number && v.text.size() >= kMinDigits;
}

}  // namespace

void SecretCopies::learn(const PlainValue& v, bool is_sensitive) {
  is_sensitive = is_sensitive || v.sensitive;
  if (is_sensitive && is_compared(v)) texts_.emplace(v.text);
  for (const PlainValue& item : v.items) learn(item, is_sensitive);
}

void SecretCopies::cover(PlainValue& v, base::Arena& arena) const {
  if (texts_.empty() || v.sensitive) return;
  if (is_compared(v) && texts_.contains(v.text)) v.sensitive = true;
  if (v.items.empty()) return;
  std::vector<PlainValue> items(v.items.begin(), v.items.end());
  for (PlainValue& item : items) cover(item, arena);
  v.items = arena.copy(items);
}

}  // namespace tofu::views
