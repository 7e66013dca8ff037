// Version numbers and constraints on them: `>= 1.2, < 2.0`, `~> 1.4`.
//
// Used for the program's own version, for providers and for modules. Precedence
// is that of semantic versioning; a pre-release satisfies only a constraint that
// names a pre-release of the same core version.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tofu::addrs {

class Version {
 public:
  // "1.2.3", "v1.2", "1.0.0-beta1+build". Missing numbers are 0.
  static base::Result<Version> parse(std::string_view text);
  Version(std::uint64_t major, std::uint64_t minor, std::uint64_t patch)
      : numbers_{major, minor, patch}, written_(3) {}

  std::uint64_t major() const { return numbers_[0]; }
  std::uint64_t minor() const { return numbers_[1]; }
  std::uint64_t patch() const { return numbers_[2]; }
  const std::vector<std::uint64_t>& numbers() const { return numbers_; }  // at least three
  std::size_t written() const { return written_; }  // how many numbers the text had
  // Spelt strictly, as versions of providers have to be: no `v` in front, at most
  // three numbers, a dash before the pre-release.
  bool is_strict() const { return strict_; }
  const std::string& prerelease() const { return prerelease_; }  // without its dash
  const std::string& metadata() const { return metadata_; }      // without its plus

  Version without_prerelease() const;
  std::string to_string() const;

  // Precedence: the metadata does not count.
  friend std::strong_ordering operator<=>(const Version& a, const Version& b);
  friend bool operator==(const Version& a, const Version& b) { return (a <=> b) == 0; }

 private:
  Version() = default;
  std::vector<std::uint64_t> numbers_;
  std::size_t written_ = 0;
  bool strict_ = true;
  std::string prerelease_;
  std::string metadata_;
};

enum class ConstraintOp : std::uint8_t {
  Equal,
  NotEqual,
  Greater,
  GreaterEqual,
  Less,
  LessEqual,
  Pessimistic,  // ~>: only the last number written may grow
};

struct Constraint {
  ConstraintOp op;
  Version version;

  bool allows(const Version& candidate) const;
  std::string to_string() const;
};

// All of them have to hold. An empty list allows everything.
class Constraints {
 public:
  static base::Result<Constraints> parse(std::string_view text);

  bool allows(const Version& candidate) const;
  const std::vector<Constraint>& all() const { return all_; }
  bool empty() const { return all_.empty(); }
  void add(const Constraints& others);
  std::string to_string() const;

 private:
  std::vector<Constraint> all_;
};

}  // namespace tofu::addrs
