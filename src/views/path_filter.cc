#include "views/path_filter.h"

#include <algorithm>
#include <optional>
#include <variant>

#include "base/overloaded.h"
#include "value/number.h"

namespace tofu::views {

namespace {

using value::AttributeStep;
using value::IndexStep;
using value::Kind;
using value::PathStep;

bool is_key(const PathStep& step, std::string_view key) {
  return std::visit(base::Overloaded{
                        [&](const AttributeStep& s) { return s.name == key; },
                        [&](const IndexStep& s) {
                          return s.key.kind() == Kind::String && s.key.plain().as_string() == key;
                        },
                    },
                    step);
}

// A list may be indexed with text that is a number.
std::optional<std::int64_t> index_of(std::string_view text) {
  const auto number = value::Number::parse(text);
  if (!number) return std::nullopt;
  return number->to_int64_truncated();
}

std::optional<std::int64_t> index_of(const PathStep& step) {
  const auto* index = std::get_if<IndexStep>(&step);
  if (index == nullptr) return index_of(std::get<AttributeStep>(step).name);
  if (index->key.kind() == Kind::Number) return index->key.plain().as_number().to_int64_truncated();
  if (index->key.kind() != Kind::String) return std::nullopt;
  return index_of(index->key.plain().as_string());
}

}  // namespace

PathFilter PathFilter::all() {
  PathFilter filter;
  filter.all_ = true;
  return filter;
}

PathFilter PathFilter::of(std::span<const value::Path> paths, bool whole) {
  PathFilter filter;
  filter.whole_ = whole;
  for (const value::Path& path : paths) filter.rest_.emplace_back(path.steps);
  return filter;
}

bool PathFilter::matches() const {
  return all_ || std::ranges::any_of(rest_, [](const auto& path) { return path.empty(); });
}

template <class Fits>
PathFilter PathFilter::step(Fits&& fits) const {
  PathFilter child;
  child.all_ = all_;
  child.whole_ = whole_;
  for (const auto& path : rest_) {
    if (path.empty()) {
      if (whole_) child.rest_.push_back(path);
    } else if (fits(path.front())) {
      child.rest_.push_back(path.subspan(1));
    }
  }
  return child;
}

PathFilter PathFilter::at(std::string_view key) const {
  return step([&](const PathStep& s) { return is_key(s, key); });
}

PathFilter PathFilter::at(std::size_t index) const {
  return step([&](const PathStep& s) {
    const auto number = index_of(s);
    return number && *number == static_cast<std::int64_t>(index);
  });
}

}  // namespace tofu::views
