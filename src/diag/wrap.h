// Text for people: lines broken to a width, control characters made visible.
//
// Used for diagnostics and by commands for their own notes. Widths are in
// characters; a width of 0 or less leaves lines as they are.
#pragma once

#include <string>
#include <string_view>

namespace tofu::diag {

// Breaks every line at white space so that it fits into `width` characters. A
// line that begins with a space is code or a file name and stays unbroken, and
// so does a word that is longer than the width.
std::string wrap_text(std::string_view text, int width);

// C0 control characters and DEL become their pictures (ESC becomes U+241B), so
// that text from outside cannot drive the terminal. Line feed, carriage return
// and tab stay.
std::string show_control_characters(std::string_view text);

}  // namespace tofu::diag
