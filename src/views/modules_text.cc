#include "views/modules_text.h"

#include <algorithm>
#include <fmt/format.h>
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

using Lock = PackageRow::Lock;

constexpr std::size_t kShownRevision = 12;  // characters; enough to find the commit
constexpr std::string_view kGap = "  ";

using Line = std::vector<std::string>;

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

std::string table_of(const std::vector<Line>& lines) {
  std::vector<std::size_t> widths(lines.front().size());
  for (const Line& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i) {
      widths[i] = std::max(widths[i], base::display_width(line[i]));
    }
  }
  std::string out;
  for (const Line& line : lines) {
    if (!out.empty()) out += '\n';
    for (std::size_t i = 0; i < line.size(); ++i) {
      out += line[i];
      if (i + 1 == line.size()) break;
      out.append(widths[i] - base::display_width(line[i]), ' ');
      out += kGap;
    }
  }
  return out;
}

std::string_view lock_text(Lock lock) {
  switch (lock) {
    case Lock::Locked: return "locked";
    case Lock::Differs: return "differs";
    case Lock::Missing: return "missing";
    case Lock::NotApplicable: return "not locked";
  }
  base::broken_promise("lock state out of range");
}

std::string_view lock_word(Lock lock) {
  return lock == Lock::NotApplicable ? "none" : lock_text(lock);
}

std::string users_text(const std::vector<std::string>& users) {
  constexpr std::size_t kMaxListed = 3;
  std::string out;
  for (std::size_t i = 0; i < std::min(users.size(), kMaxListed); ++i) {
    out += (i == 0 ? "" : ", ") + users[i];
  }
  if (users.size() > kMaxListed) out += fmt::format(" and {} more", users.size() - kMaxListed);
  return out;
}

void write_package(base::JsonWriter& json, const PackageRow& row) {
  json.begin_object();
  json.field("source", row.source);
  if (!row.requested_ref.empty()) json.field("requested_ref", row.requested_ref);
  if (!row.version.empty()) json.field("version", row.version);
  if (!row.revision.empty()) json.field("revision", row.revision);
  json.field("hash", row.hash);
  json.field("files", row.is_shared ? "shared" : "own");
  json.field("lock", lock_word(row.lock));
  if (!row.lock_problem.empty()) json.field("lock_problem", row.lock_problem);
  if (!row.license_file.empty()) json.field("license_file", row.license_file);
  if (!row.license.empty()) json.field("license", row.license);
  json.field("directory", row.directory);
  json.key("used_by");
  json.begin_array();
  for (const std::string& user : row.used_by) json.string(user);
  json.end_array();
  json.end_object();
}

}  // namespace

std::string modules_table(std::span<const ModuleRow> rows) {
  std::vector<Line> lines{
      {"Call", "Source", "Version", "Files", "Read-only", "Decided by", "Directory"}};
  for (const ModuleRow& row : rows) lines.push_back(line_of(row));
  return table_of(lines);
}

std::string packages_table(std::span<const PackageRow> rows) {
  std::vector<Line> lines{{"Package", "Ref", "Version", "Lock", "License", "Used by"}};
  for (const PackageRow& row : rows) {
    const std::string_view version = row.version.empty()
                                         ? std::string_view(row.revision).substr(0, kShownRevision)
                                         : row.version;
    const std::string& license = row.license.empty() ? row.license_file : row.license;
    lines.push_back({cell(row.source), cell(row.requested_ref), cell(version),
                     cell(lock_text(row.lock)), cell(license), cell(users_text(row.used_by))});
  }
  return table_of(lines);
}

std::string modules_json(std::span<const ModuleRow> rows, std::span<const PackageRow> packages) {
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
  if (!packages.empty()) {
    json.key("packages");
    json.begin_array();
    for (const PackageRow& row : packages) write_package(json, row);
    json.end_array();
  }
  json.end_object();
  return text;
}

}  // namespace tofu::views
