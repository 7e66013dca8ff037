#include "engine/check_results.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <utility>

#include "base/check.h"
#include "config/module.h"
#include "engine/lifecycle.h"

namespace tofu::engine {

namespace {

using eval::ObjectId;
using plans::CheckStatus;

// The worse of two: what an object is whose parts are these.
CheckStatus worse(CheckStatus a, CheckStatus b) {
  const auto rank = [](CheckStatus status) {
    switch (status) {
      case CheckStatus::Pass: return 0;
      case CheckStatus::Unknown: return 1;
      case CheckStatus::Fail: return 2;
      case CheckStatus::Error: return 3;
    }
    return 0;
  };
  return rank(a) >= rank(b) ? a : b;
}

}  // namespace

namespace {

// The address of a row that has rules. Nothing for other rows.
std::optional<addrs::ConfigCheckable> checkable(const eval::Program& program,
                                                const eval::Object& object) {
  const addrs::ModulePath& module = program.node(object.module).path;
  switch (object.kind) {
    case eval::ObjectKind::Resource: {
      const auto& resource = *std::get<const config::Resource*>(object.declaration);
      if (!has_conditions(resource)) return std::nullopt;
      return addrs::ConfigResource{module, resource.address()};
    }
    case eval::ObjectKind::Output: {
      const auto& output = *std::get<const config::Output*>(object.declaration);
      if (output.preconditions.empty()) return std::nullopt;
      return addrs::ConfigOutputValue{module, {output.name}};
    }
    case eval::ObjectKind::Check:
      return addrs::ConfigCheck{module, {std::get<const config::Check*>(object.declaration)->name}};
    case eval::ObjectKind::Variable: {
      const auto& variable = *std::get<const config::Variable*>(object.declaration);
      if (variable.validations.empty()) return std::nullopt;
      return addrs::ConfigInputVariable{module, {variable.name}};
    }
    case eval::ObjectKind::ModuleStart:
    case eval::ObjectKind::Argument:
    case eval::ObjectKind::Local:
    case eval::ObjectKind::Provider:
    case eval::ObjectKind::Import:
    case eval::ObjectKind::ModuleEnd: return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

CheckResults::CheckResults(const eval::Program& program) {
  for (std::uint32_t row = 0; row < program.objects.size(); ++row) {
    auto address = checkable(program, program.objects[row]);
    if (address) entries_.emplace(ObjectId{row}, Entry{std::move(*address), false, {}});
  }
}

plans::CheckedInstance& CheckResults::instance(ObjectId row, const addrs::Checkable& address) {
  const auto entry = entries_.find(row);
  TOFU_CHECK(entry != entries_.end(), "a row whose rules are evaluated has rules");
  Entry::Instance& found = entry->second.instances[address];
  if (!found.is_evaluated) found = {{address, CheckStatus::Pass, {}}, true};
  return found.result;
}

void CheckResults::plan(std::span<const plans::CheckedObject> objects,
                        std::span<const std::uint32_t> rows) {
  const std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < objects.size(); ++i) {
    const auto entry = entries_.find(ObjectId{rows[i]});
    if (entry == entries_.end()) continue;
    // Of an object that has no instances it was found out that it passes.
    if (objects[i].status == CheckStatus::Pass) entry->second.is_expanded = true;
    for (const plans::CheckedInstance& one : objects[i].instances) {
      entry->second.instances[one.address] = {{one.address, CheckStatus::Unknown, {}}, false};
    }
  }
}

void CheckResults::expect(ObjectId row, const addrs::Checkable& address) {
  const std::lock_guard lock(mutex_);
  (void)instance(row, address);
}

void CheckResults::miss(ObjectId row, const addrs::Checkable& address) {
  const std::lock_guard lock(mutex_);
  const auto entry = entries_.find(row);
  if (entry == entries_.end()) return;
  entry->second.instances.try_emplace(address,
                                      Entry::Instance{{address, CheckStatus::Unknown, {}}, false});
}

void CheckResults::expanded(ObjectId row) {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(row);
  if (found != entries_.end()) found->second.is_expanded = true;
}

void CheckResults::report(ObjectId row, const addrs::Checkable& address, CheckStatus status,
                          const std::string& message) {
  const std::lock_guard lock(mutex_);
  plans::CheckedInstance& one = instance(row, address);
  one.status = worse(one.status, status);
  if (status == CheckStatus::Fail && !message.empty()) one.problems.push_back(message);
}

bool CheckResults::is_failing(ObjectId row, const addrs::Checkable& address) const {
  const std::lock_guard lock(mutex_);
  const auto entry = entries_.find(row);
  if (entry == entries_.end()) return false;
  const auto found = entry->second.instances.find(address);
  if (found == entry->second.instances.end()) return false;
  const CheckStatus status = found->second.result.status;
  return status == CheckStatus::Fail || status == CheckStatus::Error;
}

CheckResults::Results CheckResults::results() const {
  const std::lock_guard lock(mutex_);
  std::map<std::string, ObjectId> by_text;
  for (const auto& [row, entry] : entries_) by_text.emplace(addrs::to_string(entry.address), row);
  Results made;
  for (const auto& [text, row] : by_text) {
    const Entry& entry = entries_.at(row);
    plans::CheckedObject object{entry.address, CheckStatus::Pass, {}};
    if (!entry.is_expanded && entry.instances.empty()) object.status = CheckStatus::Unknown;
    std::map<std::string, const Entry::Instance*> instances;
    for (const auto& [address, one] : entry.instances) {
      instances.emplace(addrs::to_string(address), &one);
    }
    for (const auto& [instance_text, one] : instances) {
      object.status = worse(object.status, one->result.status);
      object.instances.push_back(one->result);
      // Conditions are judged on many threads and in no order that means anything.
      std::ranges::sort(object.instances.back().problems);
    }
    made.objects.push_back(std::move(object));
    made.rows.push_back(row.index);
  }
  return made;
}

void record_rules(eval::ObjectId row, const addrs::Checkable& address,
                  const std::vector<eval::RuleResult>& rules, CheckResults& results,
                  diag::Diagnostics& diags) {
  results.expect(row, address);
  for (const eval::RuleResult& rule : rules) {
    results.report(row, address, rule.status, rule.message);
    if (rule.reported) {
      diags.items_from(*rule.reported).front().rule_of = addrs::to_string(address);
    }
  }
}

bool check_rules(const Rules& rules, const eval::ModuleScope& scope, CheckResults& results,
                 diag::Diagnostics& diags) {
  if (rules.conditions.empty()) return true;
  const std::size_t errors = diags.error_count();
  const std::size_t from = diags.size();
  const auto evaluated =
      eval::evaluate_rules(rules.conditions, rules.kind, scope, rules.severity, diags);
  record_rules(rules.row, rules.address, evaluated, results, diags);
  if (rules.kind == addrs::CheckRuleKind::CheckAssertion) {
    for (diag::Diagnostic& one : diags.items_from(from)) {
      one.of_check = true;
      one.keep_apart = true;  // each check has something else to say
    }
  }
  return diags.error_count() == errors;
}

void add_as_warnings(const diag::Diagnostics& problems, const addrs::AbsCheck& check,
                     diag::Diagnostics& diags) {
  for (diag::Diagnostic one : problems.items()) {
    one.keep_apart = true;  // each check has something else to say
    one.softened = one.severity == diag::Severity::Error;
    one.of_check = true;
    // What only warns is no failure of the check.
    if (one.softened) one.rule_of = addrs::to_string(addrs::Checkable(check));
    one.severity = diag::Severity::Warning;
    diags.add(std::move(one));
  }
}

std::string failure_message(const diag::Diagnostics& problems) {
  const auto text_of = [](const diag::Diagnostic& one) {
    return one.detail.empty() ? one.summary : fmt::format("{}: {}", one.summary, one.detail);
  };
  if (problems.size() == 1) return text_of(problems.items().front());
  std::string message = fmt::format("{} problems:\n", problems.size());
  for (const diag::Diagnostic& one : problems.items()) message += "\n- " + text_of(one);
  return message;
}

}  // namespace tofu::engine
