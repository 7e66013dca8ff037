#include "net/redaction.h"

#include <cstddef>

#include "base/unicode.h"

namespace tofu::net {

std::string redact(std::string_view errors, const std::vector<std::string>& secrets) {
  std::string text = base::to_valid_utf8(errors);
  for (const std::string& secret : secrets) {
    const std::string_view shown = secret.ends_with('@') ? "***@" : "***";
    for (std::size_t at = 0;
         !secret.empty() && (at = text.find(secret, at)) != std::string::npos;) {
      text.replace(at, secret.size(), shown);
      at += shown.size();
    }
  }
  std::string clean;
  for (const char c : text) {
    const bool control = static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
    if (c == '\n' || !control) clean += c;
    if (c == '\r') clean += '\n';  // lines of progress
  }
  // The message that quotes the text ends the sentence.
  const auto is_end = [](char c) { return c == '\n' || c == ' ' || c == '.'; };
  while (!clean.empty() && is_end(clean.back())) clean.pop_back();
  constexpr std::size_t kMost = 2000;
  if (clean.size() > kMost) {
    const std::size_t line = clean.find('\n', clean.size() - kMost);
    clean.erase(0, line == std::string::npos ? clean.size() - kMost : line + 1);
  }
  return base::to_valid_utf8(clean);
}

}  // namespace tofu::net
