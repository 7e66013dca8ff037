#include "engine/pass.h"
#include "eval/conditions.h"

namespace tofu::engine {

bool Pass::note_rules(const addrs::Checkable& address, const std::vector<eval::RuleResult>& results,
                      diag::Diagnostics& diags) {
  checks_.expect(address);
  bool holds = true;
  for (const eval::RuleResult& result : results) {
    checks_.report(address, result.status, result.message);
    if (result.reported) {
      diags.items_from(*result.reported).front().rule_of = addrs::to_string(address);
    }
    holds &=
        result.status == plans::CheckStatus::Pass || result.status == plans::CheckStatus::Unknown;
  }
  return holds;
}

bool Pass::judge(const Rules& rules, const eval::Names& names, diag::Diagnostics& diags) {
  if (rules.conditions.empty()) return true;
  const std::size_t before = diags.error_count();
  const std::size_t from = diags.size();
  const auto results =
      eval::evaluate_rules(rules.conditions, rules.kind, names, rules.severity, diags);
  (void)note_rules(rules.address, results, diags);
  if (rules.kind == addrs::CheckRuleKind::CheckAssertion) {
    for (diag::Diagnostic& one : diags.items_from(from)) {
      one.of_check = true;
      one.keep_apart = true;  // each check has something else to say
    }
  }
  return diags.error_count() == before;
}

}  // namespace tofu::engine
