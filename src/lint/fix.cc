#include "lint/fix.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <utility>

#include "syntax/edits.h"
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

// A piece of a file, such as a string in JSON, has no text of its own to edit.
bool can_edit(diag::FileId file, const diag::SourceMap& sources) {
  return sources.enclosing(file) == file && !sources.name(file).ends_with(".json");
}

bool parses(const std::string& name, const std::string& text, diag::SourceMap& sources) {
  diag::Diagnostics diags;
  (void)syntax::parse_file(sources, sources.add(name, text), diags);
  return !diags.has_errors();
}

}  // namespace

Fixed fix(std::vector<Finding> findings, diag::SourceMap& sources, diag::Diagnostics& diags) {
  Fixed fixed;
  std::map<diag::FileId, std::vector<Finding>> by_file;
  for (Finding& finding : findings) {
    const diag::FileId file = finding.place.file;
    const bool can_fix = !finding.fix.empty() && can_edit(file, sources);
    (can_fix ? by_file[file] : fixed.remaining).push_back(std::move(finding));
  }
  for (auto& [file, found] : by_file) {
    const std::string name(sources.name(file));
    const std::string before(sources.text(file));
    std::vector<syntax::EditGroup> groups;
    for (const Finding& finding : found) groups.push_back(finding.fix);
    auto edited = syntax::apply_edits_checked(before, groups);
    if (!edited || !parses(name, edited->text, sources)) {
      diags.warning("File not fixed")
          .detail(fmt::format("The fixes for {} would change more than they should, so the file "
                              "stays as it is. Make the changes manually.",
                              name));
      std::ranges::move(found, std::back_inserter(fixed.remaining));
      continue;
    }
    for (const std::size_t index : edited->left_out) {
      fixed.remaining.push_back(std::move(found[index]));
    }
    if (formatted(name, before, sources) == before) {
      if (auto text = formatted(name, edited->text, sources)) edited->text = std::move(*text);
    }
    fixed.files.push_back({file, std::move(edited->text)});
  }
  return fixed;
}

}  // namespace tofu::lint
