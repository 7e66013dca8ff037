#include "functions/regex_pattern.h"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <re2/re2.h>
#include <utility>

#include "base/unicode.h"
#include "functions/regex_syntax.h"
#include "value/size_limit.h"

namespace tofu::functions {

using base::Error;
using base::Result;

namespace {

// Enough for patterns that Go compiles; RE2 uses what it needs of it.
constexpr std::int64_t kMaxMemory = std::int64_t{64} << 20;
constexpr std::size_t kMaxCached = 256;
// While RE2 searches, each step of the pattern may have places of all groups.
constexpr std::size_t kMaxGroupMemory = std::size_t{256} << 20;

// The error in a pattern, without quoting it: it may be a secret.
std::string_view complaint(re2::RE2::ErrorCode code) {
  switch (code) {
    case re2::RE2::ErrorBadEscape: return "it has an escape sequence that does not exist";
    case re2::RE2::ErrorBadCharClass: return "it has a bad character class";
    case re2::RE2::ErrorBadCharRange: return "it has a bad range or class name in brackets";
    case re2::RE2::ErrorMissingBracket: return "a closing bracket ] is missing";
    case re2::RE2::ErrorMissingParen: return "a closing parenthesis is missing";
    case re2::RE2::ErrorUnexpectedParen: return "it has a closing parenthesis too many";
    case re2::RE2::ErrorTrailingBackslash: return "it ends with a backslash";
    case re2::RE2::ErrorRepeatArgument: return "a repetition has nothing before it to repeat";
    case re2::RE2::ErrorRepeatSize: return "it repeats something too often, or backwards";
    case re2::RE2::ErrorRepeatOp: return "it repeats a repetition";
    case re2::RE2::ErrorBadPerlOp: return "it has a (? that is not supported";
    case re2::RE2::ErrorBadUTF8: return "it is not valid UTF-8";
    case re2::RE2::ErrorBadNamedCapture: return "it has a group with a bad name";
    case re2::RE2::ErrorPatternTooLarge: return "it is too large";
    case re2::RE2::ErrorInternal:
    case re2::RE2::NoError: break;
  }
  return "it cannot be compiled";
}

re2::StringPiece piece(std::string_view text) {
  // A match of the empty text differs from a group without a match.
  return text.data() == nullptr ? re2::StringPiece("", 0)
                                : re2::StringPiece(text.data(), text.size());
}

bool is_inside_code_point(std::string_view text, std::size_t at) {
  return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80;
}

// A reference in a replacement, after its dollar sign.
struct Reference {
  std::string_view name;
  std::optional<std::size_t> number;  // if the name is one
  std::size_t length = 0;             // bytes it takes up
};

std::optional<std::size_t> group_number(std::string_view name) {
  if (name.size() > 9 || (name[0] == '0' && name.size() > 1)) return std::nullopt;
  std::size_t number = 0;
  for (const char c : name) {
    if (c < '0' || c > '9') return std::nullopt;
    number = number * 10 + static_cast<std::size_t>(c - '0');
  }
  return number;
}

std::optional<Reference> read_reference(std::string_view text) {
  const bool braces = text.starts_with('{');
  const std::size_t begin = braces ? 1 : 0;
  std::size_t end = begin;
  while (end < text.size()) {
    const base::Decoded next = base::decode_utf8(text.substr(end));
    if (next.code != '_' && !base::is_letter(next.code) && !base::is_digit(next.code)) break;
    end += next.length;
  }
  if (end == begin) return std::nullopt;
  if (braces && !text.substr(end).starts_with('}')) return std::nullopt;
  const std::string_view name = text.substr(begin, end - begin);
  return Reference{name, group_number(name), braces ? end + 1 : end};
}

}  // namespace

Pattern::Pattern(std::unique_ptr<re2::RE2> compiled, std::vector<std::string> names)
    : compiled_(std::move(compiled)), names_(std::move(names)) {}

Pattern::~Pattern() = default;

Result<std::shared_ptr<const Pattern>> Pattern::compile(std::string_view pattern) {
  Result<RewrittenPattern> rewritten = rewrite_go_pattern(pattern);
  if (!rewritten) return rewritten.error();

  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(kMaxMemory);
  auto compiled = std::make_unique<re2::RE2>(rewritten->text, options);
  if (!compiled->ok()) return Error{std::string(complaint(compiled->error_code()))};
  TOFU_CHECK(
      static_cast<std::size_t>(compiled->NumberOfCapturingGroups()) == rewritten->names.size(),
      "a rewritten pattern has the groups that were counted");
  const std::size_t group_memory = 2 * sizeof(const char*) * (rewritten->names.size() + 1) *
                                   static_cast<std::size_t>(compiled->ProgramSize());
  if (group_memory > kMaxGroupMemory) return Error{"it has too many groups for its size"};
  // Patterns are shared by the cache and by the calls that use them just now.
  return std::shared_ptr<const Pattern>(
      std::make_shared<const Pattern>(std::move(compiled), std::move(rewritten->names)));
}

SearchedText::SearchedText(std::string_view text)
    : original_(text.data() == nullptr ? std::string_view("") : text) {
  std::size_t bad = base::find_invalid_utf8(original_);
  if (bad >= original_.size()) return;
  const auto keep = [&](std::string_view piece, std::size_t from, bool is_one) {
    valid_ += piece;
    for (std::size_t i = 0; i < piece.size(); ++i) places_.push_back(is_one ? from : from + i);
  };
  std::size_t at = 0;
  while (at < original_.size()) {
    bad = std::min(base::find_invalid_utf8(original_.substr(at)), original_.size() - at);
    keep(original_.substr(at, bad), at, false);
    at += bad;
    if (at == original_.size()) break;
    keep("\xEF\xBF\xBD", at, true);
    ++at;
  }
  places_.push_back(original_.size());
}

std::size_t SearchedText::in_valid(std::size_t at) const {
  if (places_.empty()) return at;
  return static_cast<std::size_t>(std::ranges::lower_bound(places_, at) - places_.begin());
}

bool Pattern::search(const SearchedText& text, std::size_t from, Groups& groups) const {
  const std::string_view valid = text.valid();
  const re2::StringPiece whole = piece(valid);
  std::vector<re2::StringPiece> found(names_.size() + 1);
  from = text.in_valid(from);
  do {
    if (from > valid.size() || !compiled_->Match(whole, from, valid.size(), re2::RE2::UNANCHORED,
                                                 found.data(), static_cast<int>(found.size()))) {
      return false;
    }
    // RE2 sees bytes, so an empty match such as \B's may be inside a character.
    from = static_cast<std::size_t>(found[0].data() - whole.data()) + 1;
  } while (is_inside_code_point(valid, from - 1));
  groups.clear();
  for (const re2::StringPiece& group : found) {
    if (group.data() == nullptr) {
      groups.emplace_back();
      continue;
    }
    const auto begin = static_cast<std::size_t>(group.data() - whole.data());
    const std::size_t first = text.in_original(begin);
    groups.emplace_back(
        text.original().substr(first, text.in_original(begin + group.size()) - first));
  }
  return true;
}

void Pattern::expand(std::string& out, std::string_view replacement, const Groups& groups) const {
  while (true) {
    if (out.size() > value::kMaxTextSize) return;  // replace_all() says so
    const std::size_t dollar = replacement.find('$');
    out += replacement.substr(0, dollar);
    if (dollar == replacement.npos) return;
    replacement.remove_prefix(dollar + 1);
    if (replacement.starts_with('$')) {
      out += '$';
      replacement.remove_prefix(1);
      continue;
    }
    const std::optional<Reference> reference = read_reference(replacement);
    if (!reference) {
      out += '$';
      continue;
    }
    replacement.remove_prefix(reference->length);
    if (reference->number) {
      if (*reference->number < groups.size()) out += groups[*reference->number].value_or("");
      continue;
    }
    // Of groups that share a name, the first that took part.
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (names_[i] != reference->name || !groups[i + 1]) continue;
      out += *groups[i + 1];
      break;
    }
  }
}

