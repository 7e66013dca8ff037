// The choice of lint rules: the value of -lint and -rules.
//
// A comma-separated list of identifiers of rules and groups; `!` in front excludes. The more
// specific identifier decides, and of two that are equally specific the inclusion: a rule before a
// group, a group (`core:all` is one) before `all`. Unknown identifiers have no effect.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "lint/rule.h"

namespace tofu::lint {

class Selection {
 public:
  Selection() = default;  // nothing
  static Selection parse(std::string_view list);
  static Selection all();
  // The same, but a list that only excludes excludes from all rules; "!all" leaves none.
  static Selection parse_from_all(std::string_view list);

  bool empty() const { return included_.empty(); }
  bool allows(const Rule& rule) const;

 private:
  std::set<std::string, std::less<>> included_;
  std::set<std::string, std::less<>> excluded_;
};

}  // namespace tofu::lint
