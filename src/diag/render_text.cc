#include "diag/render_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <string_view>
#include <vector>

#include "diag/snippet.h"
#include "diag/wrap.h"

namespace tofu::diag {

namespace {

constexpr std::string_view kReset = "\x1b[0m";
constexpr std::string_view kBold = "\x1b[1m";
constexpr std::string_view kUnderline = "\x1b[4m";
constexpr std::string_view kRed = "\x1b[31m";
constexpr std::string_view kYellow = "\x1b[33m";
constexpr std::string_view kGray = "\x1b[90m";

// Wraps text in an escape sequence when colors are on.
class Paint {
 public:
  explicit Paint(bool on) : on_(on) {}
  std::string operator()(std::string_view style, std::string_view text) const {
    return on_ ? fmt::format("{}{}{}", style, text, kReset) : std::string(text);
  }

 private:
  bool on_;
};

std::string_view style_of(Severity severity) {
  return severity == Severity::Error ? kRed : kYellow;
}

std::string_view title_of(Severity severity) {
  return severity == Severity::Error ? "Error: " : "Warning: ";
}

// The lines of the snippet with their numbers. The underline is closed at each
// line end, or it would run through the numbers of the next line.
void append_code(std::string& out, const Snippet& snippet, const Paint& paint) {
  std::uint32_t number = snippet.first_line;
  std::size_t begin = 0;
  const std::string_view code = snippet.code;
  while (true) {
    const std::size_t end = std::min(code.find('\n', begin), code.size());
    const std::size_t from = std::clamp(snippet.highlight_begin, begin, end);
    const std::size_t to = std::clamp(snippet.highlight_end, from, end);
    fmt::format_to(std::back_inserter(out), "{:4}: ", number++);
    out += safe_for_terminal(code.substr(begin, from - begin));
    if (to > from) {
      out += paint(kUnderline, safe_for_terminal(code.substr(from, to - from)));
    }
    out += safe_for_terminal(code.substr(to, end - to));
    out += '\n';
    if (end == code.size()) return;
    begin = end + 1;
  }
}

void append_values(std::string& out, const Diagnostic& diagnostic, const Paint& paint) {
  const bool has_call = diagnostic.call && !diagnostic.call->signature.empty();
  if (diagnostic.values.empty() && !has_call) return;
  out += "    " + paint(kGray, "├────────────────") + "\n";
  const std::string rule = "    " + paint(kGray, "│") + " ";
  if (has_call) {
    const std::string_view signature = diagnostic.call->signature;
    const std::size_t parameters = std::min(signature.find('('), signature.size());
    out += rule + "while calling " + paint(kBold, safe_for_terminal(diagnostic.call->name));
    out += safe_for_terminal(signature.substr(parameters));
    out += '\n';
  }
  std::vector<ShownValue> values = diagnostic.values;
  std::ranges::stable_sort(values, {}, &ShownValue::traversal);
  for (const ShownValue& value : values) {
    out += rule + paint(kBold, safe_for_terminal(value.traversal)) + " " +
           safe_for_terminal(value.statement) + "\n";
  }
}

void append_difference(std::string& out, const Diagnostic& diagnostic, const TextOptions& options,
                       const Paint& paint) {
  if (!diagnostic.difference || options.difference == nullptr) return;
  const std::string lines = options.difference(*diagnostic.difference, options.color);
  if (lines.empty()) return;
  const std::string rule = "    " + paint(kGray, "│") + " ";
  out += "    " + paint(kGray, "├────────────────") + "\n";
  out += rule + paint(kBold, "Diff: ") + "\n" + rule + "    ";
  for (const char c : lines) {
    out += c;
    if (c == '\n') out += rule;
  }
  out += '\n';
}

void append_source(std::string& out, const Diagnostic& diagnostic, const SourceMap& sources,
                   const TextOptions& options, const Paint& paint) {
  if (!diagnostic.address.empty()) out += "  with " + safe_for_terminal(diagnostic.address) + ",\n";
  if (!diagnostic.subject) return;
  const ShownRange range = shown_range(*diagnostic.subject, sources);
  out += "  on ";
  // An argument of the command has no file.
  if (!range.filename.empty()) out += safe_for_terminal(range.filename) + " ";
  fmt::format_to(std::back_inserter(out), "line {}", range.start.line);
  if (const auto snippet = make_snippet(diagnostic, sources)) {
    if (!diagnostic.in.empty()) out += ", in " + safe_for_terminal(diagnostic.in);
    out += ":\n";
    append_code(out, *snippet, paint);
    append_values(out, diagnostic, paint);
    append_difference(out, diagnostic, options, paint);
  } else {
    out += ":\n  (source code not available)\n";
  }
  out += '\n';
}

std::string boxed(std::string_view body, Severity severity) {
  const Paint paint(true);
  const std::string rule = paint(style_of(severity), "│");
  std::string out = paint(style_of(severity), "╷") + "\n";
  while (!body.empty()) {
    const std::size_t end = std::min(body.find('\n'), body.size());
    std::string_view line = body.substr(0, end);
    body.remove_prefix(std::min(end + 1, body.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    out += rule;
    if (!line.empty()) out += ' ';
    out += line;
    out += '\n';
  }
  return out + paint(style_of(severity), "╵") + "\n";
}

}  // namespace

std::string format_diagnostic(const Diagnostic& diagnostic, const SourceMap& sources,
                              const TextOptions& options) {
  const Paint paint(options.color);
  std::string body;
  if (options.color) {
    body += kBold;
    body += paint(style_of(diagnostic.severity), title_of(diagnostic.severity));
  } else {
    body += '\n';
    body += title_of(diagnostic.severity);
  }
  body += paint(kBold, safe_for_terminal(diagnostic.summary)) + "\n\n";
  append_source(body, diagnostic, sources, options, paint);
  if (const std::string detail = shown_detail(diagnostic, sources); !detail.empty()) {
    const int margin = options.color ? 3 : 1;  // the rule, its space, and one column free
    body += wrap_text(safe_for_terminal(detail), options.width - margin) + "\n";
  }
  return options.color ? boxed(body, diagnostic.severity) : body;
}

std::string format_warnings_compact(std::span<const Diagnostic> warnings, const SourceMap& sources,
                                    const TextOptions& options) {
  const Paint paint(options.color);
  std::string out = paint(kBold, paint(kYellow, "Warnings:")) + "\n\n";
  for (const Diagnostic& warning : warnings) {
    out += "- " + safe_for_terminal(warning.summary) + "\n";
    if (!warning.subject) continue;
    const ShownRange range = shown_range(*warning.subject, sources);
    fmt::format_to(std::back_inserter(out), "  on {} line {}", safe_for_terminal(range.filename),
                   range.start.line);
    if (!warning.folded.empty()) {
      fmt::format_to(std::back_inserter(out), " (and {} more)", warning.folded.size());
    }
    out += '\n';
  }
  return out;
}

}  // namespace tofu::diag
