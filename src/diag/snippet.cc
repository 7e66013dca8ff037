#include "diag/snippet.h"

#include <algorithm>
#include <fmt/format.h>
#include <span>
#include <string>
#include <string_view>

namespace tofu::diag {

namespace {

// A longer line is cut to about so many bytes, of which so many are before the place.
constexpr std::uint64_t kMaxLine = 1024;
constexpr std::uint64_t kMaxLineBefore = 256;
// How far from the place the lines of a snippet may begin.
constexpr std::uint64_t kMaxDistance = 4096;
constexpr std::string_view kEllipsis = "…";

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
// beginning: a range that is just a line end shows both its neighbors.
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
    const Span piece = shortened(line);
    if (piece.begin > line.begin) code_ += kEllipsis;
    move(begin_, highlight_.begin, line, piece);
    move(end_, highlight_.end, line, piece);
    code_ += text_.substr(piece.begin, piece.end - piece.begin);
    if (piece.end < line.end) code_ += kEllipsis;
  }

  Snippet finish(std::uint32_t first_line) && {
    const std::size_t begin = std::min(begin_, code_.size());
    const std::size_t end = std::clamp(end_, begin, code_.size());
    return {std::move(code_), first_line, begin, end};
  }

 private:
  // `piece` of the line is about to be added.
  void move(std::size_t& offset, std::uint64_t target, const Span& line, const Span& piece) const {
    if (target < line.begin) return;
    // One past the line's end is its line feed, which is in the code as well.
    const std::uint64_t end = piece.end == line.end ? line.end + 1 : piece.end;
    offset = code_.size() + std::clamp(target, piece.begin, end) - piece.begin;
  }

  // The part of a long line around the place, without broken characters at its ends.
  Span shortened(const Span& line) const {
    if (line.end - line.begin <= kMaxLine) return line;
    const std::uint64_t place = std::clamp(highlight_.begin, line.begin, line.end);
    Span piece{place - std::min(place - line.begin, kMaxLineBefore), 0};
    piece.end = std::min(piece.begin + kMaxLine, line.end);
    const auto is_inside_character = [&](std::uint64_t at) {
      return (static_cast<unsigned char>(text_[at]) & 0xC0U) == 0x80U;
    };
    while (piece.begin > line.begin && is_inside_character(piece.begin)) --piece.begin;
    while (piece.end < line.end && is_inside_character(piece.end)) ++piece.end;
    return piece;
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
  wanted.begin = std::max(wanted.begin, highlight.begin - std::min(highlight.begin, kMaxDistance));
  wanted.end = std::min(wanted.end, highlight.begin + kMaxDistance);
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
    Span line{at, sources.line_end(*file, static_cast<std::uint32_t>(at))};
    const std::uint64_t next = line.end + 1;
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

namespace {

constexpr std::size_t kMaxPlaces = 10;

std::string other_places(const Diagnostic& diagnostic, const SourceMap& sources) {
  std::string text = "The same holds for:";
  const std::span<const SourceRange> others = diagnostic.folded;
  for (const SourceRange& each : others.first(std::min(others.size(), kMaxPlaces))) {
    const ShownRange range = shown_range(each, sources);
    text += fmt::format("\n  {}:{}", range.filename, range.start.line);
  }
  if (others.size() > kMaxPlaces) {
    text += fmt::format("\n  (and {} more)", others.size() - kMaxPlaces);
  }
  return text;
}

}  // namespace

std::string shown_detail(const Diagnostic& diagnostic, const SourceMap& sources) {
  if (diagnostic.folded.empty()) return diagnostic.detail;
  if (!diagnostic.similar_if.empty()) {
    return diagnostic.detail + "\n\n" + other_places(diagnostic, sources);
  }
  const std::string_view kind = diagnostic.severity == Severity::Error ? "error" : "warning";
  const std::string note =
      diagnostic.folded.size() == 1
          ? fmt::format("(and one more similar {} elsewhere)", kind)
          : fmt::format("(and {} more similar {}s elsewhere)", diagnostic.folded.size(), kind);
  return diagnostic.detail.empty() ? note : diagnostic.detail + "\n\n" + note;
}

}  // namespace tofu::diag
