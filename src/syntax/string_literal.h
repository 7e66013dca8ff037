// The escapes in literal text: \n, \u00e9, $${ and the like.
//
// Quoted text knows backslashes; heredocs and bare templates only know $${ and
// %%{, which keep a template sequence from being one.
#pragma once

#include <string>
#include <string_view>

#include "diag/diagnostic.h"
#include "diag/source.h"

namespace tofu::syntax {

// Whether the text of a token has anything in it to be replaced.
bool has_escapes(std::string_view text, bool quoted);

// Appends what `text` stands for. A wrong escape is reported and left as it is.
// `at` is where `text` begins in its file.
void append_unescaped(std::string& out, std::string_view text, bool quoted, diag::SourceRange at,
                      diag::Diagnostics& diags);

}  // namespace tofu::syntax
