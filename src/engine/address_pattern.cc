#include "engine/address_pattern.h"

#include <algorithm>
#include <utility>

namespace tofu::engine {

AddressPattern AddressPattern::prefix(std::size_t length) const {
  return {{module.begin(), module.begin() + static_cast<std::ptrdiff_t>(length)}};
}

AddressPattern exactly(const addrs::ModuleInstance& module, std::string object) {
  AddressPattern pattern;
  pattern.module.reserve(module.steps.size());
  for (const addrs::ModuleStep& step : module.steps) {
    pattern.module.push_back({step.name, step.key});
  }
  pattern.object = std::move(object);
  return pattern;
}

PatternIndex::Keys PatternIndex::keys_of(const AddressPattern& pattern) {
  Keys keys;
  keys.reserve(pattern.module.size());
  for (const AddressPattern::Step& step : pattern.module) keys.push_back(step.key);
  return keys;
}

PatternIndex::Open PatternIndex::open_in(const Keys& keys) {
  Open open(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) open[i] = !keys[i].has_value();
  return open;
}

std::string PatternIndex::names_of(const AddressPattern& pattern) {
  std::string text;
  for (const AddressPattern::Step& step : pattern.module) {
    text += step.name;
    text += '.';
  }
  text += '/';  // in no name
  text += pattern.object;
  return text;
}

std::string PatternIndex::text_of(const Keys& keys, const Open& open) {
  std::string text;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (!open[i]) text += keys[i]->to_string();
    text += '.';
  }
  return text;
}

void PatternIndex::add(const AddressPattern& pattern, std::uint32_t id) {
  Keys keys = keys_of(pattern);
  Open open = open_in(keys);
  std::vector<Group>& groups = groups_[names_of(pattern)];
  auto group = std::ranges::find(groups, open, &Group::open);
  if (group == groups.end()) group = groups.insert(group, Group{std::move(open), {}, {}});
  for (auto& [left_out, table] : group->tables) table[text_of(keys, left_out)].push_back(id);
  group->entries.push_back({std::move(keys), id});
}

std::vector<std::uint32_t> PatternIndex::find(const AddressPattern& pattern) {
  std::vector<std::uint32_t> found;
  const auto groups = groups_.find(names_of(pattern));
  if (groups == groups_.end()) return found;
  const Keys keys = keys_of(pattern);
  const Open open = open_in(keys);
  for (Group& group : groups->second) {
    Open left_out = group.open;
    for (std::size_t i = 0; i < open.size(); ++i) left_out[i] = left_out[i] || open[i];
    const auto [table, is_new] = group.tables.try_emplace(left_out);
    if (is_new) {
      for (const Entry& entry : group.entries) {
        table->second[text_of(entry.keys, left_out)].push_back(entry.id);
      }
    }
    const auto ids = table->second.find(text_of(keys, left_out));
    if (ids != table->second.end()) {
      found.insert(found.end(), ids->second.begin(), ids->second.end());
    }
  }
  std::ranges::sort(found);
  found.erase(std::ranges::unique(found).begin(), found.end());
  return found;
}

}  // namespace tofu::engine
