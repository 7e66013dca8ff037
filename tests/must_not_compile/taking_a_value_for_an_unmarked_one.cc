// expect: tofu::value::Plain
#include "value/value.h"

// Only unmarked() and plain() lead from a Value to a Plain.
tofu::value::Plain same(const tofu::value::Value& v) {
#ifdef MISUSE
  return v;
#else
  return v.unmarked();
#endif
}
