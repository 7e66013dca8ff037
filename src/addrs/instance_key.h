// The keys that distinguish the instances of one resource or module.
//
// A key is nothing (a single instance), a whole number (count) or a string
// (for_each). Keys are owned, ordered as OpenTofu orders them: none, numbers,
// strings by their bytes.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "base/result.h"
#include "value/value.h"

namespace tofu::addrs {

class InstanceKey {
 public:
  InstanceKey() = default;  // no key
  explicit InstanceKey(std::int64_t number) : content_(number) {}
  explicit InstanceKey(std::string text) : content_(std::move(text)) {}

  bool is_none() const { return content_.index() == 0; }
  const std::int64_t* number() const { return std::get_if<std::int64_t>(&content_); }
  const std::string* text() const { return std::get_if<std::string>(&content_); }

  // The value of each.key or count.index; a missing key has no value.
  value::Value value() const;
  std::string to_string() const;  // "", [0], ["eu"]

  auto operator<=>(const InstanceKey&) const = default;

 private:
  std::variant<std::monostate, std::int64_t, std::string> content_;
};

// A known, unmarked string or whole number as a key.
base::Result<InstanceKey> parse_instance_key(const value::Value& key);

// The text as a quoted string of the language, escapes and template markers
// included, so that it can be read back.
std::string quote(std::string_view text);

}  // namespace tofu::addrs
