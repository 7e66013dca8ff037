#include "addrs/version.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <utility>

#include "base/ascii.h"

namespace tofu::addrs {

namespace {

constexpr std::size_t kUsualNumbers = 3;

bool is_identifier_byte(char c) { return base::is_ascii_alphanumeric(c) || c == '-' || c == '~'; }

// Dot-separated identifiers, as in a pre-release or metadata.
bool are_identifiers(std::string_view text) {
  while (true) {
    const std::size_t dot = std::min(text.find('.'), text.size());
    if (dot == 0 || !std::ranges::all_of(text.substr(0, dot), is_identifier_byte)) return false;
    if (dot == text.size()) return true;
    text.remove_prefix(dot + 1);
  }
}

// Takes `1.2.3` off the start of `text`. False if a number is missing or huge.
bool take_numbers(std::string_view& text, std::vector<std::uint64_t>& numbers) {
  while (true) {
    std::uint64_t number = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (failed != std::errc() || end == text.data()) return false;
    numbers.push_back(number);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (text.size() < 2 || text[0] != '.' || !base::is_ascii_digit(text[1])) return true;
    text.remove_prefix(1);
  }
}

bool is_number(std::string_view text) { return std::ranges::all_of(text, base::is_ascii_digit); }

std::strong_ordering compare_numerals(std::string_view a, std::string_view b) {
  a.remove_prefix(std::min(a.find_first_not_of('0'), a.size()));
  b.remove_prefix(std::min(b.find_first_not_of('0'), b.size()));
  if (a.size() != b.size()) return a.size() <=> b.size();
  return a <=> b;
}

// A number comes before a word, and an absent part before either.
std::strong_ordering compare_parts(std::string_view a, std::string_view b) {
  if (a == b) return std::strong_ordering::equal;
  if (a.empty()) return std::strong_ordering::less;
  if (b.empty()) return std::strong_ordering::greater;
  if (is_number(a) && is_number(b)) return compare_numerals(a, b);
  if (is_number(a)) return std::strong_ordering::less;
  if (is_number(b)) return std::strong_ordering::greater;
  return a <=> b;
}

std::string_view take_part(std::string_view& text) {
  const std::size_t dot = std::min(text.find('.'), text.size());
  const std::string_view part = text.substr(0, dot);
  text.remove_prefix(std::min(dot + 1, text.size()));
  return part;
}

std::strong_ordering compare_prereleases(std::string_view a, std::string_view b) {
  if (a == b) return std::strong_ordering::equal;
  // A release comes after all its pre-releases.
  if (a.empty()) return std::strong_ordering::greater;
  if (b.empty()) return std::strong_ordering::less;
  while (!a.empty() || !b.empty()) {
    const auto order = compare_parts(take_part(a), take_part(b));
    if (order != 0) return order;
  }
  return std::strong_ordering::equal;
}

struct Spelling {
  std::string_view text;
  ConstraintOp op;
};
// Longer ones first, so that `>=` is not read as `>`.
constexpr Spelling kSpellings[] = {
    {"!=", ConstraintOp::NotEqual},  {">=", ConstraintOp::GreaterEqual},
    {"<=", ConstraintOp::LessEqual}, {"~>", ConstraintOp::Pessimistic},
    {"=", ConstraintOp::Equal},      {">", ConstraintOp::Greater},
    {"<", ConstraintOp::Less},
};

base::Result<Constraint> parse_constraint(std::string_view text) {
  std::string_view rest = base::trimmed(text);
  ConstraintOp op = ConstraintOp::Equal;
  for (const Spelling& spelling : kSpellings) {
    if (!rest.starts_with(spelling.text)) continue;
    op = spelling.op;
    rest = base::trimmed(rest.substr(spelling.text.size()));
    break;
  }
  auto version = Version::parse(rest);
  if (!version)
    return base::Error{fmt::format("{:?} is not a version constraint", base::trimmed(text))};
  return Constraint{op, std::move(*version)};
}

// Whether pre-releases keep `candidate` from being considered at all.
bool prerelease_fits(const Version& candidate, const Version& limit) {
  if (candidate.prerelease().empty()) return true;
  if (limit.prerelease().empty()) return false;
  return candidate.numbers() == limit.numbers();
}

bool allows_pessimistic(const Version& candidate, const Version& limit) {
  if (!prerelease_fits(candidate, limit)) return false;
  if (!limit.prerelease().empty() && candidate.prerelease().empty()) return false;
  if (candidate < limit) return false;
  const std::size_t fixed = limit.written() - 1;
  return std::equal(limit.numbers().begin(),
                    limit.numbers().begin() + static_cast<std::ptrdiff_t>(fixed),
                    candidate.numbers().begin());
}

}  // namespace

base::Result<Version> Version::parse(std::string_view text) {
  const base::Error bad{fmt::format("{:?} is not a version number", text)};
  Version version;
  std::string_view rest = text;
  if (rest.starts_with('v')) {
    version.strict_ = false;
    rest.remove_prefix(1);
  }
  if (!take_numbers(rest, version.numbers_)) return bad;
  version.written_ = version.numbers_.size();
  if (version.written_ > kUsualNumbers) version.strict_ = false;
  version.numbers_.resize(std::max(kUsualNumbers, version.numbers_.size()));

  const std::size_t plus = rest.find('+');
  if (plus != std::string_view::npos) {
    version.metadata_ = rest.substr(plus + 1);
    if (!are_identifiers(version.metadata_)) return bad;
    rest = rest.substr(0, plus);
  }
  if (!rest.empty()) {
    // The dash before a word may be left out: 1.0beta1.
    if (rest.starts_with('-')) {
      rest.remove_prefix(1);
    } else {
      version.strict_ = false;
    }
    version.prerelease_ = rest;
    if (!are_identifiers(version.prerelease_)) return bad;
  }
  return version;
}

Version Version::without_prerelease() const {
  Version core = *this;
  core.prerelease_.clear();
  core.metadata_.clear();
  return core;
}

std::string Version::to_string() const {
  std::string text = fmt::format("{}", fmt::join(numbers_, "."));
  if (!prerelease_.empty()) text += "-" + prerelease_;
  if (!metadata_.empty()) text += "+" + metadata_;
  return text;
}

std::strong_ordering operator<=>(const Version& a, const Version& b) {
  const std::size_t count = std::max(a.numbers_.size(), b.numbers_.size());
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t x = i < a.numbers_.size() ? a.numbers_[i] : 0;
    const std::uint64_t y = i < b.numbers_.size() ? b.numbers_[i] : 0;
    if (x != y) return x <=> y;
  }
  return compare_prereleases(a.prerelease_, b.prerelease_);
}

