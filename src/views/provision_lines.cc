#include "views/provision_lines.h"

#include "base/trim.h"
#include "base/unicode.h"

namespace tofu::views {

std::vector<std::string_view> provision_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    std::size_t end = text.find('\n');
    if (end == std::string_view::npos) end = text.find('\r');
    const std::string_view line = base::trim_end(text.substr(0, end), base::is_space);
    if (!line.empty()) lines.push_back(line);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

}  // namespace tofu::views
