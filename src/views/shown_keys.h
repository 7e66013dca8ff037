// Keys in front of values: which are always shown, and how wide their column is.
//
// Used wherever names stand in a column before `=`: in blocks, objects, maps and
// lists of outputs.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace tofu::views {

// These identify the object for a reader, so they are shown even if unchanged.
inline bool is_important(std::string_view key) {
  return key == "id" || key == "name" || key == "tags";
}

// Keys as they are written. The column is as wide as the longest of them in
// bytes, as OpenTofu counts it.
class ShownKeys {
 public:
  template <class Show>
  ShownKeys(const std::vector<std::string_view>& keys, Show&& show) {
    shown_.reserve(keys.size());
    for (const std::string_view key : keys) {
      shown_.push_back(show(key));
      width_ = std::max(width_, shown_.back().size());
    }
  }

  const std::string& operator[](std::size_t i) const { return shown_[i]; }
  std::size_t width() const { return width_; }

 private:
  std::vector<std::string> shown_;
  std::size_t width_ = 0;
};

}  // namespace tofu::views