bool Constraint::allows(const Version& candidate) const {
  switch (op) {
    case ConstraintOp::Equal: return candidate == version;
    case ConstraintOp::NotEqual: return candidate != version;
    case ConstraintOp::Greater: return prerelease_fits(candidate, version) && candidate > version;
    case ConstraintOp::GreaterEqual:
      return prerelease_fits(candidate, version) && candidate >= version;
    case ConstraintOp::Less: return prerelease_fits(candidate, version) && candidate < version;
    case ConstraintOp::LessEqual:
      return prerelease_fits(candidate, version) && candidate <= version;
    case ConstraintOp::Pessimistic: return allows_pessimistic(candidate, version);
  }
  return false;
}

std::string Constraint::to_string() const {
  const auto spelling = std::ranges::find(kSpellings, op, &Spelling::op);
  // As written, since `~> 1.2` and `~> 1.2.0` are not the same.
  std::string text(spelling->text);
  text += ' ';
  for (std::size_t i = 0; i < version.written(); ++i) {
    if (i > 0) text += '.';
    text += std::to_string(version.numbers()[i]);
  }
  if (!version.prerelease().empty()) text += "-" + version.prerelease();
  if (!version.metadata().empty()) text += "+" + version.metadata();
  return text;
}

base::Result<Constraints> Constraints::parse(std::string_view text) {
  Constraints constraints;
  while (true) {
    const std::size_t comma = std::min(text.find(','), text.size());
    auto one = parse_constraint(text.substr(0, comma));
    if (!one) return std::move(one).error();
    constraints.all_.push_back(std::move(*one));
    if (comma == text.size()) return constraints;
    text.remove_prefix(comma + 1);
  }
}

void Constraints::add(const Constraints& others) {
  all_.insert(all_.end(), others.all_.begin(), others.all_.end());
}

bool Constraints::allows(const Version& candidate) const {
  return std::ranges::all_of(all_, [&](const Constraint& one) { return one.allows(candidate); });
}

std::string Constraints::to_string() const {
  std::string text;
  for (const Constraint& one : all_) {
    if (!text.empty()) text += ", ";
    text += one.to_string();
  }
  return text;
}

}  // namespace tofu::addrs