Result<std::string> Pattern::replace_all(std::string_view text,
                                         std::string_view replacement) const {
  const SearchedText searched(text);
  text = searched.original();
  std::string out;
  std::size_t copied = 0;  // end of the match before
  std::size_t from = 0;
  Groups groups;
  while (from <= text.size() && search(searched, from, groups)) {
    const auto begin = static_cast<std::size_t>(groups[0]->data() - text.data());
    const std::size_t end = begin + groups[0]->size();
    out += text.substr(copied, begin - copied);
    // An empty match right after another one does not count.
    if (end > copied || begin == 0) expand(out, replacement, groups);
    if (out.size() > value::kMaxTextSize) return Error{value::text_too_long()};
    copied = end;
    const std::size_t step = from < text.size() ? base::decode_utf8(text.substr(from)).length : 1;
    from = std::max(from + step, end);
  }
  out += text.substr(copied);
  return out;
}

Result<std::shared_ptr<const Pattern>> PatternCache::compile(std::string_view pattern) {
  {
    const std::lock_guard lock(mutex_);
    const auto found = patterns_.find(std::string(pattern));
    if (found != patterns_.end()) return found->second;
  }
  auto compiled = Pattern::compile(pattern);
  if (compiled) {
    const std::lock_guard lock(mutex_);
    // Generated patterns gain nothing here; start over.
    if (patterns_.size() >= kMaxCached) patterns_.clear();
    patterns_.insert_or_assign(std::string(pattern), *compiled);
  }
  return compiled;
}

}  // namespace tofu::functions
