// Text for people: lines wrapped to a width, without terminal control sequences.
//
// Used for diagnostics and by commands for their own notes. Widths are in
// characters; a width of 0 or less leaves lines as they are.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tofu::diag {

// Breaks every line at white space so that it fits into `width` characters. A
// line that begins with a space is code or a file name and stays unbroken, and
// so does a word that is longer than the width.
std::string wrap_text(std::string_view text, int width);

// Text from outside that a terminal shows as it is and does not obey: control characters become
// their pictures (ESC becomes U+241B), C1 controls and the characters that change the direction of
// writing are spelled as \u202E, broken UTF-8 becomes U+FFFD. Line feeds, tabs and carriage returns
// before a line feed stay. Everything that people see passes through this once.
//
// Values are printed with the carriage returns that they have, since other programs read them.
enum class CarriageReturns : std::uint8_t { Show, Keep };
std::string safe_for_terminal(std::string_view text,
                              CarriageReturns returns = CarriageReturns::Show);

// The same for JSON text: DEL, C1 controls and changes of the writing direction become escapes,
// which mean the same to programs.
std::string json_safe_for_terminal(std::string_view json);

}  // namespace tofu::diag
