#include "lint/file_edit.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "diag/diagnostic.h"
#include "syntax/format.h"
#include "syntax/parser.h"

namespace tofu::lint {

namespace {

// The text in the standard layout; nothing if it does not parse.
std::optional<std::string> formatted(const std::string& name, std::string text,
                                     diag::SourceMap& sources) {
  diag::Diagnostics ignored;
  const diag::FileId file = sources.add(name, std::move(text));
  auto result = syntax::format_source(sources, file, ignored);
  if (!result) return std::nullopt;
  return std::move(*result);
}

// The lines of a text, without their ends.
std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

// Whether fmt aligns this line with its neighbors: an argument of one line.
bool is_aligned(std::string_view line) {
  const std::size_t begin = line.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return false;
  const char last = line[line.find_last_not_of(" \t\r")];
  return std::string_view("#/}])").find(line[begin]) == std::string_view::npos &&
         std::string_view("{[(").find(last) == std::string_view::npos;
}

// The edited text with the lines that were edited, and those that are aligned with them, in the
// standard layout. All other lines stay as they are.
std::string align_edited(const std::string& name, const syntax::EditedText& edited,
                         diag::SourceMap& sources) {
  const auto standard = formatted(name, edited.text, sources);
  if (!standard) return edited.text;
  const std::vector<std::string_view> before = lines_of(edited.text);
  const std::vector<std::string_view> after = lines_of(*standard);
  if (before.size() != after.size()) return edited.text;  // the layout joins lines
  std::vector<bool> takes(before.size(), false);
  auto place = edited.places.begin();
  std::size_t begin = 0;  // of the line
  for (std::size_t i = 0; i < before.size(); ++i) {
    const std::size_t end = begin + before[i].size();
    while (place != edited.places.end() && place->end < begin) ++place;
    takes[i] = place != edited.places.end() && place->begin <= end;
    begin = end + 1;
  }
  // Neighbors that are aligned with them, downward and upward.
  for (std::size_t i = 1; i < before.size(); ++i) {
    if (takes[i - 1] && is_aligned(before[i - 1]) && is_aligned(before[i])) takes[i] = true;
  }
  for (std::size_t i = before.size() - 1; i > 0; --i) {
    if (takes[i] && is_aligned(before[i]) && is_aligned(before[i - 1])) takes[i - 1] = true;
  }
  std::string text;
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (i > 0) text += '\n';
    text += takes[i] ? after[i] : before[i];
  }
  return text;
}

bool parses(const std::string& name, const std::string& text, bool is_json,
            diag::SourceMap& sources) {
  diag::Diagnostics diags;
  const diag::FileId file = sources.add(name, text);
  if (is_json) {
    (void)syntax::parse_json_file(sources, file, diags);
  } else {
    (void)syntax::parse_file(sources, file, diags);
  }
  return !diags.has_errors();
}

}  // namespace

std::optional<EditedFile> edit_file(diag::FileId file, std::span<const syntax::EditGroup> groups,
                                    diag::SourceMap& sources) {
  const std::string name(sources.name(file));
  const std::string before(sources.text(file));
  const bool is_json = name.ends_with(".json");
  // Tokens of the native syntax mean nothing in JSON.
  auto edited = is_json ? base::Result<syntax::EditedText>(syntax::apply_edits(before, groups))
                        : syntax::apply_edits_checked(before, groups);
  if (!edited || !parses(name, edited->text, is_json, sources)) return std::nullopt;
  if (is_json) return EditedFile{file, std::move(edited->text), std::move(edited->left_out)};
  if (formatted(name, before, sources) != before) {
    edited->text = align_edited(name, *edited, sources);
  } else if (auto text = formatted(name, edited->text, sources)) {
    edited->text = std::move(*text);
  }
  return EditedFile{file, std::move(edited->text), std::move(edited->left_out)};
}

}  // namespace tofu::lint
