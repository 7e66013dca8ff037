#include "features/editions.h"

#include <algorithm>
#include <array>

namespace tofu::features {

namespace {

FeatureSet every_selectable() {
  FeatureSet pack;
  for (const Row& row : all_rows()) {
    if (row.state == State::Selectable && row.feature) pack.add(*row.feature);
  }
  return pack;
}

}  // namespace

std::span<const Edition> all_editions() {
  static const std::array kEditions = {
      Edition{"tofu2024", {}},
      Edition{"tofu2026", every_selectable()},
  };
  return kEditions;
}

const Edition* find_edition(std::string_view name) {
  const auto editions = all_editions();
  const auto found = std::ranges::find(editions, name, &Edition::name);
  return found == editions.end() ? nullptr : &*found;
}

}  // namespace tofu::features
