// Where an expression uses outputs that the authors of modules have deprecated, or parts of
// resources that providers have.
//
// An expression that names such a source is reported wherever it stands:
// `module.m.old`, `module.m[key].old`, `module.m[*].old`, `local.the_module.old`. An
// output that is reached without being named, as a part of a whole module or through a
// `for`, is reported where the value is used. What has been reported has no mark any more,
// so it is not reported again further on.
#pragma once

#include <cstdint>
#include <optional>

#include "diag/diagnostic.h"
#include "eval/names.h"
#include "syntax/ast.h"
#include "value/value.h"

namespace tofu::eval {

enum class Until : std::uint8_t {
  Named,  // the value is passed on, and reported where it is used
  Used,
};

// Gives the value with the marks of what was not reported. Nothing if there are none.
std::optional<value::Value> warn_of_deprecated(const syntax::Expr& expr, const Names& names,
                                               Until until, diag::Diagnostics& diags);

}  // namespace tofu::eval
