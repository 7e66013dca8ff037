// An error that gathers its path while callers unwind.
//
// Conversions and codecs know their position in a value only by the chain of callers. Paths cost
// nothing on success: the innermost function describes the error, and each caller adds its step.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "value/path.h"

namespace tofu::value {

class Failure {
 public:
  // All give nothing, for `return failure_.because(…)`.
  std::nullopt_t because(std::string what);
  std::nullopt_t in_attribute(std::string_view name);
  std::nullopt_t at_key(const Value& key);
  std::nullopt_t at_position(std::size_t index);
  // For errors in a value that has marks: the keys on the path so far are as secret as the value.
  void mark_keys(const Marks& marks);

  PathError take();  // with the outermost step first

 private:
  PathError error_;  // the innermost step first
};

}  // namespace tofu::value
