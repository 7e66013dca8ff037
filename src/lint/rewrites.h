// Edits that replace deprecated variables and outputs as their authors say: `replaced_by`.
//
// Arguments of module calls are renamed or given as the author's expression of the old value;
// references to outputs become the author's expression of other outputs. Everything else in the
// files stays. What cannot be edited safely is listed with the reason.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "config/tree.h"
#include "config/variable_files.h"
#include "diag/source.h"
#include "syntax/edits.h"

namespace tofu::lint {

struct Rewrite {
  diag::SourceRange place;        // as a warning of the use points to it
  diag::SourceRange declaration;  // of what is deprecated
  std::string what;               // the variable "size"
  config::ModuleId user;          // the module with the use
  syntax::EditGroup edits;        // empty: to be made by hand
  std::string obstacle;           // why; a sentence
};

// Of all modules and of the test files of the root module. In the order of the files.
std::vector<Rewrite> find_rewrites(const config::Tree& tree, const diag::SourceMap& sources);

// Of the values in all files that set variables of the root module together.
std::vector<Rewrite> find_rewrites(std::span<const config::VariableFile> files,
                                   const config::Tree& tree, const diag::SourceMap& sources);

}  // namespace tofu::lint
