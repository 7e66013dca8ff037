#include "addrs/constraints_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <tuple>
#include <vector>

#include "base/check.h"

namespace tofu::addrs {

namespace {

// `~> 1.2` (and `~> 1`) lets the second number grow, `~> 1.2.3` only the third.
bool grows_minor(const Constraint& constraint) {
  return constraint.op == ConstraintOp::Pessimistic && constraint.version.written() < 3;
}

struct Operator {
  int rank;  // among constraints of one version
  std::string_view text;
};

Operator operator_of(const Constraint& constraint) {
  switch (constraint.op) {
    case ConstraintOp::Greater: return {1, "> "};
    case ConstraintOp::GreaterEqual: return {2, ">= "};
    case ConstraintOp::Equal: return {3, ""};
    case ConstraintOp::Pessimistic: return {grows_minor(constraint) ? 5 : 4, "~> "};
    case ConstraintOp::LessEqual: return {6, "<= "};
    case ConstraintOp::Less: return {7, "< "};
    case ConstraintOp::NotEqual: return {8, "!= "};
  }
  base::broken_promise("constraint operator out of range");
}

bool stands_before(const Constraint& a, const Constraint& b) {
  if (const auto order = a.version <=> b.version; order != 0) return order < 0;
  return std::tuple(a.version.metadata(), operator_of(a).rank) <
         std::tuple(b.version.metadata(), operator_of(b).rank);
}

std::string text_of(const Constraint& constraint) {
  const Version& version = constraint.version;
  std::string text(operator_of(constraint).text);
  text += grows_minor(constraint)
              ? fmt::format("{}.{}", version.major(), version.minor())
              : fmt::format("{}.{}.{}", version.major(), version.minor(), version.patch());
  if (!version.prerelease().empty()) text += "-" + version.prerelease();
  if (!version.metadata().empty()) text += "+" + version.metadata();
  return text;
}

}  // namespace

std::string constraints_text(std::span<const Constraint> constraints) {
  std::vector<Constraint> sorted(constraints.begin(), constraints.end());
  std::ranges::sort(sorted, stands_before);
  std::vector<std::string> texts;
  for (const Constraint& constraint : sorted) {
    std::string text = text_of(constraint);
    if (texts.empty() || texts.back() != text) texts.push_back(std::move(text));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

}  // namespace tofu::addrs
