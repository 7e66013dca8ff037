#include "functions/collection.h"

#include "functions/families.h"

namespace tofu::functions {

void add_collection(List& list) {
  add_list(list);
  add_search(list);
  add_map(list);
  add_summary(list);
}

}  // namespace tofu::functions
