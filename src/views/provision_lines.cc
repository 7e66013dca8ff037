#include "views/provision_lines.h"

#include "base/unicode.h"

namespace tofu::views {

namespace {

std::string_view without_trailing_space(std::string_view line) {
  while (!line.empty()) {
    std::size_t start = line.size() - 1;
    while (start > 0 && (static_cast<unsigned char>(line[start]) & 0xC0U) == 0x80U) --start;
    if (!base::is_space(base::decode_utf8(line.substr(start)).code)) break;
    line = line.substr(0, start);
  }
  return line;
}

}  // namespace

std::vector<std::string_view> provision_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    std::size_t end = text.find('\n');
    if (end == std::string_view::npos) end = text.find('\r');
    const std::string_view line = without_trailing_space(text.substr(0, end));
    if (!line.empty()) lines.push_back(line);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

}  // namespace tofu::views
