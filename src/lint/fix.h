// Fixes findings: edits the files that they are in.
//
// Comments and layout stay. A file that was in the standard layout is so afterwards, too; in
// another file, edited lines and the arguments that are aligned with them get that layout. The text
// of each file is parsed again; a file in which something else would change is left as it is.
#pragma once

#include <string>
#include <vector>

#include "diag/diagnostic.h"
#include "diag/source.h"
#include "lint/finding.h"

namespace tofu::lint {

struct FixedFile {
  diag::FileId file;
  std::string text;
};

struct Fixed {
  std::vector<FixedFile> files;
  std::vector<Finding> remaining;  // without a fix, or one that overlaps another one
};

// Writes nothing. Files that could not be fixed are reported.
Fixed fix(std::vector<Finding> findings, diag::SourceMap& sources, diag::Diagnostics& diags);

}  // namespace tofu::lint
