#include "cli/shell_words.h"

#include <fmt/format.h>

namespace tofu::cli {

base::Result<std::vector<std::string>> split_words(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  bool in_word = false;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\\' && quote != '\'') {
      if (++i == text.size()) return base::Error{"it ends with a single backslash"};
      word += text[i];
      in_word = true;
    } else if (quote != 0) {
      if (c == quote) {
        quote = 0;
      } else {
        word += c;
      }
    } else if (c == '\'' || c == '"') {
      quote = c;
      in_word = true;
    } else if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      if (in_word) words.push_back(std::move(word));
      word.clear();
      in_word = false;
    } else {
      word += c;
      in_word = true;
    }
  }
  if (quote != 0) return base::Error{fmt::format("missing closing quote ({})", quote)};
  if (in_word) words.push_back(std::move(word));
  return words;
}

}  // namespace tofu::cli
