// Recognizes files that are not text, such as an image with the name of a configuration file.
//
// Both parsers ask this when they meet a byte that no token has, so that such a file is one
// error instead of one for each of its bytes.
#pragma once

#include <string_view>

#include "diag/diagnostic.h"
#include "diag/source.h"

namespace tofu::syntax {

// `at` is the place of `text`.
diag::Checked<void> check_is_text(std::string_view text, diag::SourceRange at,
                                  diag::Diagnostics& diags);

}  // namespace tofu::syntax
