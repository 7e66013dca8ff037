// What became of the rules that authors wrote, gathered while a run evaluates them.
//
// Every object that has rules is there from the start, as unknown, so that a run that
// fails early still says what it did not get to. Objects are rows of the program; each instance of
// one has an address.
//
// Threads: any may report.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "addrs/check_rule.h"
#include "diag/diagnostic.h"
#include "eval/conditions.h"
#include "eval/module_scope.h"
#include "eval/program.h"
#include "plans/checks.h"

namespace tofu::engine {

class CheckResults {
 public:
  explicit CheckResults(const eval::Program& program);

  // Takes the objects with rules from a plan, with the row of each or BoundRows::kNone. Their
  // results are unknown until the rules are evaluated again.
  void plan(std::span<const plans::CheckedObject> objects, std::span<const std::uint32_t> rows);
  // An instance whose rules are about to be evaluated: it passes unless one says
  // otherwise.
  void expect(eval::ObjectId row, const addrs::Checkable& address);
  // An instance whose rules were not reached: nothing is known of it.
  void miss(eval::ObjectId row, const addrs::Checkable& address);
  // That the object has no further instances, perhaps none at all.
  void expanded(eval::ObjectId row);
  void report(eval::ObjectId row, const addrs::Checkable& address, plans::CheckStatus status,
              const std::string& message);

  // Whether something is known to be wrong with it.
  bool is_failing(eval::ObjectId row, const addrs::Checkable& address) const;

  struct Results {
    std::vector<plans::CheckedObject> objects;  // in the order of their addresses as text
    std::vector<std::uint32_t> rows;            // of each
  };
  Results results() const;

 private:
  struct Entry {
    addrs::ConfigCheckable address;
    bool is_expanded = false;
    struct Instance {
      plans::CheckedInstance result;
      bool is_evaluated = false;
    };
    std::map<addrs::Checkable, Instance> instances;
  };
  plans::CheckedInstance& instance(eval::ObjectId row, const addrs::Checkable& address);

  mutable std::mutex mutex_;                 // for everything below
  std::map<eval::ObjectId, Entry> entries_;  // by row
};

// The rules of one object.
struct Rules {
  const std::vector<syntax::Condition>& conditions;
  addrs::CheckRuleKind kind;
  eval::ObjectId row;
  addrs::Checkable address;
  diag::Severity severity = diag::Severity::Error;
};
// Evaluates rules and reports those that do not hold, with their severity. False if one of them
// keeps the object from being used.
[[nodiscard]] bool check_rules(const Rules& rules, const eval::ModuleScope& scope,
                               CheckResults& results, diag::Diagnostics& diags);
// Keeps what became of the rules of an object, and says in `diags` whose they are.
void record_rules(eval::ObjectId row, const addrs::Checkable& address,
                  const std::vector<eval::RuleResult>& rules, CheckResults& results,
                  diag::Diagnostics& diags);

// Adds what would be an error elsewhere, but not where it is part of a check.
void add_as_warnings(const diag::Diagnostics& problems, const addrs::AbsCheck& check,
                     diag::Diagnostics& diags);
// What the results of a check say about a data source that could not be read.
std::string failure_message(const diag::Diagnostics& problems);

}  // namespace tofu::engine
