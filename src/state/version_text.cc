#include "state/version_text.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>

#include "base/ascii.h"

namespace tofu::state {

namespace {

bool is_word(char c) { return base::is_ascii_alphanumeric(c) || c == '-' || c == '~'; }

// Words with dots between them, none of them empty.
bool are_words(std::string_view text) {
  while (true) {
    const std::size_t length = std::min(text.find('.'), text.size());
    if (length == 0 || !std::ranges::all_of(text.substr(0, length), is_word)) return false;
    if (length == text.size()) return true;
    text.remove_prefix(length + 1);
  }
}

}  // namespace

bool is_version(std::string_view text) {
  if (text.starts_with('v')) text.remove_prefix(1);
  while (true) {
    std::int64_t number = 0;
    if (text.empty() || !base::is_ascii_digit(text.front())) return false;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc()) return false;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (!text.starts_with('.')) break;
    text.remove_prefix(1);
  }
  const std::size_t plus = text.find('+');
  if (plus != std::string_view::npos) {
    if (!are_words(text.substr(plus + 1))) return false;
    text = text.substr(0, plus);
  }
  if (text.empty()) return true;
  // A pre-release begins with a dash, or at once with a letter: 1.0-beta, 1.0beta.
  if (!base::is_ascii_letter(text.front()) && text.front() != '-' && text.front() != '~') {
    return false;
  }
  return are_words(text);
}

}  // namespace tofu::state
