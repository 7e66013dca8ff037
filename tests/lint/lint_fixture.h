// A configuration in memory, linted, for tests.
//
// Directories and their texts are those of config::LinkFixture.
#pragma once

#include <deque>
#include <fmt/format.h>
#include <string>
#include <vector>

#include "lint/fix.h"
#include "lint/lint.h"
#include "tests/config/link_fixture.h"

namespace tofu::lint {

class LintFixture : public config::LinkFixture {
 protected:
  std::vector<Finding> lint(std::string_view rules, Scope scope = Scope::Local) {
    trees_.push_back(link());
    return run({Selection::parse(rules), scope}, trees_.back(), sources_);
  }

  // ".:3 core:unused-local" for each finding.
  std::vector<std::string> found(std::string_view rules, Scope scope = Scope::Local) {
    std::vector<std::string> out;
    for (const Finding& finding : lint(rules, scope)) {
      out.push_back(fmt::format("{}:{} {}", sources_.name(finding.place.file),
                                sources_.position(finding.place.file, finding.place.begin).line,
                                finding.rule->id));
    }
    return out;
  }

  // The root after the fixes of these rules; the text as it was if there are none.
  std::string fixed(std::string_view rules, const std::string& text) {
    const Fixed fixed = fix(lint(rules), sources_, diags_);
    return fixed.files.empty() ? text : fixed.files[0].text;
  }

 private:
  std::deque<config::Tree> trees_;
};

}  // namespace tofu::lint
