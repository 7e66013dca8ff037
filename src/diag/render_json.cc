#include "diag/render_json.h"

#include <algorithm>
#include <vector>

#include "diag/snippet.h"

namespace tofu::diag {

namespace {

void write_position(base::JsonWriter& out, const char* name, const Position& position) {
  out.key(name);
  out.begin_object();
  out.field("line", position.line);
  out.field("column", position.column);
  out.field("byte", position.byte);
  out.end_object();
}

void write_range(base::JsonWriter& out, const ShownRange& range) {
  out.key("range");
  out.begin_object();
  out.field("filename", range.filename);
  write_position(out, "start", range.start);
  write_position(out, "end", range.end);
  out.end_object();
}

void write_values(base::JsonWriter& out, std::vector<ShownValue> values) {
  std::ranges::stable_sort(values, {}, &ShownValue::traversal);
  out.key("values");
  out.begin_array();
  for (const ShownValue& value : values) {
    out.begin_object();
    out.field("traversal", value.traversal);
    out.field("statement", value.statement);
    out.end_object();
  }
  out.end_array();
}

void write_snippet(base::JsonWriter& out, const Diagnostic& diagnostic, const Snippet& snippet) {
  out.key("snippet");
  out.begin_object();
  out.key("context");
  if (diagnostic.in.empty()) {
    out.null();
  } else {
    out.string(diagnostic.in);
  }
  out.field("code", snippet.code);
  out.field("start_line", snippet.first_line);
  out.field("highlight_start_offset", snippet.highlight_begin);
  out.field("highlight_end_offset", snippet.highlight_end);
  write_values(out, diagnostic.values);
  if (diagnostic.call) {
    out.key("function_call");
    out.begin_object();
    out.field("called_as", diagnostic.call->name);
    if (!diagnostic.call->json.empty()) {
      out.key("signature");
      out.raw(diagnostic.call->json);
    }
    out.end_object();
  }
  out.end_object();
}

void write_difference(base::JsonWriter& out, const ShownDifference& difference) {
  out.key("difference");
  out.begin_object();
  const auto document = [&](const char* name, const std::string& json) {
    if (json.empty()) return;
    out.key(name);
    out.raw(json);
  };
  document("before", difference.before);
  document("after", difference.after);
  document("after_unknown", difference.after_unknown);
  document("before_sensitive", difference.before_sensitive);
  document("after_sensitive", difference.after_sensitive);
  out.end_object();
}

void write_edits(base::JsonWriter& out, std::span<const Edit> edits, const SourceMap& sources) {
  out.key("edits");
  out.begin_array();
  for (const Edit& edit : edits) {
    out.begin_object();
    write_range(out, shown_range(edit.range, sources));
    out.field("new_text", edit.text);
    out.end_object();
  }
  out.end_array();
}

}  // namespace

void write_json(base::JsonWriter& out, const Diagnostic& diagnostic, const SourceMap& sources,
                std::span<const Edit> edits) {
  out.begin_object();
  out.field("severity", diagnostic.severity == Severity::Error ? "error" : "warning");
  out.field("summary", diagnostic.summary);
  out.field("detail", shown_detail(diagnostic, sources));
  if (!diagnostic.address.empty()) out.field("address", diagnostic.address);
  if (diagnostic.subject) {
    write_range(out, shown_range(*diagnostic.subject, sources));
    if (const auto snippet = make_snippet(diagnostic, sources)) {
      write_snippet(out, diagnostic, *snippet);
    }
  }
  if (diagnostic.difference) write_difference(out, *diagnostic.difference);
  if (!edits.empty()) write_edits(out, edits, sources);
  out.end_object();
}

}  // namespace tofu::diag
