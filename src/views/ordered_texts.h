// Texts of many things, made by several threads and written in order.
//
// Threads take the next things a few at a time while the caller's thread writes what is ready, and
// helps when no text is ready. The amount of unwritten text is limited, so that a plan of a million
// changes, or of large ones, needs little memory.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "base/arena.h"

namespace tofu::views {

// Appends the text of a thing. Called in any thread; the arena is for temporary data, and is shared
// by a few things.
using MakeText = std::function<void(std::uint32_t thing, base::Arena& arena, std::string& text)>;

// Hands the texts of all `things`, in their order, to `out`, which is called in this thread.
// `meanwhile` is done beside them, if it is given and there are threads for that, else after
// them. It is over when this returns.
void write_in_order(std::span<const std::uint32_t> things, const MakeText& make,
                    const std::function<void(std::string_view)>& out,
                    const std::function<void()>& meanwhile = {});

}  // namespace tofu::views
