// The piece of source that is shown with a diagnostic, and where it stands.
//
// Both renderings, text and JSON, are made from this, so they cannot disagree.
// Lines are taken without their line ends; offsets are those of the code as shown,
// whatever line ends the file has. A very long line is cut around the place, with
// "…" for the rest, and so are very many lines: a file with an error in each of its
// bytes costs no more for each than one with few.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "diag/diagnostic.h"
#include "diag/source.h"

namespace tofu::diag {

// A range as people count. An empty one is made one column wide, because
// nothing cannot be underlined.
struct ShownRange {
  std::string filename;
  Position start;
  Position end;  // exclusive
};
ShownRange shown_range(SourceRange range, const SourceMap& sources);

struct Snippet {
  std::string code;  // lines joined by "\n", without a final one
  std::uint32_t first_line = 1;
  std::size_t highlight_begin = 0;  // bytes of `code`; begin <= end <= size
  std::size_t highlight_end = 0;
};

// Empty if the diagnostic has no place, or one in a text that is not a file: names
// in angle brackets, such as <console-input>, are of that kind.
std::optional<Snippet> make_snippet(const Diagnostic& diagnostic, const SourceMap& sources);

// The detail, with a note on the similar diagnostics it speaks for.
std::string shown_detail(const Diagnostic& diagnostic, const SourceMap& sources);

}  // namespace tofu::diag
