// The few changes of tokens that fmt makes before it lays them out.
//
// Redundant "${x}" around a whole attribute value goes away, legacy type names
// of variables are spelled the current way, block labels are quoted. Everything
// else stays token for token.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "syntax/parser.h"
#include "syntax/token.h"

namespace tofu::syntax {

// A token on its way to the output.
struct Piece {
  std::string_view text;  // in the source, in `new_texts`, or a literal of ours
  TokenKind kind;
  std::uint32_t spaces;  // blanks to write before it
};

// The tokens of `file` with those changes made. `new_texts` keeps text that is
// not in the source. The file has no syntax errors.
std::vector<Piece> edited_pieces(const File& file, std::string_view source,
                                 const std::vector<Token>& tokens,
                                 std::deque<std::string>& new_texts);

}  // namespace tofu::syntax
