#include "cli/prompt.h"

#include <utility>

#include "base/terminal.h"

namespace tofu::cli {

namespace {

std::optional<std::string> ask(std::string_view prompt, Terminal& terminal,
                               const std::stop_token& stop) {
  terminal.out.write(prompt);
  terminal.out.flush();
  return read_answer(terminal, stop);
}

std::optional<std::string> ask_hidden(std::string_view prompt, Terminal& terminal,
                                      Cancellation& cancellation) {
  // Without, the first signal would end the process before the terminal is restored.
  const auto listening = cancellation.listen();
  // Before the prompt: who answers it at once is not seen either.
  base::HiddenTyping hidden(terminal.in.descriptor());
  auto answer = ask(prompt, terminal, cancellation.token());
  if (!answer) hidden.end_unread();
  return answer;
}

}  // namespace

std::optional<std::string> ask_person(std::string_view prompt, Typing typing, Terminal& terminal,
                                      Cancellation& cancellation) {
  if (typing == Typing::Shown) return ask_person(prompt, terminal, cancellation.token());
  auto answer = ask_hidden(prompt, terminal, cancellation);
  terminal.out.line("");
  return answer;
}

std::optional<std::string> ask_person(std::string_view prompt, Terminal& terminal,
                                      const std::stop_token& stop) {
  auto answer = ask(prompt, terminal, stop);
  terminal.out.line("");
  return answer;
}

std::optional<std::string> read_answer(Terminal& terminal, const std::stop_token& stop) {
  auto answer = terminal.in.read_line(stop);
  if (!answer) return std::nullopt;
  return std::move(*answer);
}

}  // namespace tofu::cli
