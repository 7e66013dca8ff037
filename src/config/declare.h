// From parsed files to a module.
//
// Every error that is visible within one directory is reported: unknown blocks and arguments,
// duplicates, bad meta-arguments, overrides of nothing. Nothing is evaluated beyond constants, and
// no other module is looked at.
//
// Not reported here, because it takes more than the files: types and defaults of
// variables (variable_types.h), versions (version_check.h), and what the choice of
// providers says (provider_checks.h).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "config/files.h"
#include "config/module.h"
#include "diag/diagnostic.h"
#include "diag/source.h"
#include "syntax/parser.h"

namespace tofu::config {

struct ParsedFile {
  ModuleFile name;
  std::unique_ptr<syntax::File> file;
};

struct ParsedFiles {
  std::string directory;
  std::vector<ParsedFile> primary;
  std::vector<ParsedFile> overrides;
  std::vector<ParsedFile> tests;  // of a root module only; names are relative to it
};

// Parses one chosen file whose text is in `sources`, by its syntax.
ParsedFile parse_module_file(const diag::SourceMap& sources, diag::FileId id, ModuleFile name,
                             diag::Diagnostics& diags);

// Always returns a module with all parts that could be read: look at `diags`. `sources` grows by
// pieces of JSON strings and quoted references that are parsed as expressions.
std::unique_ptr<Module> declare_module(ParsedFiles files, diag::SourceMap& sources,
                                       diag::Diagnostics& diags);

}  // namespace tofu::config
