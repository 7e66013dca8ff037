#include "lint/fix.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <utility>

#include "lint/file_edit.h"
#include "syntax/edits.h"

namespace tofu::lint {

namespace {

// A piece of a file, such as a string in JSON, has no text of its own to edit.
bool can_edit(diag::FileId file, const diag::SourceMap& sources) {
  return sources.enclosing(file) == file && !sources.name(file).ends_with(".json");
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
    std::vector<syntax::EditGroup> groups;
    for (const Finding& finding : found) groups.push_back(finding.fix);
    auto edited = edit_file(file, groups, sources);
    if (!edited) {
      diags.warning("File not fixed")
          .detail(fmt::format("The fixes for {} would change more than they should, so the file "
                              "stays as it is. Make the changes manually.",
                              sources.name(file)));
      std::ranges::move(found, std::back_inserter(fixed.remaining));
      continue;
    }
    for (const std::size_t index : edited->left_out) {
      fixed.remaining.push_back(std::move(found[index]));
    }
    fixed.files.push_back({file, std::move(edited->text)});
  }
  return fixed;
}

}  // namespace tofu::lint
