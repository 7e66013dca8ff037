// Which files of a directory are not uploaded: .terraformignore.
//
// The rules are those of .gitignore in part, as Terraform has them: a pattern for each
// line, later ones win, an exclamation mark takes something back. Before them come rules
// of our own: of .git nothing is uploaded, of .terraform only modules.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tofu::cloud {

class IgnoreRules {
 public:
  // `text` is that of the file; empty if there is none. A pattern that cannot be read is
  // an error, since something could be uploaded that should not.
  static base::Result<IgnoreRules> read(std::string_view text);
  IgnoreRules(IgnoreRules&&) noexcept;
  IgnoreRules& operator=(IgnoreRules&&) noexcept;
  ~IgnoreRules();

  struct Verdict {
    bool is_excluded = false;
    // Nothing below a directory that is excluded so is taken back by a later rule.
    bool is_final = false;
  };
  // `path` is relative to the directory; that of a directory ends with a slash.
  Verdict check(std::string_view path) const;

 private:
  struct Rule;
  IgnoreRules();

  base::Result<void> add(std::string_view pattern);

  std::vector<Rule> rules_;
};

}  // namespace tofu::cloud
