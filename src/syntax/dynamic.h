// `dynamic` blocks: repeated blocks made from a collection.
//
// read_dynamic() takes in what the author wrote, once; expand() says what blocks that
// makes in one scope. The expressions inside such a block see the iterator
// (`setting.key`, `setting.value`) through an IteratorScope; so do the `dynamic`
// blocks inside it.
#pragma once

#include <optional>
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
  std::string_view name;  // in the syntax tree
  value::Value key;
  value::Value value;
  const Iterator* outer = nullptr;
  // How many blocks there are if each one outside makes as many as the one that made this.
  std::size_t in_all = 1;
};

// A scope that resolves iterators and leaves other names to `outer`. Both outlive it.
class IteratorScope final : public Scope {
 public:
  IteratorScope(const Scope& outer, const Iterator* innermost)
      : outer_(outer), innermost_(innermost) {}
  std::optional<Resolved> resolve(const Traversal& traversal,
                                  diag::Diagnostics& diags) const override;
  const Function* function(std::string_view name) const override;
  const ImportedSymbols* symbols() const override { return outer_.symbols(); }
  std::vector<std::string_view> function_names() const override;
  bool is_interrupted() const override { return outer_.is_interrupted(); }

 private:
  const Scope& outer_;
  const Iterator* innermost_;
};

struct DynamicBlock {
  std::string_view type;         // of the blocks it makes
  diag::SourceRange type_range;  // where that is written
  diag::SourceRange range;       // of the header
  std::string_view iterator;
  const Expr* for_each = nullptr;
  std::vector<const Expr*> labels;
  std::optional<Body> content;
  bool usable = false;  // false if an error was added; then the parts may be absent
};

// `block` is of type `dynamic`, with one label; `made` is the schema of the generated blocks.
DynamicBlock read_dynamic(const Block& block, const BlockSchema& made, diag::Diagnostics& diags);

// The input of one generated block.
struct MadeBlock {
  value::Value key;
  value::Value value;
  std::vector<value::Value> labels;  // known strings
  std::size_t in_all = 1;            // of its iterator
};

struct Expansion {
  std::vector<MadeBlock> blocks;
  bool unknown = false;  // for_each is not known yet: the one block stands for any number
  value::Marks marks;    // of for_each: values of the blocks' own arguments get them
};

// The blocks that a usable `dynamic` makes in `scope`, where the iterators `outer` are
// in force. Errors are in `diags`; what could be expanded is returned.
Expansion expand(const DynamicBlock& dynamic, const Scope& scope, const Iterator* outer,
                 diag::Diagnostics& diags);

// `schema` with the `dynamic` block type added, for reading a body that may hold
// dynamic blocks.
BodySchema with_dynamic(const BodySchema& schema);

}  // namespace tofu::syntax
