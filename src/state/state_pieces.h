// The text of a state for a store, without a copy of its objects.
//
// States may be large, and what stores one has its objects in memory already. So the text
// is made of them where they are, with what stands around each.
#pragma once

#include "base/text_pieces.h"
#include "state/state.h"

namespace tofu::state {

// The compact text. Objects are lent: a copy of `state` is kept while it is used.
base::TextPieces state_pieces(const State& state);

}  // namespace tofu::state
