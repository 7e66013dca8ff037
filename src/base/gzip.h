// The gzip format, through zlib.
//
// Compressed input is not trusted: its size has a limit, and several members one after the other
// are one text, as everywhere.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace tofu::base {

// An error if the text is longer than zlib takes at once, or there is no memory.
Result<std::string> gzip(std::string_view text);

// One or more gzip members, and nothing else; an error if the text is longer than `limit`.
Result<std::string> gunzip(std::string_view bytes, std::size_t limit);

}  // namespace tofu::base
