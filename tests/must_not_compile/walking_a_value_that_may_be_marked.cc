// expect: no member named 'items'
#include "value/value.h"

std::size_t count(const tofu::value::Value& v) {
#ifdef MISUSE
  return v.items().size();
#else
  return v.unmarked().items().size();
#endif
}
