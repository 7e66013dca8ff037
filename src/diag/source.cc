#include "diag/source.h"

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "base/check.h"
#include "base/unicode.h"
#include "diag/json_lines.h"

namespace tofu::diag {

namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
// Columns are counted from the beginning of the line, or from the last mark in it.
constexpr std::uint32_t kMarkDistance = 256;

std::size_t index_of_line(const std::vector<std::uint32_t>& starts, std::uint32_t byte) {
  return static_cast<std::size_t>(std::ranges::upper_bound(starts, byte) - starts.begin()) - 1;
}

}  // namespace

SourceRange cover(SourceRange a, SourceRange b) {
  TOFU_CHECK(a.file == b.file, "only ranges of one file are joined");
  return {a.file, std::min(a.begin, b.begin), std::max(a.end, b.end)};
}

FileId SourceMap::add(std::string name, std::string text, Position start) {
  TOFU_CHECK(text.size() <= UINT32_MAX, "a source file is smaller than 4 GiB");
  const std::lock_guard lock(mutex_);
  File& file = files_.emplace_back();
  file.name = std::move(name);
  file.text = std::move(text);
  file.start = start;
  return {static_cast<std::uint32_t>(files_.size() - 1)};
}

const SourceMap::File& SourceMap::file(FileId id) const {
  const std::lock_guard lock(mutex_);
  TOFU_CHECK(id.index < files_.size(), "a file id comes from the map it is used with");
  return files_[id.index];
}

const std::vector<std::uint32_t>& SourceMap::line_starts(const File& file) const {
  std::call_once(file.lines_found, [&] {
    file.line_starts.push_back(0);
    for (std::size_t at = 0; (at = file.text.find('\n', at)) != std::string::npos;) {
      file.line_starts.push_back(static_cast<std::uint32_t>(++at));
    }
    mark_long_lines(file);
    if (file.start == Position{} && file.name.ends_with(".json")) {
      file.escaped_newlines = EscapedNewlines(file.text);
    }
  });
  return file.line_starts;
}

void SourceMap::mark_long_lines(const File& file) {
  const std::string_view text = file.text;
  for (std::size_t i = 0; i < file.line_starts.size(); ++i) {
    std::uint32_t at = file.line_starts[i];
    const std::size_t end = i + 1 < file.line_starts.size() ? file.line_starts[i + 1] : text.size();
    if (end - at <= kMarkDistance) continue;
    if (at == 0 && text.starts_with(kByteOrderMark)) at += kByteOrderMark.size();
    std::uint32_t marked = at;
    for (std::uint32_t columns = 0; at < end; ++columns) {
      if (at - marked >= kMarkDistance) {
        file.marks.push_back({at, columns});
        marked = at;
      }
      at += static_cast<std::uint32_t>(base::first_grapheme(text.substr(at, end - at)));
    }
  }
}

std::uint32_t SourceMap::columns_before(const File& file, std::uint32_t start, std::uint32_t byte) {
  const auto after = std::ranges::upper_bound(file.marks, byte, {}, &Mark::byte);
  Mark from{start, 0};
  if (after != file.marks.begin() && std::prev(after)->byte > start) from = *std::prev(after);
  std::string_view between = std::string_view(file.text).substr(from.byte, byte - from.byte);
  if (from.byte == 0 && between.starts_with(kByteOrderMark)) {
    between.remove_prefix(kByteOrderMark.size());
  }
  return from.columns + static_cast<std::uint32_t>(base::count_graphemes(between));
}

std::string_view SourceMap::name(FileId id) const { return file(id).name; }
std::string_view SourceMap::text(FileId id) const { return file(id).text; }

std::string_view SourceMap::text(SourceRange range) const {
  const std::string_view whole = file(range.file).text;
  const std::size_t begin = std::min<std::size_t>(range.begin, whole.size());
  const std::size_t end = std::clamp<std::size_t>(range.end, begin, whole.size());
  return whole.substr(begin, end - begin);
}

Position SourceMap::position(FileId id, std::uint32_t byte) const {
  const File& in = file(id);
  byte = std::min(byte, static_cast<std::uint32_t>(in.text.size()));
  const auto& starts = line_starts(in);
  const std::size_t index = index_of_line(starts, byte);
  const std::uint32_t columns = columns_before(in, starts[index], byte);
  return {
      .line = in.start.line + static_cast<std::uint32_t>(index) + in.escaped_newlines.before(byte),
      .column = (index == 0 ? in.start.column : 1) + columns,
      .byte = in.start.byte + byte};
}

std::uint32_t SourceMap::line_start(FileId id, std::uint32_t byte) const {
  const auto& starts = line_starts(file(id));
  return starts[index_of_line(starts, byte)];
}

std::uint32_t SourceMap::line_end(FileId id, std::uint32_t byte) const {
  const File& in = file(id);
  const auto& starts = line_starts(in);
  const std::size_t next = index_of_line(starts, byte) + 1;
  return next < starts.size() ? starts[next] - 1 : static_cast<std::uint32_t>(in.text.size());
}

std::optional<FileId> SourceMap::enclosing(FileId id) const {
  const File& part = file(id);
  if (part.start == Position{}) return id;
  const std::lock_guard lock(mutex_);
  for (std::size_t index = 0; index < files_.size(); ++index) {
    const File& whole = files_[index];
    if (whole.start == Position{} && whole.name == part.name &&
        part.start.byte <= whole.text.size()) {
      return FileId{static_cast<std::uint32_t>(index)};
    }
  }
  return std::nullopt;
}

}  // namespace tofu::diag
