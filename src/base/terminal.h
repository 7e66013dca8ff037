// What the program may know about the terminal it writes to.
//
// Asked by `commands` alone, once, and handed down as plain values; nothing
// below decides by itself whether to colour or where to wrap.
#pragma once

#include <optional>

namespace tofu::base {

bool is_terminal(int descriptor);

// Columns of the terminal behind `descriptor`; empty if it is none or will not say.
std::optional<int> terminal_width(int descriptor);

}  // namespace tofu::base
