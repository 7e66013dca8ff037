// Reads the members of compact JSON into plain fields, with the leniency of Go's
// decoder.
//
// Names match in any case, a null leaves a field as it was, and unknown members are skipped. A
// value of a wrong kind is recorded as an error; the first one counts.
//
// Input: text from append_compact_json, which is well-formed.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "value/json_scanner.h"

namespace tofu::state {

// Whether a member called `name` is meant by the field `field`.
bool is_field(std::string_view name, std::string_view field);

// Members that this version does not know, kept as the text of members without braces. So
// what a newer version wrote survives reading and writing. Of members of one name the last
// one counts.
class UnknownMembers {
 public:
  // `json` stays valid as long as this object.
  void keep(std::string_view name, std::string_view json) {
    members_.insert_or_assign(std::string(name), json);
  }
  // In the order of the names, so that it is the same after it was written and read.
  std::string text() const;

 private:
  std::map<std::string, std::string_view, std::less<>> members_;
};

class JsonFields {
 public:
  explicit JsonFields(std::string_view text) : text_(text), scanner_(text) {}

  const std::string& fault() const { return fault_; }
  void fail(std::string_view field, std::string_view wanted);

  std::string_view text() const { return text_; }
  std::size_t offset() const { return scanner_.offset(); }
  void seek(std::size_t offset) { scanner_.seek(offset); }
  char peek() { return static_cast<char>(scanner_.peek()); }

  // Calls `on(name)` for each member of the object that comes next; it reads the
  // value. A null has no members.
  template <class On>
  void members(std::string_view field, On&& on) {
    if (!enter(field, '{', "an object")) return;
    for (bool first = true; scanner_.more('}', first).value_or(false); first = false) {
      const auto name = scanner_.member_name();
      if (!name) return;
      on(*name);
    }
  }
  // The same for an array, without names.
  template <class On>
  void items(std::string_view field, On&& on) {
    if (!enter(field, '[', "a list")) return;
    for (bool first = true; scanner_.more(']', first).value_or(false); first = false) on();
  }

  void text(std::string_view field, std::string& into);
  void number(std::string_view field, std::uint64_t& into);
  void boolean(std::string_view field, bool& into);
  std::string_view raw();  // any value, as it is
  void skip() { raw(); }

 private:
  bool enter(std::string_view field, char bracket, std::string_view wanted);
  bool is_null();

  std::string_view text_;
  value::JsonScanner scanner_;
  std::string fault_;
};

}  // namespace tofu::state
