// One walk over everything that the files of a module say, for all rules at once.
//
// Native files are walked block by block; a JSON file is one large expression, whose strings are
// walked as the templates that they may be. Every expression is visited once, before its parts.
#pragma once

#include <span>
#include <vector>

#include "config/module.h"
#include "diag/source.h"
#include "syntax/ast.h"
#include "syntax/body.h"
#include "syntax/parser.h"

namespace tofu::lint {

// The position of a block, an argument or an expression.
struct Site {
  const syntax::NativeBlock* top = nullptr;          // the outermost block; null in JSON
  const syntax::NativeBlock* block = nullptr;        // the innermost one
  const syntax::Attribute* attribute = nullptr;      // the argument
  const syntax::Expr* parent = nullptr;              // the expression around this one
  std::vector<const syntax::ForExpr*> binders = {};  // the `for`s that enclose it, outermost first
  bool in_nested(std::string_view type) const {
    return block != top && block != nullptr && block->type == type;
  }
};

class Visitor {
 public:
  virtual ~Visitor() = default;
  // `site.block` is the block around it.
  virtual void block(const syntax::NativeBlock&, const Site&) {}
  virtual void end_block(const syntax::NativeBlock&, const Site&) {}
  virtual void attribute(const syntax::Attribute&, const Site&) {}
  virtual void expression(const syntax::Expr&, const Site&) {}
};

// The files of a module that declare it: those of its tests, which it keeps as well, do not.
std::vector<const syntax::File*> module_files(const config::Module& module,
                                              const diag::SourceMap& sources);

void walk(std::span<const syntax::File* const> files, std::span<Visitor* const> visitors);
// The expressions that were quoted, such as references in depends_on and those of JSON strings.
void walk_quoted(const config::Module& module, Visitor& visitor);

}  // namespace tofu::lint
