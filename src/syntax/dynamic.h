// `dynamic` blocks: repeated blocks made from a collection.
//
// expand_blocks() gives the blocks of a body as if the author had written them
// out. The expressions inside a generated block see the iterator (`setting.key`,
// `setting.value`) through an IteratorScope; so do `dynamic` blocks inside it,
// which are expanded when their own body is read.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diag/diagnostic.h"
#include "syntax/body.h"
#include "syntax/eval.h"
#include "value/value.h"

namespace tofu::syntax {

// One iterator in force inside a generated block; inner ones hide outer ones of
// the same name.
struct Iterator {
  std::string name;
  value::Value key;
  value::Value value;
  std::shared_ptr<const Iterator> outer;  // shared by all blocks generated inside
};

// A scope that knows iterators first and asks `outer` for the rest.
class IteratorScope final : public Scope {
 public:
  IteratorScope(const Scope& outer, std::shared_ptr<const Iterator> iterators);
  std::optional<Resolved> resolve(const Traversal& traversal,
                                  diag::Diagnostics& diags) const override;
  const Function* function(std::string_view name) const override;
  std::vector<std::string_view> function_names() const override;

 private:
  const Scope& outer_;
  std::shared_ptr<const Iterator> iterators_;  // shared with the blocks generated so
};

// One block as written or as generated.
struct ExpandedBlock {
  Block block;
  std::shared_ptr<const Iterator> iterators;  // null outside dynamic blocks; shared by siblings
  bool unknown = false;  // for_each is not known yet: stands for any number of blocks
  value::Marks marks;    // of for_each: values of the block's own arguments get them
  std::vector<value::Value> label_values;  // keep the text of computed labels
};

// The blocks of `type` in `content` (which was read with a schema that names
// both `type` and `dynamic` with one label), dynamic ones expanded, in source
// order. Errors are in `diags`; what could be expanded is returned.
std::vector<ExpandedBlock> expand_blocks(const Content& content, const BlockSchema& type,
                                         const Scope& scope,
                                         std::shared_ptr<const Iterator> iterators,
                                         diag::Diagnostics& diags);
// The same for all block types of `schema` in one pass. With `strict`, a dynamic
// block of a type that the schema does not name is an error, as the block itself
// would be; without it is passed over, for a body that is read in two parts.
std::vector<ExpandedBlock> expand_blocks(const Content& content, const BodySchema& schema,
                                         const Scope& scope,
                                         std::shared_ptr<const Iterator> iterators, bool strict,
                                         diag::Diagnostics& diags);

// `schema` with the `dynamic` block type added, for reading a body that may hold
// dynamic blocks.
BodySchema with_dynamic(const BodySchema& schema);

}  // namespace tofu::syntax
