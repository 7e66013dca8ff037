#include "views/modules_text.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/json_writer.h"
#include "base/unicode.h"
#include "diag/wrap.h"

namespace tofu::views {

namespace {

using Files = ModuleRow::Files;

constexpr std::size_t kColumns = 7;
constexpr std::size_t kShownRevision = 12;  // characters; enough to find the commit
constexpr std::string_view kGap = "  ";

using Line = std::array<std::string, kColumns>;

std::string_view files_text(Files files) {
  switch (files) {
    case Files::Caller: return "with its caller";
    case Files::Own: return "own copy";
    case Files::Shared: return "shared";
  }
  base::broken_promise("place of files out of range");
}

std::string_view files_word(Files files) {
  switch (files) {
    case Files::Caller: return "caller";
    case Files::Own: return "own";
    case Files::Shared: return "shared";
  }
  base::broken_promise("place of files out of range");
}

std::string_view read_only_text(std::optional<bool> read_only) {
  if (!read_only) return "not said";
  return *read_only ? "yes" : "no";
}

// Text that stays on its line and cannot drive the terminal.
std::string cell(std::string_view text) {
  std::string shown = diag::safe_for_terminal(text);
  std::ranges::replace_if(
      shown, [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
  return shown.empty() ? "-" : shown;
}

Line line_of(const ModuleRow& row) {
  const std::string_view version =
      row.version.empty() ? std::string_view(row.revision).substr(0, kShownRevision) : row.version;
  return {cell(row.address),
          cell(row.source),
          cell(version),
          cell(files_text(row.files)),
          cell(read_only_text(row.read_only)),
          cell(row.decided_by),
          cell(row.directory)};
}

}  // namespace

std::string modules_table(std::span<const ModuleRow> rows) {
  std::vector<Line> lines{
      {"Call", "Source", "Version", "Files", "Read-only", "Decided by", "Directory"}};
  for (const ModuleRow& row : rows) lines.push_back(line_of(row));
  std::array<std::size_t, kColumns> widths{};
  for (const Line& line : lines) {
    for (std::size_t i = 0; i < kColumns; ++i) {
      widths[i] = std::max(widths[i], base::display_width(line[i]));
    }
  }
  std::string out;
  for (const Line& line : lines) {
    if (!out.empty()) out += '\n';
    for (std::size_t i = 0; i < kColumns; ++i) {
      out += line[i];
      if (i + 1 == kColumns) break;
      out.append(widths[i] - base::display_width(line[i]), ' ');
      out += kGap;
    }
  }
  return out;
}

std::string modules_json(std::span<const ModuleRow> rows) {
  std::string text;
  base::JsonWriter json(text);
  json.begin_object();
  json.field("format_version", "1.0");
  json.key("modules");
  json.begin_array();
  for (const ModuleRow& row : rows) {
    json.begin_object();
    json.field("address", row.address);
    json.field("key", row.key);
    json.field("source", row.source);
    json.field("version", row.version);
    if (!row.revision.empty()) json.field("revision", row.revision);
    json.field("directory", row.directory);
    if (!row.hash.empty()) json.field("hash", row.hash);
    json.field("files", files_word(row.files));
    json.key("read_only");
    if (row.read_only) {
      json.boolean(*row.read_only);
    } else {
      json.null();
    }
    json.field("decided_by", row.decided_by);
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return text;
}

}  // namespace tofu::views
