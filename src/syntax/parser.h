// Text to tree: files, expressions and templates, in native and JSON syntax.
//
// Parsing recovers: it reports every separate error and always returns a tree, with InvalidExpr in
// place of unreadable parts. Whether there were errors is in `diags`. Nesting deeper than
// kMaxNesting is an error, not a stack overflow.
#pragma once

#include <deque>
#include <memory>
#include <string_view>
#include <vector>

#include "base/arena.h"
#include "diag/diagnostic.h"
#include "diag/source.h"
#include "syntax/ast.h"
#include "syntax/body.h"
#include "value/constant_pool.h"

namespace tofu::syntax {

// Owns everything that was made from one source text. The text itself belongs
// to the SourceMap, which must outlive the File.
class File {
 public:
  diag::FileId id;
  base::Arena arena;
  value::ConstantPool constants;  // literals; nodes point here
  // Errors of JSON templates, reported if evaluated; nodes point to the inner vectors.
  std::deque<std::vector<diag::Diagnostic>> deferred;
  const NativeBody* native = nullptr;  // one of the two, for whole files
  const Expr* json = nullptr;          // an Object or Tuple
  const Expr* expr = nullptr;          // for a lone expression or template

  Body body() const;
};

// A whole configuration file in native syntax.
std::unique_ptr<File> parse_file(const diag::SourceMap& sources, diag::FileId id,
                                 diag::Diagnostics& diags);
// A whole configuration file in JSON syntax.
std::unique_ptr<File> parse_json_file(const diag::SourceMap& sources, diag::FileId id,
                                      diag::Diagnostics& diags);
// The whole text is one expression, as in the console.
std::unique_ptr<File> parse_expression(const diag::SourceMap& sources, diag::FileId id,
                                       diag::Diagnostics& diags);
// The whole text is a template, as in templatefile.
std::unique_ptr<File> parse_template(const diag::SourceMap& sources, diag::FileId id,
                                     diag::Diagnostics& diags);
// The whole text is an absolute traversal: a.b["c"][0]. Splats are allowed when
// `allow_splat`.
struct ParsedTraversal {
  std::unique_ptr<File> file;  // keeps the steps
  Traversal traversal;
};
diag::Checked<ParsedTraversal> parse_traversal(const diag::SourceMap& sources, diag::FileId id,
                                               bool allow_splat, diag::Diagnostics& diags);

}  // namespace tofu::syntax
