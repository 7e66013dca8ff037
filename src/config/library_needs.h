// Which symbol libraries of a module an expression needs, directly or through the locals and
// variables that it names.
//
// For commands that evaluate only a few settings of the root module, such as where the state is:
// they load the libraries that these settings need and no others, and leave alone what would need
// another one. Nothing is evaluated here; evaluation reports errors.
#pragma once

#include <set>
#include <string>
#include <unordered_set>
#include <vector>

#include "config/encryption.h"
#include "config/module.h"
#include "config/values.h"
#include "syntax/ast.h"
#include "syntax/body.h"

namespace tofu::config {

// Labels of symbols blocks.
using LibraryLabels = std::set<std::string, std::less<>>;

// The libraries that the blocks `backend`, `cloud` and `encryption` of the module need, and
// `other_encryption` if it is not null.
LibraryLabels libraries_of_settings(const Module& module, const Encryption* other_encryption);

// Which expressions of a module need one of the libraries `left_out`.
class NeedsLeftOut {
 public:
  NeedsLeftOut(const Module& module, LibraryLabels left_out);

  // Also for no expression at all.
  bool operator()(const syntax::Expr* expr) const;
  bool operator()(const Variable& variable) const { return tainted_.contains(&variable); }

 private:
  const Module& module_;
  LibraryLabels left_out_;
  std::unordered_set<const void*> tainted_;  // locals and variables that need one
};

}  // namespace tofu::config
