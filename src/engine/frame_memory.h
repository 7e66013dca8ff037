// Memory for coroutines.
//
// A thread visits one instance after the other with the same coroutines, whose frames are of a
// few sizes. It keeps those that ended for the next ones: malloc() does so with small blocks only,
// and cuts the larger ones up for values that stay, so that every frame was in new memory.
#pragma once

#include <cstddef>

namespace tofu::engine {

void* take_frame(std::size_t size);
void leave_frame(void* frame, std::size_t size) noexcept;

}  // namespace tofu::engine
