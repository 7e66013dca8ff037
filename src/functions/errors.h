// Errors of calls, without sensitive values.
//
// A message quotes an argument only if the function sees its marks and they allow it: shown()
// decides. If marks were removed before the call, syntax::call() shows only literal messages. The
// place that an error points at shows the author's text anyway.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "syntax/function.h"
#include "value/marks.h"
#include "value/value.h"

namespace tofu::functions {

// An error about the call as a whole.
syntax::CallError call_error(std::string what);
template <std::size_t size>
syntax::CallError call_error(const char (&what)[size]) {
  return syntax::CallError{what, std::nullopt, true};
}

// `text` in quotes, or words that stand for it if the marks forbid showing it.
std::string shown(std::string_view text, value::Marks marks);

// A number argument as a machine integer; the error points at `position`, if
// there is one.
syntax::CallResult<std::int64_t> whole_number(const value::Value& argument,
                                              std::optional<std::size_t> position = std::nullopt);

}  // namespace tofu::functions
