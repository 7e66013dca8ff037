// One question to the person at the terminal.
//
// The answer to a question for a secret is not shown while it is typed. The terminal is restored
// on every way out: an answer, the end of input, Ctrl-C and SIGTERM, also the second one.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "cli/cancellation.h"
#include "cli/terminal.h"

namespace tofu::cli {

enum class Typing : std::uint8_t { Shown, Hidden };

// Writes `prompt`, reads a line and ends the line on the terminal. Nothing at the end of input
// and after an interrupt.
std::optional<std::string> ask_person(std::string_view prompt, Typing typing, Terminal& terminal,
                                      Cancellation& cancellation);
// The same for an answer that may be shown, until `stop`.
std::optional<std::string> ask_person(std::string_view prompt, Terminal& terminal,
                                      const std::stop_token& stop);
// Only the answer, where the question is a line that was printed already.
std::optional<std::string> read_answer(Terminal& terminal, const std::stop_token& stop);

}  // namespace tofu::cli
