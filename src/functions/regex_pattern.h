// A regular expression in Go's syntax, ready to search with.
//
// The search itself is RE2's, which is where Go's package comes from: the same matches in linear
// time. The two accept different syntax, so a pattern is rewritten first: named groups become plain
// ones whose names are kept here (Go allows a name twice, and `(?<name>`), Go's looser names of
// Unicode classes become RE2's, and `\C` is refused.
//
// Threads: a Pattern never changes; a PatternCache may be shared.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"

namespace re2 {
class RE2;
}

namespace tofu::functions {

// Text to search in, as Go's package sees it: each byte that is not part of valid UTF-8
// counts as a replacement character, where RE2 would find nothing.
class SearchedText {
 public:
  // `text` outlives it.
  explicit SearchedText(std::string_view text);

  std::string_view original() const { return original_; }
  std::string_view valid() const { return places_.empty() ? original_ : valid_; }
  // From a place in the original to the same place in the valid text, and back.
  std::size_t in_valid(std::size_t at) const;
  std::size_t in_original(std::size_t at) const { return places_.empty() ? at : places_[at]; }

 private:
  std::string_view original_;
  std::string valid_;                // only if the original is not
  std::vector<std::size_t> places_;  // of each byte of `valid_` and of its end
};

class Pattern {
 public:
  // The matches of the groups; the whole match first. A group that took no part is absent.
  using Groups = std::vector<std::optional<std::string_view>>;

  static base::Result<std::shared_ptr<const Pattern>> compile(std::string_view pattern);
  // Only for compile(): `names` are those of the groups in `compiled`.
  Pattern(std::unique_ptr<re2::RE2> compiled, std::vector<std::string> names);
  ~Pattern();

  // Of the groups in order, without the whole; empty for a group without a name.
  std::span<const std::string> names() const { return names_; }

  // The leftmost match that begins at byte `from` of `text` or after it.
  bool search(const SearchedText& text, std::size_t from, Groups& groups) const;

  // `text` with every match replaced. In `replacement`, $1, $name and ${name}
  // stand for groups and $$ for a dollar sign.
  base::Result<std::string> replace_all(std::string_view text, std::string_view replacement) const;

 private:
  void expand(std::string& out, std::string_view replacement, const Groups& groups) const;

  std::unique_ptr<re2::RE2> compiled_;
  std::vector<std::string> names_;
};

// Patterns compiled before. A call needs its pattern twice (for the type of the
// result and for the result), and calls inside `for` expressions need the same
// few again and again, while compiling one takes longer than most searches.
class PatternCache {
 public:
  base::Result<std::shared_ptr<const Pattern>> compile(std::string_view pattern);

 private:
  std::mutex mutex_;  // the functions of one table are called from many tasks
  std::unordered_map<std::string, std::shared_ptr<const Pattern>> patterns_;
};

}  // namespace tofu::functions
