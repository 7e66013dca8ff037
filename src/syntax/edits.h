// Edits of source text: pieces replaced by their ranges, everything else kept as it is.
//
// Comments and layout outside of the ranges stay. Edits that belong together are made together or
// not at all, and the result is checked against the tokens of the old text, so that an edit cannot
// change the meaning of its neighbors by accident, for example by joining two words.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "diag/edit.h"

namespace tofu::syntax {

using diag::Edit;
// Edits of one file that are made together.
using EditGroup = std::vector<Edit>;

// What an edit became: bytes of the new text.
struct EditedPlace {
  std::size_t begin;
  std::size_t end;
};

struct EditedText {
  std::string text;
  std::vector<std::size_t> left_out;  // groups that overlap earlier ones
  std::vector<EditedPlace> places;    // of the edits that were made, ascending
};

// `groups` are of the file whose text this is. Of groups that overlap, the first is made.
EditedText apply_edits(std::string_view text, std::span<const EditGroup> groups);

// The same, and an error if a token outside of the ranges is not a token of the result any more.
base::Result<EditedText> apply_edits_checked(std::string_view text,
                                             std::span<const EditGroup> groups);

}  // namespace tofu::syntax
