// An expression such as `a.b[each.key].c` as one traversal, its keys evaluated.
//
// Import blocks and replace_triggered_by take an address, not a value, whose keys may be
// expressions.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <vector>

#include "diag/checked.h"
#include "syntax/ast.h"
#include "value/value.h"

namespace tofu::eval {

// Evaluates a key that is not constant.
using KeyValue = std::function<diag::Checked<value::Value>(const syntax::Expr& key)>;

class KeyedTraversal {
 public:
  // Absent if a key is, or if there is no name at the beginning of `expr`: then `begins_with`
  // is what stands there instead.
  static std::optional<KeyedTraversal> make(const syntax::Expr& expr, const KeyValue& key_value,
                                            const syntax::Expr** begins_with = nullptr);
  // A copy would point into the original.
  KeyedTraversal(KeyedTraversal&&) noexcept = default;
  KeyedTraversal& operator=(KeyedTraversal&&) = delete;

  const syntax::Traversal& traversal() const { return traversal_; }

 private:
  KeyedTraversal() = default;

  syntax::Traversal traversal_;
  std::vector<syntax::TraversalStep> steps_;
  std::deque<value::Value> keys_;  // that steps point to
};

}  // namespace tofu::eval
