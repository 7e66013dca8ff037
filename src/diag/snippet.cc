#include "diag/snippet.h"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>

namespace tofu::diag {

namespace {

struct Span {  // bytes of the whole file; 64 bits, since the end may lie one behind 4 GiB
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  bool empty() const { return begin == end; }
};

Span widened(Span span) {
  if (span.empty()) ++span.end;
  return span;
}

// Offsets of a piece counted in the file it was taken from.
Span in_whole_file(SourceRange range, const SourceMap& sources) {
  const std::uint64_t start = sources.position(range.file, 0).byte;
  return {start + range.begin, start + std::max(range.begin, range.end)};
}

// A line belongs to a snippet also if the range begins at its end or ends at its
// beginning: a range that is just a line end shows both its neighbours.
bool touches(const Span& line, const Span& range) {
  const auto holds = [](const Span& span, std::uint64_t at) {
    return at >= span.begin && at < span.end;
  };
  return !line.empty() && (holds(line, range.begin) || holds(line, range.end) ||
                           holds(range, line.begin) || holds(range, line.end));
}

// Collects lines and translates file offsets into offsets of the collected code.
class Collector {
 public:
  Collector(std::string_view text, Span highlight) : text_(text), highlight_(highlight) {}

  void add(const Span& line) {
    if (lines_++ > 0) code_ += '\n';
    move(begin_, highlight_.begin, line);
    move(end_, highlight_.end, line);
    code_ += text_.substr(line.begin, line.end - line.begin);
  }

  Snippet finish(std::uint32_t first_line) && {
    const std::size_t begin = std::min(begin_, code_.size());
    const std::size_t end = std::clamp(end_, begin, code_.size());
    return {std::move(code_), first_line, begin, end};
  }

 private:
  void move(std::size_t& offset, std::uint64_t target, const Span& line) const {
    if (target < line.begin) return;
    // One past the line's end is its line feed, which is in the code as well.
    offset = code_.size() + std::min(target - line.begin, line.end - line.begin + 1);
  }

  std::string_view text_;
  Span highlight_;
  std::string code_;
  std::size_t lines_ = 0;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

// The text of a value given on the command line or in the environment may be a
// secret, so it is never shown; it has no other name than what it was given for.
bool may_be_shown(std::string_view name) { return !name.starts_with("<value for "); }

}  // namespace

ShownRange shown_range(SourceRange range, const SourceMap& sources) {
  ShownRange shown{
      std::string(sources.name(range.file)), sources.position(range.file, range.begin), {}};
  shown.end = range.end > range.begin ? sources.position(range.file, range.end) : shown.start;
  if (range.end <= range.begin) {
    ++shown.end.byte;
    ++shown.end.column;
  }
  return shown;
}

std::optional<Snippet> make_snippet(const Diagnostic& diagnostic, const SourceMap& sources) {
  if (!diagnostic.subject) return std::nullopt;
  const SourceRange subject = *diagnostic.subject;
  const std::optional<FileId> file = sources.enclosing(subject.file);
  if (!file || !may_be_shown(sources.name(*file))) return std::nullopt;

  const Span highlight = in_whole_file(subject, sources);
  Span wanted = highlight;
  if (diagnostic.context && sources.enclosing(diagnostic.context->file) == file) {
    const Span context = in_whole_file(*diagnostic.context, sources);
    if (wanted.empty()) {
      wanted = context;
    } else if (!context.empty()) {
      wanted = {std::min(wanted.begin, context.begin), std::max(wanted.end, context.end)};
    }
  }
  wanted = widened(wanted);

  const std::string_view text = sources.text(*file);
  const auto start = static_cast<std::uint32_t>(std::min<std::uint64_t>(wanted.begin, text.size()));
  std::uint32_t number = sources.position(*file, start).line;
  std::uint32_t first = number;
  Collector collected(text, widened(highlight));
  std::size_t blank = 0;  // lines since the last one taken; shown only if another follows
  bool any = false;
  for (std::uint64_t at = sources.line_start(*file, start); at < text.size() && at <= wanted.end;
       ++number) {
    const std::size_t line_feed = text.find('\n', at);
    const std::uint64_t next =
        line_feed == std::string_view::npos ? text.size() + 1 : line_feed + 1;
    Span line{at, next - 1};
    if (!line.empty() && text[line.end - 1] == '\r') --line.end;
    if (touches(line, wanted)) {
      if (!any) first = number;
      for (; any && blank > 0; --blank) collected.add({at, at});
      collected.add(line);
      any = true;
      blank = 0;
    } else {
      ++blank;
    }
    at = next;
  }
  return std::move(collected).finish(first);
}

std::string shown_detail(const Diagnostic& diagnostic) {
  if (diagnostic.folded.empty()) return diagnostic.detail;
  const std::string_view kind = diagnostic.severity == Severity::Error ? "error" : "warning";
  const std::string note =
      diagnostic.folded.size() == 1
          ? fmt::format("(and one more similar {} elsewhere)", kind)
          : fmt::format("(and {} more similar {}s elsewhere)", diagnostic.folded.size(), kind);
  return diagnostic.detail.empty() ? note : diagnostic.detail + "\n\n" + note;
}

}  // namespace tofu::diag
