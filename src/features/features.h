// The optional parts of the language: one list, and sets over it.
//
// Every feature that some modules have and others do not is named here, with its state and its
// texts, together with the names of former experiments. A module's set lists its active features;
// how it came to be on (an experiment, a block, an edition) is forgotten at once, so nothing else
// in the program can ask.
//
// To add a feature: an enumerator, a row in features.cc, and its tests. Opting
// in is per module and never inherited.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>

namespace tofu::features {

enum class Feature : std::uint8_t {
  SymbolLibraries,
};
inline constexpr std::size_t kFeatureCount = 1;

enum class State : std::uint8_t {
  ActiveExperiment,  // on only where named in `experiments`, in builds that allow it
  Selectable,        // on in a module that contains its block type
  Removed,           // never on; naming it is an error
  Concluded,         // became part of the language; naming it only warns
};

struct Row {
  std::string_view name;  // as written in `experiments`
  State state;
  std::optional<Feature> feature;  // set for exactly the first two states
  std::string_view block_type;     // selectable: the block that opts in; also the reference prefix
  std::string_view noun;           // selectable: what such a block is, "symbol library"
  std::string_view text;           // whole sentences: the outcome, and what to do
};

std::span<const Row> all_rows();
const Row* find_row(std::string_view name);
const Row& row_of(Feature feature);
// The selectable feature whose block or reference prefix is `word`.
const Row* find_by_block_type(std::string_view word);

class FeatureSet {
 public:
  FeatureSet() = default;
  FeatureSet(std::initializer_list<Feature> features) {
    for (const Feature feature : features) add(feature);
  }

  bool has(Feature feature) const { return bits_.test(static_cast<std::size_t>(feature)); }
  void add(Feature feature) { bits_.set(static_cast<std::size_t>(feature)); }
  void add(const FeatureSet& pack) { bits_ |= pack.bits_; }
  bool empty() const { return bits_.none(); }
  bool operator==(const FeatureSet&) const = default;

 private:
  std::bitset<kFeatureCount> bits_;
};

}  // namespace tofu::features
