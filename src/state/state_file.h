// State files: text to a State and back.
//
// Reading accepts and refuses the same files as OpenTofu, in versions 1 to 4; nothing about the
// text is trusted. Writing gives version 4, byte for byte what OpenTofu writes for the same
// content. Both are plain text here: encryption.h is the one place between this and the bytes that
// are stored.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "diag/diagnostic.h"
#include "state/state.h"

namespace tofu::state {

// An empty text is an error; a backend takes it for a workspace without a state.
diag::Checked<State> read_state(std::string_view text, diag::Diagnostics& diags);
// The same, reusing the memory of `text` for the state.
diag::Checked<State> read_large_state(std::string text, diag::Diagnostics& diags);

// Compact is what remote stores, backups and `state pull` have, Indented what local
// files have.
enum class Layout : std::uint8_t { Compact, Indented };

// Gives the text to `sink` in pieces of up to a few hundred kilobytes. Stops and returns false
// when `sink` returns false.
bool write_state(const State& state, Layout layout,
                 const std::function<bool(std::string_view)>& sink);
std::string state_text(const State& state, Layout layout);

}  // namespace tofu::state
