// A traversal as one row of steps, the root name being the first.
//
// Private to the parsers of this component: addresses treat the root and the attributes after it
// alike, since `module.a` may come before what would else be the root. Holds views; valid while the
// traversal is.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string_view>

#include "base/check.h"
#include "diag/source.h"
#include "syntax/ast.h"
#include "value/value.h"

namespace tofu::addrs {

class Steps {
 public:
  explicit Steps(const syntax::Traversal& traversal) : traversal_(&traversal) {}

  std::size_t size() const { return traversal_->steps.size() + 1 - begin_; }
  bool empty() const { return size() == 0; }

  bool is_name(std::size_t index) const {
    return at(index) == 0 || step(index).kind == syntax::StepKind::Attribute;
  }
  std::string_view name(std::size_t index) const {
    return at(index) == 0 ? traversal_->root : step(index).name;
  }
  // The constant key of an index step; null for every other.
  const value::Value* key(std::size_t index) const {
    return at(index) == 0 ? nullptr : step(index).key;
  }
  diag::SourceRange range(std::size_t index) const {
    return at(index) == 0 ? traversal_->root_range : step(index).range;
  }
  // From the first step to the last; of the whole traversal if there is none.
  diag::SourceRange range() const {
    return empty() ? traversal_->range : diag::cover(range(0), range(size() - 1));
  }

  Steps after(std::size_t count) const {
    Steps rest = *this;
    rest.begin_ += std::min(count, size());
    return rest;
  }
  // The steps after the first `count`, as the tree has them; `count` is at least 1.
  std::span<const syntax::TraversalStep> rest(std::size_t count) const {
    return traversal_->steps.subspan(at(count - 1));
  }

 private:
  std::size_t at(std::size_t index) const {
    TOFU_CHECK(index < size(), "a step is read only where there is one");
    return begin_ + index;
  }
  const syntax::TraversalStep& step(std::size_t index) const {
    return traversal_->steps[at(index) - 1];
  }

  const syntax::Traversal* traversal_;
  std::size_t begin_ = 0;
};

}  // namespace tofu::addrs
