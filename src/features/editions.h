// Editions of the language: names for packs of features.
//
// A module selects one with `edition` in a `language` block, or with the older
// `language` argument; the pack is added to the module's set like anything else.
#pragma once

#include <span>
#include <string_view>

#include "features/features.h"

namespace tofu::features {

struct Edition {
  std::string_view name;
  FeatureSet pack;
};

// Oldest first; the first is what a module has that names none.
std::span<const Edition> all_editions();
const Edition* find_edition(std::string_view name);

}  // namespace tofu::features
