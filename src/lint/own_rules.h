// Rules that users write: functions of a symbol library.
//
// A function is a rule if it has one parameter, whose name is that of a kind of block: `resource`,
// `data`, `ephemeral`, `variable`, `output`, `module` or `provider`. It is called for each block of
// that kind with an object: `name`, `type`, `address`, and `arguments` as they are written, where
// what is not a constant is unknown and nested blocks are lists. It returns a list of texts: a
// finding each. An unknown result finds nothing. The identifier of the rule is `own:` and the name.
#pragma once

#include <deque>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/module.h"
#include "diag/diagnostic.h"
#include "lint/finding.h"
#include "lint/rule.h"
#include "lint/walk.h"
#include "symbols/library.h"

namespace tofu::lint {

class OwnRules {
 public:
  // `library` outlives it.
  explicit OwnRules(const symbols::Library& library);
  OwnRules(const OwnRules&) = delete;
  OwnRules& operator=(const OwnRules&) = delete;

  std::span<const Rule* const> rules() const { return all_; }

 private:
  friend class OwnRulesVisitor;
  struct OwnRule {
    std::string id;
    std::string summary;
    Rule rule;
    const symbols::LibraryFunction* function;
  };

  std::deque<OwnRule> owned_;
  std::vector<const Rule*> all_;
  std::multimap<std::string_view, const OwnRule*, std::less<>> by_block_;
};

// Calls the rules for the blocks that it visits. Calls that fail are reported.
class OwnRulesVisitor final : public Visitor {
 public:
  // All outlive it.
  OwnRulesVisitor(const OwnRules& rules, Findings& findings, diag::Diagnostics& diags)
      : rules_(rules), findings_(findings), diags_(diags) {}

  void block(const syntax::NativeBlock& block, const Site& site) override;

 private:
  void call(const OwnRules::OwnRule& rule, const value::Value& argument,
            const syntax::NativeBlock& block);

  const OwnRules& rules_;
  Findings& findings_;
  diag::Diagnostics& diags_;
};

}  // namespace tofu::lint
