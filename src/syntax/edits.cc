#include "syntax/edits.h"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <map>

#include "syntax/token.h"

namespace tofu::syntax {

namespace {

// The edits that are made, by where they begin. None overlap.
using Made = std::map<std::uint32_t, const Edit*>;

bool overlaps(const Made& made, const Edit& edit) {
  const auto next = made.lower_bound(edit.range.begin);
  if (next != made.end()) {
    if (next->first == edit.range.begin || next->first < edit.range.end) return true;
  }
  return next != made.begin() && std::prev(next)->second->range.end > edit.range.begin;
}

struct Chosen {
  Made made;
  std::vector<std::size_t> left_out;
};

Chosen choose(std::span<const EditGroup> groups) {
  Chosen chosen;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const bool fits = std::ranges::none_of(
        groups[i], [&](const Edit& edit) { return overlaps(chosen.made, edit); });
    if (!fits) {
      chosen.left_out.push_back(i);
      continue;
    }
    for (const Edit& edit : groups[i]) chosen.made.emplace(edit.range.begin, &edit);
  }
  return chosen;
}

EditedText edited(std::string_view text, Chosen chosen) {
  EditedText result = {.text = {}, .left_out = std::move(chosen.left_out), .places = {}};
  std::string& out = result.text;
  out.reserve(text.size());
  std::uint32_t at = 0;
  for (const auto& [begin, edit] : chosen.made) {
    out += text.substr(at, begin - at);
    result.places.push_back({out.size(), out.size() + edit->text.size()});
    out += edit->text;
    at = edit->range.end;
  }
  out += text.substr(at);
  return result;
}

// Where the bytes of the old text went.
class Shift {
 public:
  explicit Shift(const Made& made) : next_(made.begin()), end_(made.end()) {}

  // The new place of a token; nothing if an edit touches it. Tokens come in order.
  std::optional<std::uint32_t> of(const Token& token) {
    while (next_ != end_ && next_->second->range.end <= token.begin) {
      by_ += static_cast<std::int64_t>(next_->second->text.size());
      by_ -= next_->second->range.end - next_->first;
      ++next_;
    }
    if (next_ != end_ && next_->first < token.end) return std::nullopt;
    return static_cast<std::uint32_t>(token.begin + by_);
  }

 private:
  Made::const_iterator next_;
  Made::const_iterator end_;
  std::int64_t by_ = 0;
};

bool keeps_tokens(std::string_view before, std::string_view after, const Made& made) {
  const std::vector<Token> new_tokens = scan(after, ScanMode::Normal);
  auto candidate = new_tokens.begin();
  Shift shift(made);
  for (const Token& token : scan(before, ScanMode::Normal)) {
    if (token.begin == token.end || token.kind == TokenKind::Newline) continue;
    const auto place = shift.of(token);
    if (!place) continue;
    while (candidate != new_tokens.end() && candidate->begin < *place) ++candidate;
    const bool is_kept = candidate != new_tokens.end() && candidate->begin == *place &&
                         candidate->kind == token.kind &&
                         candidate->text(after) == token.text(before);
    if (!is_kept) return false;
  }
  return true;
}

}  // namespace

EditedText apply_edits(std::string_view text, std::span<const EditGroup> groups) {
  return edited(text, choose(groups));
}

base::Result<EditedText> apply_edits_checked(std::string_view text,
                                             std::span<const EditGroup> groups) {
  const Chosen chosen = choose(groups);
  EditedText result = edited(text, chosen);
  if (!keeps_tokens(text, result.text, chosen.made)) {
    return base::Error{"an edit would change the text around it"};
  }
  return result;
}

}  // namespace tofu::syntax
