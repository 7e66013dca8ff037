#include "install/provider_versions.h"

#include <algorithm>
#include <fmt/format.h>

namespace tofu::install {

namespace {

using addrs::Constraint;
using addrs::ConstraintOp;
using addrs::Version;

// `~> 1.2` goes up to 2.0.0, `~> 1.2.3` up to 1.3.0.
bool is_below_pessimistic_bound(const Version& candidate, const Version& bound) {
  return bound.written() < 3 ? candidate < Version(bound.major() + 1, 0, 0)
                             : candidate < Version(bound.major(), bound.minor() + 1, 0);
}

bool allows_by_precedence(const Constraint& constraint, const Version& candidate) {
  const Version& bound = constraint.version;
  switch (constraint.op) {
    case ConstraintOp::Equal: return candidate == bound;
    case ConstraintOp::NotEqual: return candidate != bound;
    case ConstraintOp::Greater: return candidate > bound;
    case ConstraintOp::GreaterEqual: return candidate >= bound;
    case ConstraintOp::Less: return candidate < bound;
    case ConstraintOp::LessEqual: return candidate <= bound;
    case ConstraintOp::Pessimistic:
      return candidate >= bound && is_below_pessimistic_bound(candidate, bound);
  }
  return false;
}

bool names(const Constraint& constraint, const Version& version) {
  return constraint.op == ConstraintOp::Equal && constraint.version == version;
}

}  // namespace

base::Result<Version> parse_provider_version(std::string_view text) {
  auto version = Version::parse(text);
  if (!version) return version;
  // Only the normal form names one directory or one address.
  if (!version->is_strict() || version->to_string() != text) {
    return base::Error{fmt::format("{:?} is not a version such as \"1.2.3\"", text)};
  }
  return version;
}

bool allows_provider(std::span<const Constraint> constraints, const Version& version) {
  const bool all = std::ranges::all_of(constraints, [&](const Constraint& constraint) {
    return allows_by_precedence(constraint, version);
  });
  if (!all || version.prerelease().empty()) return all;
  return std::ranges::any_of(constraints,
                             [&](const Constraint& each) { return names(each, version); });
}

std::optional<Version> newest_allowed(std::span<const Version> offered,
                                      std::span<const Constraint> constraints) {
  static const Version kUnpublished(0, 0, 0);
  std::optional<Version> newest;
  for (const Version& version : offered) {
    if (version == kUnpublished || !allows_provider(constraints, version)) continue;
    if (!newest || *newest < version) newest = version;
  }
  return newest;
}

}  // namespace tofu::install
