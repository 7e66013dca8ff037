// Moved, removed and import blocks: what became of objects that exist already.
//
// Endpoints are addresses, parsed but not looked up; whether they make sense is
// decided where state is known.
#pragma once

#include <optional>
#include <vector>

#include "addrs/parse.h"
#include "addrs/resource.h"
#include "config/objects.h"
#include "diag/source.h"
#include "syntax/ast.h"

namespace tofu::config {

struct Moved {
  addrs::MoveEndpoint from;
  addrs::MoveEndpoint to;
  diag::SourceRange range;
};

struct Removed {
  addrs::RemoveEndpoint from;
  std::optional<bool> destroy;  // false if not said
  std::vector<Provisioner> provisioners;
  diag::SourceRange range;
};

struct Import {
  // Index keys may be dynamic. Null if there is no usable address: that was reported.
  const syntax::Expr* to = nullptr;
  addrs::ConfigResource static_to;                        // `to` without its keys
  std::optional<addrs::AbsResourceInstance> resolved_to;  // if all keys are constant
  const syntax::Expr* id = nullptr;                       // exactly one of id and identity
  const syntax::Expr* identity = nullptr;
  const syntax::Expr* for_each = nullptr;
  std::optional<ProviderRef> provider;
  diag::SourceRange provider_range;  // of the whole argument
  diag::SourceRange range;
};

}  // namespace tofu::config
