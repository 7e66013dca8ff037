// A file with edits made, checked and laid out again.
//
// Comments and layout stay. A file that was in the standard layout is so afterwards, too; in
// another file, edited lines and the arguments that are aligned with them get that layout. The text
// is parsed again; if something else would change, nothing does.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "diag/source.h"
#include "syntax/edits.h"

namespace tofu::lint {

struct EditedFile {
  diag::FileId file;
  std::string text;
  std::vector<std::size_t> left_out;  // groups that overlap earlier ones
};

// Nothing if the edits would change more than they should. Adds the result to `sources`.
std::optional<EditedFile> edit_file(diag::FileId file, std::span<const syntax::EditGroup> groups,
                                    diag::SourceMap& sources);

}  // namespace tofu::lint
