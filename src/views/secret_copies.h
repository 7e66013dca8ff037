// Values that are equal to a sensitive one of the same plan, such as what a provider computes
// from a sensitive argument.
//
// Nothing marks such a copy, so it is found by comparing: first every value of the plan is
// learned, then each is covered before it is shown. Only texts and numbers of some length are
// compared; flags and small numbers are equal by chance.
#pragma once

#include <set>
#include <string>

#include "base/arena.h"
#include "views/plain_value.h"

namespace tofu::views {

class SecretCopies {
 public:
  // Records the contents of the sensitive parts of the value.
  void learn(const PlainValue& v) { learn(v, false); }
  // Makes the parts of the value that are copies sensitive.
  void cover(PlainValue& v, base::Arena& arena) const;

 private:
  void learn(const PlainValue& v, bool is_sensitive);

  std::set<std::string, std::less<>> texts_;
};

}  // namespace tofu::views
