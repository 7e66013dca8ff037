// Comments: those that suppress findings, and their form.
//
// `# tofu:ignore(RULES) reason` stands at the end of a line or on lines of its own above. It is
// about the argument or block that begins there, with all that is in it, and otherwise about the
// line. `# tofu:ignore-file(RULES)` is about the whole file. RULES is a list as for -lint.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "diag/source.h"
#include "lint/finding.h"
#include "lint/selection.h"
#include "syntax/parser.h"

namespace tofu::lint {

struct Ignore {
  Selection rules;
  std::string list;         // as written
  diag::SourceRange place;  // of the comment
  diag::SourceRange about;
  bool is_used = false;
};

class Comments {
 public:
  // Reports the form of comments.
  Comments(std::span<const syntax::File* const> files, const diag::SourceMap& sources,
           Findings& findings);

  // Takes out what comments suppress.
  void suppress(std::vector<Finding>& findings);
  // Reports comments that suppressed nothing, as far as their rules are selected.
  void report_unused(Findings& findings) const;

 private:
  void read(const syntax::File& file, const diag::SourceMap& sources, Findings& findings);

  std::vector<Ignore> ignores_;
};

}  // namespace tofu::lint
