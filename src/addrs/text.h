// Addresses given as text: on the command line, in a state file, in a plan.
//
// Such text is in no source file, so its errors have no place; the caller says
// where the text came from.
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "diag/diagnostic.h"
#include "syntax/ast.h"

namespace tofu::addrs {

// Calls `use` with the traversal that `text` spells. Fails if either adds an error.
diag::Checked<void> with_traversal(
    std::string_view text,
    const std::function<void(const syntax::Traversal&, diag::Diagnostics&)>& use,
    diag::Diagnostics& diags);

// Reads `text` by one of the functions that take a traversal. The result may not point into the
// traversal, which ends with this call.
template <class Address>
diag::Checked<Address> parse_text(std::string_view text,
                                  std::optional<Address> (*parse)(const syntax::Traversal&,
                                                                  diag::Diagnostics&),
                                  diag::Diagnostics& diags) {
  std::optional<Address> result;
  with_traversal(
      text,
      [&](const syntax::Traversal& traversal, diag::Diagnostics& inner) {
        result = parse(traversal, inner);
      },
      diags);
  return result;
}

}  // namespace tofu::addrs
