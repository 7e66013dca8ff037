// expect: Plain
#include "value/value.h"

void replace(tofu::value::Plain& at, const tofu::value::Value& by) {
#ifdef MISUSE
  at = by;
#else
  at = by.unmarked();
#endif
}
