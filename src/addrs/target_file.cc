#include "addrs/target_file.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/ascii.h"
#include "syntax/parser.h"

namespace tofu::addrs {

namespace {

bool is_comment(std::string_view line) { return base::trimmed(line).starts_with('#'); }

// The diagnostics of one line refer to `file` from `offset` on.
void shift(std::optional<diag::SourceRange>& range, diag::FileId file, std::uint32_t offset) {
  if (!range) return;
  range->file = file;
  range->begin += offset;
  range->end += offset;
}

}  // namespace

std::vector<Target> parse_target_file(const diag::SourceMap& sources, diag::FileId file,
                                      diag::Diagnostics& diags) {
  std::vector<Target> targets;
  const std::string_view text = sources.text(file);
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t newline = std::min(text.find('\n', begin), text.size());
    std::string_view line = text.substr(begin, newline - begin);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!is_comment(line)) {
      diag::SourceMap of_line;
      diag::Diagnostics found;
      const diag::FileId id = of_line.add("<line>", std::string(line));
      if (const auto parsed = syntax::parse_traversal(of_line, id, false, found)) {
        if (auto target = parse_target(parsed->traversal, found)) {
          targets.push_back(std::move(*target));
        }
      }
      for (diag::Diagnostic& item : found.items_from(0)) {
        shift(item.subject, file, static_cast<std::uint32_t>(begin));
        shift(item.context, file, static_cast<std::uint32_t>(begin));
      }
      diags.take(std::move(found));
    }
    begin = newline + 1;
  }
  return targets;
}

}  // namespace tofu::addrs
