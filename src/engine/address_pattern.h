// Addresses in which some keys may be anything, and finding those that can name
// the same thing.
//
// A `moved` block stands for every instance of the module it is written in, so its
// addresses begin with modules of any key. The index finds the patterns that agree
// with another one without comparing it with each: the time of a search grows with
// what is found, and with the number of different places where patterns leave their
// keys open, which is small.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "addrs/instance_key.h"
#include "addrs/module.h"

namespace tofu::engine {

struct AddressPattern {
  struct Step {
    std::string name;
    std::optional<addrs::InstanceKey> key;  // nothing: any
  };
  std::vector<Step> module;
  std::string object = {};  // in the module; empty: the module itself

  // The module of the first `length` steps.
  AddressPattern prefix(std::size_t length) const;
};

// The pattern that agrees with this address only.
AddressPattern exactly(const addrs::ModuleInstance& module, std::string object = {});

class PatternIndex {
 public:
  void add(const AddressPattern& pattern, std::uint32_t id);
  // The ids of all patterns that some address agrees with that `pattern` agrees with
  // too, in order and each once.
  std::vector<std::uint32_t> find(const AddressPattern& pattern);

 private:
  using Keys = std::vector<std::optional<addrs::InstanceKey>>;
  using Open = std::vector<bool>;  // by step: whether its key may be anything
  struct Entry {
    Keys keys;
    std::uint32_t id;
  };
  // Patterns of the same names that leave the same keys open.
  struct Group {
    Open open;
    std::vector<Entry> entries;
    // By the text of their keys, those left out that are open on either side. One
    // table for each kind of pattern that was looked for.
    std::map<Open, std::unordered_map<std::string, std::vector<std::uint32_t>>> tables;
  };

  static Keys keys_of(const AddressPattern& pattern);
  static Open open_in(const Keys& keys);
  static std::string names_of(const AddressPattern& pattern);
  static std::string text_of(const Keys& keys, const Open& open);

  std::unordered_map<std::string, std::vector<Group>> groups_;  // by names
};

}  // namespace tofu::engine
