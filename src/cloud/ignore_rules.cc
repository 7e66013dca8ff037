#include "cloud/ignore_rules.h"

#include <fmt/format.h>
#include <re2/re2.h>
#include <utility>

#include "base/ascii.h"

namespace tofu::cloud {

namespace {

// In their order: the packages are what the modules lead to.
constexpr std::string_view kOurRules[] = {".terraform/", "!.terraform/modules/",
                                          "!.terraform/packages/", ".git/"};

// The regular expression that a pattern stands for.
std::string expression_of(std::string_view pattern) {
  std::string out = "^";
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    if (c == '*') {
      if (i + 1 == pattern.size() || pattern[i + 1] != '*') {
        out += "[^/]*";
        continue;
      }
      ++i;
      if (i + 1 < pattern.size() && pattern[i + 1] == '/') ++i;
      out += i + 1 == pattern.size() ? ".*" : "(.*/)?";
    } else if (c == '?') {
      out += "[^/]";
    } else if (c == '\\' && i + 1 < pattern.size()) {
      out += '\\';
      out += pattern[++i];
    } else if (c == '.' || c == '$' || c == '\\') {
      out += '\\';
      out += c;
    } else {
      out += c;
    }
  }
  return out + "$";
}

}  // namespace

struct IgnoreRules::Rule {
  std::unique_ptr<re2::RE2> expression;
  bool is_negated = false;
  bool is_followed_by_negation = false;
};

IgnoreRules::IgnoreRules() = default;
IgnoreRules::IgnoreRules(IgnoreRules&&) noexcept = default;
IgnoreRules& IgnoreRules::operator=(IgnoreRules&&) noexcept = default;
IgnoreRules::~IgnoreRules() = default;

base::Result<void> IgnoreRules::add(std::string_view written) {
  std::string pattern(written);
  Rule rule;
  if (pattern.starts_with('!')) {
    rule.is_negated = true;
    pattern.erase(0, 1);
    for (Rule& earlier : rules_) earlier.is_followed_by_negation = true;
  }
  if (pattern.empty()) return {};
  if (pattern.ends_with('/')) pattern += "**";
  if (pattern.starts_with('/')) {
    pattern.erase(0, 1);
  } else {
    pattern.insert(0, "**/");
  }
  re2::RE2::Options options(re2::RE2::Quiet);
  rule.expression = std::make_unique<re2::RE2>(expression_of(pattern), options);
  if (!rule.expression->ok()) {
    return base::Error{fmt::format("the pattern {:?} of .terraformignore cannot be read", written)};
  }
  rules_.push_back(std::move(rule));
  return {};
}

base::Result<IgnoreRules> IgnoreRules::read(std::string_view text) {
  IgnoreRules rules;
  for (const std::string_view rule : kOurRules) {
    if (auto added = rules.add(rule); !added) return added.error();
  }
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = base::trimmed(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    if (line.empty() || line.starts_with('#')) continue;
    if (auto added = rules.add(line); !added) return added.error();
  }
  return rules;
}

IgnoreRules::Verdict IgnoreRules::check(std::string_view path) const {
  Verdict verdict;
  for (const Rule& rule : rules_) {
    if (!re2::RE2::FullMatch(re2::StringPiece(path.data(), path.size()), *rule.expression)) {
      continue;
    }
    verdict.is_excluded = !rule.is_negated;
    verdict.is_final = verdict.is_excluded && !rule.is_followed_by_negation;
  }
  return verdict;
}

}  // namespace tofu::cloud
