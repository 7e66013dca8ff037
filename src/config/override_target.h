// The target of override_resource and override_data: a resource, with or without the keys of the
// instances that are meant.
//
// `data.x.y` and `data.x.y[*]` are all instances, `data.x.y["a"]` is one. Calls of modules may have
// keys, too: `module.m["a"].x.y[*]`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "addrs/instance_key.h"
#include "addrs/resource.h"
#include "diag/diagnostic.h"
#include "diag/source.h"
#include "syntax/ast.h"

namespace tofu::config {

struct OverrideTarget {
  addrs::ConfigResource resource;
  // Of each module on the path and then of the resource. Nothing: any key, or none.
  std::vector<std::optional<addrs::InstanceKey>> keys;
  diag::SourceRange range;

  bool contains(const addrs::AbsResourceInstance& instance) const;
  // Whether this is about fewer instances: the key of an outer module decides before inner ones.
  bool is_more_specific_than(const OverrideTarget& other) const;
  std::string to_string() const;
};

diag::Checked<OverrideTarget> parse_override_target(const syntax::Expr& expr,
                                                    diag::Diagnostics& diags);

}  // namespace tofu::config
