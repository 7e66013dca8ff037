// expect: no member named 'as_bool'
#include "value/value.h"

// A container without marks may hold marked items.
bool first(const tofu::value::Plain& list) {
#ifdef MISUSE
  return list.items()[0].as_bool();
#else
  return list.items()[0].unmarked().as_bool();
#endif
}
