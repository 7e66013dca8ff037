// A body read by its schema once, to be evaluated for any number of instances.
//
// Preparing finds the arguments and blocks, the errors that are independent of the scope, and the
// values that need no evaluation: constants, and parts that are left out. Evaluating copies those
// and computes the rest. The value has the schema's type even after errors, with unknowns where
// something failed, so that one error does not hide the next.
//
// Threads: evaluate() may be called from any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "diag/diagnostic.h"
#include "schema/decode.h"
#include "schema/layout.h"
#include "syntax/body.h"
#include "syntax/dynamic.h"
#include "syntax/eval.h"
#include "value/value.h"

namespace tofu::schema {

class PreparedBody {
 public:
  // `layout` and the file that `body` is in outlive it.
  PreparedBody(const syntax::Body& body, const Layout& layout);
  PreparedBody(PreparedBody&&) noexcept;
  PreparedBody& operator=(PreparedBody&&) = delete;
  ~PreparedBody();

  // Evaluates the object and reports every error of the body.
  value::Value evaluate(const syntax::Scope& scope, diag::Diagnostics& diags) const {
    return evaluate(scope, nullptr, diags);
  }
  // Whether it is the same in every scope.
  bool is_constant() const {
    return arguments_.empty() && groups_.empty() && problems_.items().empty();
  }
  const Uses& uses() const { return uses_; }
  // References in dynamic blocks whose type does not exist. They do not prevent the evaluation of
  // the rest.
  const Uses& unused() const { return unused_; }
  // The place of an argument's value. Nothing if the argument is not set.
  std::optional<diag::SourceRange> place_of(std::string_view argument) const;
  const Layout& layout() const { return layout_; }

 private:
  using IteratorNames = std::vector<std::string_view>;

  // An argument whose value depends on the scope.
  struct Argument {
    std::uint32_t part;
    syntax::Attribute written;
  };
  // A block as written, or a `dynamic` block and the content of those it makes.
  struct Entry;
  // All blocks of one type, in source order.
  struct Group {
    std::uint32_t part;
    std::vector<Entry> entries;
  };
  // One block that an entry stands for in one scope.
  struct Occurrence;
  class Gathering;

  // For a body that writes some arguments as blocks: a layout in which they are blocks.
  struct OwnLayout;

  PreparedBody(const syntax::Body& body, const Layout& layout, const IteratorNames& iterators);
  static std::unique_ptr<const OwnLayout> layout_for(const syntax::Body& body,
                                                     const Layout& layout);

  void read_arguments(const syntax::Content& content, const IteratorNames& iterators);
  void read_blocks(const syntax::Content& content, const IteratorNames& iterators);
  void read_dynamic(const syntax::Block& block, const IteratorNames& iterators,
                    std::vector<Group>& groups);
  void keep(Group group);
  void note(const PreparedBody& inside);

  value::Value evaluate(const syntax::Scope& scope, const syntax::Iterator* iterators,
                        diag::Diagnostics& diags) const;
  value::Value argument(const Argument& argument, const syntax::Scope& scope,
                        diag::Diagnostics& diags) const;
  value::Value group(const Group& group, const syntax::Scope& scope,
                     const syntax::Iterator* iterators, diag::Diagnostics& diags) const;
  static std::vector<Occurrence> occurrences(const Group& group, const syntax::Scope& scope,
                                             const syntax::Iterator* iterators,
                                             diag::Diagnostics& diags);

  std::unique_ptr<const OwnLayout> own_;  // null: the body writes what the schema says
  const Layout& layout_;
  diag::SourceRange missing_range_;  // where something that is missing is reported
  std::vector<value::Value> known_;  // by part: what needs no evaluation
  std::vector<std::pair<std::uint32_t, diag::SourceRange>> places_;  // of arguments, by part
  std::vector<Argument> arguments_;
  std::vector<Group> groups_;
  diag::Diagnostics problems_;  // errors that do not depend on the scope
  Uses uses_;
  Uses unused_;
};

}  // namespace tofu::schema
