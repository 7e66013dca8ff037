// Files with blocks of mocks, `*.tfmock.hcl` and `*.tfmock.json`, that several test files can
// share: a mock_provider block names the directory they are in as its `source`.
//
// Only read and declared here; an error in one is reported at its place in the file.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/declare.h"
#include "config/files.h"
#include "config/module.h"
#include "config/test_file.h"
#include "diag/diagnostic.h"
#include "diag/source.h"
#include "syntax/parser.h"

namespace tofu::config {

// How a file of that name is read; nothing if it is none of these.
std::optional<FileSyntax> mock_file_syntax(std::string_view name);

// The directories that the mock_provider blocks of a test file name.
std::vector<std::string> mock_sources(const syntax::File& test_file);

// Gives every mock provider of `tests` what the files in its directory say. Its own settings take
// precedence. `tested` keeps the files, whose names are "DIRECTORY/NAME" with the directory as
// mock_sources() has it.
void add_mock_files(std::vector<ParsedFile> files, Module& tested, std::vector<TestFile>& tests,
                    diag::SourceMap& sources, diag::Diagnostics& diags);

}  // namespace tofu::config
