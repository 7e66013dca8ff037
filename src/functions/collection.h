// The parts of the collection family, one file each.
//
// The family is too long for one file; add_collection() in collection.cc is what the table calls.
// Private to collection*.cc.
#pragma once

#include "functions/families.h"

namespace tofu::functions {

void add_list(List& list);     // collection_list.cc: taking lists apart and joining them
void add_search(List& list);   // collection_search.cc: finding elements
void add_map(List& list);      // collection_map.cc
void add_summary(List& list);  // collection_summary.cc: one value out of many

}  // namespace tofu::functions
