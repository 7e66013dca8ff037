// expect: no member named 'as_string'
#include "value/value.h"

// Whether a string is marked is asked before it is read.
std::string_view text(const tofu::value::Value& v) {
#ifdef MISUSE
  return v.as_string();
#else
  return v.unmarked().as_string();
#endif
}
