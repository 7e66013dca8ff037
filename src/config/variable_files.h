// Values for variables, as files give them: .tfvars and its JSON form.
//
// A file is read as arguments only. Values are constants and are evaluated when
// the variable they are for is known.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "diag/diagnostic.h"
#include "diag/source.h"
#include "syntax/ast.h"
#include "syntax/parser.h"

namespace tofu::config {

struct GivenValue {
  std::string name;
  const syntax::Expr* expr = nullptr;
  diag::SourceRange name_range;
};

struct VariableFile {
  std::unique_ptr<syntax::File> file;  // keeps the expressions
  std::vector<GivenValue> values;
};

// Reads the file `id`, whose name decides the syntax; where the name says nothing, a text that
// begins with a brace is JSON. Returns all variables that could be read: look at `diags`.
VariableFile read_variable_file(const diag::SourceMap& sources, diag::FileId id,
                                diag::Diagnostics& diags);

}  // namespace tofu::config
