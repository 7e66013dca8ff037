#include "documents/lint_json.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <fmt/format.h>
#include <map>
#include <string>

namespace tofu::documents {

namespace {

constexpr std::string_view kFormatVersion = "1.0";
constexpr std::string_view kSarifVersion = "2.1.0";
constexpr std::string_view kSarifSchema = "https://json.schemastore.org/sarif-2.1.0.json";

void write_position(base::JsonWriter& json, std::string_view key, diag::FileId file,
                    std::uint32_t byte, const diag::SourceMap& sources) {
  const diag::Position at = sources.position(file, byte);
  json.key(key);
  json.begin_object();
  json.field("line", at.line);
  json.field("column", at.column);
  json.field("byte", at.byte);
  json.end_object();
}

// A path as a relative URI reference.
std::string uri_of(std::string_view path) {
  constexpr std::string_view kKept = "-._~/";
  std::string uri;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_plain = byte < 0x80 && (std::isalnum(byte) != 0 || kKept.find(c) != kKept.npos);
    uri += is_plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return uri;
}

// SARIF has other words for severities.
std::string_view level_of(lint::Severity severity) {
  switch (severity) {
    case lint::Severity::Notice: return "note";
    case lint::Severity::Warning: return "warning";
    case lint::Severity::Error: return "error";
  }
  return "none";
}

void write_text(base::JsonWriter& json, std::string_view key, std::string_view text) {
  json.key(key);
  json.begin_object();
  json.field("text", text);
  json.end_object();
}

void write_region(base::JsonWriter& json, std::string_view key, diag::SourceRange range,
                  const diag::SourceMap& sources) {
  const diag::Position begin = sources.position(range.file, range.begin);
  const diag::Position end = sources.position(range.file, range.end);
  json.key(key);
  json.begin_object();
  json.field("startLine", begin.line);
  json.field("startColumn", begin.column);
  json.field("endLine", end.line);
  json.field("endColumn", end.column);
  json.end_object();
}

void write_artifact(base::JsonWriter& json, std::string_view path) {
  json.key("artifactLocation");
  json.begin_object();
  json.field("uri", uri_of(path));
  json.end_object();
}

void write_fix(base::JsonWriter& json, const lint::Finding& finding,
               const diag::SourceMap& sources) {
  json.key("fixes");
  json.begin_array();
  json.begin_object();
  json.key("artifactChanges");
  json.begin_array();
  json.begin_object();
  write_artifact(json, sources.name(finding.place.file));
  json.key("replacements");
  json.begin_array();
  for (const syntax::Edit& edit : finding.fix) {
    json.begin_object();
    write_region(json, "deletedRegion", edit.range, sources);
    write_text(json, "insertedContent", edit.text);
    json.end_object();
  }
  json.end_array();
  json.end_object();
  json.end_array();
  json.end_object();
  json.end_array();
}

void write_sarif_result(base::JsonWriter& json, const lint::Finding& finding, std::size_t index,
                        const diag::SourceMap& sources) {
  json.begin_object();
  json.field("ruleId", finding.rule->id);
  json.field("ruleIndex", index);
  json.field("level", level_of(finding.rule->severity));
  write_text(json, "message", finding.detail);
  json.key("locations");
  json.begin_array();
  json.begin_object();
  json.key("physicalLocation");
  json.begin_object();
  write_artifact(json, sources.name(finding.place.file));
  write_region(json, "region", finding.place, sources);
  json.end_object();
  json.end_object();
  json.end_array();
  if (!finding.fix.empty()) write_fix(json, finding, sources);
  json.end_object();
}

void write_sarif_rule(base::JsonWriter& json, const lint::Rule& rule) {
  json.begin_object();
  json.field("id", rule.id);
  write_text(json, "shortDescription", rule.summary);
  write_text(json, "fullDescription", rule.help);
  json.key("defaultConfiguration");
  json.begin_object();
  json.field("level", level_of(rule.severity));
  json.end_object();
  json.key("properties");
  json.begin_object();
  json.key("tags");
  json.begin_array();
  json.string(rule.group);
  json.end_array();
  json.end_object();
  json.end_object();
}

std::size_t count(std::span<const lint::Finding> findings, lint::Severity severity) {
  return static_cast<std::size_t>(std::ranges::count_if(
      findings, [&](const lint::Finding& each) { return each.rule->severity == severity; }));
}

}  // namespace

void write_lint_json(base::JsonWriter& json, std::span<const lint::Finding> findings,
                     const diag::SourceMap& sources) {
  json.begin_object();
  json.field("format_version", kFormatVersion);
  json.field("error_count", count(findings, lint::Severity::Error));
  json.field("warning_count", count(findings, lint::Severity::Warning));
  json.field("notice_count", count(findings, lint::Severity::Notice));
  json.key("findings");
  json.begin_array();
  for (const lint::Finding& finding : findings) {
    const diag::SourceRange place = finding.place;
    json.begin_object();
    json.field("rule", finding.rule->id);
    json.field("group", finding.rule->group);
    json.field("severity", lint::to_string(finding.rule->severity));
    json.field("summary", finding.rule->summary);
    json.field("detail", finding.detail);
    json.field("fixable", !finding.fix.empty());
    if (!finding.in.empty()) json.field("context", finding.in);
    json.key("range");
    json.begin_object();
    json.field("filename", sources.name(place.file));
    write_position(json, "start", place.file, place.begin, sources);
    write_position(json, "end", place.file, place.end, sources);
    json.end_object();
    json.end_object();
  }
  json.end_array();
  json.end_object();
}

void write_sarif(base::JsonWriter& json, std::span<const lint::Finding> findings,
                 std::span<const lint::Rule* const> rules, std::string_view version,
                 const diag::SourceMap& sources) {
  std::map<std::string_view, std::size_t> indexes;
  json.begin_object();
  json.field("$schema", kSarifSchema);
  json.field("version", kSarifVersion);
  json.key("runs");
  json.begin_array();
  json.begin_object();
  json.key("tool");
  json.begin_object();
  json.key("driver");
  json.begin_object();
  json.field("name", "tofu lint");
  json.field("version", version);
  json.key("rules");
  json.begin_array();
  for (const lint::Rule* rule : rules) {
    indexes.emplace(rule->id, indexes.size());
    write_sarif_rule(json, *rule);
  }
  json.end_array();
  json.end_object();
  json.end_object();
  json.field("columnKind", "unicodeCodePoints");
  json.key("results");
  json.begin_array();
  for (const lint::Finding& finding : findings) {
    write_sarif_result(json, finding, indexes.at(finding.rule->id), sources);
  }
  json.end_array();
  json.end_object();
  json.end_array();
  json.end_object();
}

}  // namespace tofu::documents
