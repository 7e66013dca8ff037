#include "lint/selection.h"

#include <algorithm>
#include <array>

namespace tofu::lint {

namespace {

constexpr std::string_view kBlanks = " \t";

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

}  // namespace

Selection Selection::parse(std::string_view list) {
  Selection selection;
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    std::string_view word = trimmed(list.substr(0, comma));
    list.remove_prefix(std::min(comma + 1, list.size()));
    const bool excludes = word.starts_with('!');
    if (excludes) word.remove_prefix(1);
    if (!word.empty()) (excludes ? selection.excluded_ : selection.included_).emplace(word);
  }
  return selection;
}

Selection Selection::all() { return parse("all"); }

Selection Selection::parse_from_all(std::string_view list) {
  Selection selection = parse(list);
  if (selection.included_.empty() && !selection.excluded_.contains("all")) {
    selection.included_.emplace("all");
  }
  return selection;
}

bool Selection::allows(const Rule& rule) const {
  if (included_.contains(rule.id)) return true;
  if (excluded_.contains(rule.id)) return false;
  const std::array<std::string, 2> groups = {std::string(rule.group),
                                             std::string(rule.space()) + ":all"};
  const auto is_in = [](const auto& set) {
    return [&set](const std::string& group) { return set.contains(group); };
  };
  if (std::ranges::any_of(groups, is_in(included_))) return true;
  if (std::ranges::any_of(groups, is_in(excluded_))) return false;
  return included_.contains("all");
}

}  // namespace tofu::lint
