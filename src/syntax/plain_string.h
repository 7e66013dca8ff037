// Quoted text without templates: labels of blocks and keys of traversals.
//
// A template sequence in one is an error, and something stands for it in the text, so
// that later messages do not take a label for another one.
//
// Private to this component; they call syntax/parser.h.
#pragma once

#include <string_view>

#include "syntax/body.h"
#include "syntax/tree_builder.h"

namespace tofu::syntax {

// The text of a literal token, escapes replaced: either in the source or in the arena.
std::string_view literal_text(const Token& token, TokenCursor& tokens, TreeBuilder& tree);

// A quoted string without template sequences in it. Reads to the closing quote even
// when there are errors.
Label read_plain_string(TokenCursor& tokens, TreeBuilder& tree);

}  // namespace tofu::syntax
