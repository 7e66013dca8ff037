// State files: text to a State and back.
//
// Reading takes what OpenTofu takes, in versions 1 to 4, and refuses what it
// refuses; nothing about the text is trusted. Writing gives version 4, byte for
// byte what OpenTofu writes for the same content. Both are plain text here:
// encryption.h is the one place between this and the bytes that are stored.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "diag/diagnostic.h"
#include "state/state.h"

namespace tofu::state {

// Nothing if and only if an error was added. An empty text is an error here: to
// whoever keeps states it means that there is none yet.
std::optional<State> read_state(std::string_view text, diag::Diagnostics& diags);
// The same for a text that nobody needs any more: the state is made of its memory.
std::optional<State> read_large_state(std::string text, diag::Diagnostics& diags);

// Compact is what remote stores, backups and `state pull` have, Indented what local
// files have.
enum class Layout : std::uint8_t { Compact, Indented };

// Gives the text in pieces of up to a few hundred kilobytes. The answer false ends
// the writing. False if and only if `sink` said so.
bool write_state(const State& state, Layout layout,
                 const std::function<bool(std::string_view)>& sink);
std::string state_text(const State& state, Layout layout);

}  // namespace tofu::state
