// Source files and places in them.
//
// A SourceMap owns the text of every file of a run; other code holds a SourceRange of 12 bytes.
// Lines and columns are computed only when a place is shown, because most places never are.
//
// Threads: files are added under a lock and never change or move afterwards, so
// text() views stay valid for the life of the map.
#pragma once

#include <compare>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diag/json_lines.h"

namespace tofu::diag {

struct FileId {
  std::uint32_t index = 0;
  auto operator<=>(const FileId&) const = default;
};

// Bytes [begin, end) of one file.
struct SourceRange {
  FileId file;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;

  bool empty() const { return begin == end; }
  auto operator<=>(const SourceRange&) const = default;
};

// The smallest range that covers both; both are of the same file.
SourceRange cover(SourceRange a, SourceRange b);

// Bytes [begin, end) of a text that stands at `whole`. The text may be longer than its
// place (each byte of a JSON string that is not UTF-8 is read as three), so this ends
// where the place does.
constexpr SourceRange part_of(SourceRange whole, std::uint32_t begin, std::uint32_t end) {
  const std::uint32_t size = whole.end - whole.begin;
  return {whole.file, whole.begin + (begin < size ? begin : size),
          whole.begin + (end < size ? end : size)};
}

// A place as people and editors count: lines from 1, columns in grapheme
// clusters from 1, bytes from 0.
struct Position {
  std::uint32_t line = 1;
  std::uint32_t column = 1;
  std::uint32_t byte = 0;
  auto operator<=>(const Position&) const = default;
};

class SourceMap {
 public:
  SourceMap() = default;
  SourceMap(const SourceMap&) = delete;
  SourceMap& operator=(const SourceMap&) = delete;

  // `name` is what a person is shown, such as "modules/net/main.tf". Readers of files refuse those
  // of 4 GiB and more. `start` is the position of the first byte: a template inside a JSON string
  // or a piece of console input does not begin at line 1, column 1.
  FileId add(std::string name, std::string text, Position start = {});

  std::string_view name(FileId file) const;
  std::string_view text(FileId file) const;
  std::string_view text(SourceRange range) const;

  Position position(FileId file, std::uint32_t byte) const;
  // Byte offset of the start of the line that holds `byte`.
  std::uint32_t line_start(FileId file, std::uint32_t byte) const;
  // Byte offset of the line feed that ends this line, or of the end of the text.
  std::uint32_t line_end(FileId file, std::uint32_t byte) const;

  // The whole file that a piece with a `start` was taken from: the one of the
  // same name that begins at the beginning. A whole file is its own.
  std::optional<FileId> enclosing(FileId file) const;

 private:
  // A byte where a character begins, and how many come before it in its line.
  struct Mark {
    std::uint32_t byte;
    std::uint32_t columns;
  };
  struct File {
    std::string name;
    std::string text;
    Position start;
    mutable std::once_flag lines_found;  // line starts are needed only for files with diagnostics
    mutable std::vector<std::uint32_t> line_starts;
    mutable std::vector<Mark> marks;           // in long lines, in order
    mutable EscapedNewlines escaped_newlines;  // of whole files of JSON
  };
  const File& file(FileId id) const;
  const std::vector<std::uint32_t>& line_starts(const File& file) const;
  static void mark_long_lines(const File& file);
  // Characters in [start, byte), where `start` begins a line.
  static std::uint32_t columns_before(const File& file, std::uint32_t start, std::uint32_t byte);

  mutable std::mutex mutex_;  // guards growth of files_; a deque never moves its elements
  std::deque<File> files_;
};

}  // namespace tofu::diag
