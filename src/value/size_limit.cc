#include "value/size_limit.h"

#include <fmt/format.h>

namespace tofu::value {

std::string text_too_long() {
  return fmt::format("the text would be longer than {} MiB, the limit for one string",
                     kMaxTextSize >> 20);
}

std::string too_many_elements() {
  return fmt::format("it would have more than {} elements, the limit for one value", kMaxElements);
}

std::string too_many_in_all() {
  return fmt::format("with everything inside it, the value would have more than {} elements",
                     kMaxAllElements);
}

std::optional<std::string> size_problem(const Value& v) {
  switch (v.kind()) {
    case Kind::String:
      if (v.plain().as_string().size() > kMaxTextSize) return text_too_long();
      return std::nullopt;
    case Kind::List:
    case Kind::Set:
    case Kind::Map:
    case Kind::Tuple:
    case Kind::Object:
      if (v.plain().size() > kMaxElements) return too_many_elements();
      if (v.weight() > kMaxAllElements) return too_many_in_all();
      return std::nullopt;
    case Kind::Marked: return size_problem(v.unmarked());
    case Kind::Null:
    case Kind::Unknown:
      if (v.weight() > kMaxAllElements) return too_many_in_all();
      return std::nullopt;
    case Kind::Bool:
    case Kind::Number:
    case Kind::Capsule: return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace tofu::value
