// What became of the rules that authors wrote, gathered while a run evaluates them.
//
// Every object that has rules is there from the start, as unknown, so that a run that
// fails early still says what it did not get to.
//
// Threads: any may report.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "addrs/check_rule.h"
#include "config/tree.h"
#include "plans/checks.h"

namespace tofu::engine {

class CheckResults {
 public:
  explicit CheckResults(const config::Tree& tree);

  // What a plan found to have rules: unknown until they are evaluated again.
  void plan(const std::vector<plans::CheckedObject>& objects);
  // An instance whose rules are about to be evaluated: it passes unless one says
  // otherwise.
  void expect(const addrs::Checkable& address);
  // That the object has no further instances, perhaps none at all.
  void expanded(const addrs::ConfigCheckable& address);
  void report(const addrs::Checkable& address, plans::CheckStatus status,
              const std::string& message);

  // Whether something is known to be wrong with it.
  bool is_failing(const addrs::Checkable& address) const;

  // By address.
  std::vector<plans::CheckedObject> results() const;

 private:
  struct Entry {
    addrs::ConfigCheckable address;
    bool is_expanded = false;
    struct Instance {
      plans::CheckedInstance result;
      bool is_evaluated = false;
    };
    std::map<std::string, Instance> instances;  // by the text of the address
  };
  plans::CheckedInstance& instance(const addrs::Checkable& address);

  mutable std::mutex mutex_;              // for everything below
  std::map<std::string, Entry> entries_;  // by the text of the address
};

}  // namespace tofu::engine
