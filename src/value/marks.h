// Marks: metadata of a value.
//
// A Marks is a set: sensitive, ephemeral, and the deprecated sources a value
// came from, each with its data. Sets are interned in a process-wide,
// append-only table, so a Marks is one pointer and most are null.
//
// Promise: deprecation marks never make a value sensitive.
#pragma once

#include <span>
#include <string>

namespace tofu::value {

// The source of a deprecated value; part of a mark.
struct Deprecation {
  std::string source;   // module.net.old_output
  std::string message;  // the author's words
  bool from_remote_module = false;
  auto operator<=>(const Deprecation&) const = default;
};

struct MarksNode;

class Marks {
 public:
  Marks() = default;
  static Marks sensitive();
  static Marks ephemeral();
  static Marks deprecated(Deprecation source);

  bool empty() const { return node_ == nullptr; }
  bool is_sensitive() const;
  bool is_ephemeral() const;
  std::span<const Deprecation> deprecations() const;

  Marks with(Marks other) const;  // union
  Marks without_sensitive() const;
  Marks without_ephemeral() const;
  Marks without_deprecations() const;

  bool operator==(const Marks&) const = default;

 private:
  friend struct MarksTable;
  const MarksNode* node_ = nullptr;
};

}  // namespace tofu::value
