// Writes JSON text piece by piece, without building a tree first.
//
// For output with a fixed shape: diagnostics, versions, events. Values of the language have their
// own codec. The layout equals that of Go's json.Marshal, or json.MarshalIndent when an indentation
// is given.
//
// Promise: keys and ends that do not fit the open containers fail a check, so the output is always
// well-formed.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_text.h"

namespace tofu::base {

class JsonWriter {
 public:
  // Appends to `out`, which must outlive the writer. An empty `indent` writes
  // everything on one line.
  explicit JsonWriter(std::string& out, std::string_view indent = {}, bool escape_html = true)
      : out_(out), indent_(indent), escape_html_(escape_html) {}

  void begin_object() { open('{'); }
  void end_object() { close('}'); }
  void begin_array() { open('['); }
  void end_array() { close(']'); }

  void key(std::string_view name);

  void string(std::string_view text);
  void boolean(bool value) { plain(value ? "true" : "false"); }
  void null() { plain("null"); }
  void raw(std::string_view json);  // finished JSON text of one value, in our layout
  template <std::integral Integer>
  void number(Integer value) {
    plain(std::to_string(value));
  }

  void field(std::string_view name, std::string_view text) {
    key(name);
    string(text);
  }
  void field(std::string_view name, const char* text) { field(name, std::string_view(text)); }
  void field(std::string_view name, bool value) {
    key(name);
    boolean(value);
  }
  template <std::integral Integer>
  void field(std::string_view name, Integer value) {
    key(name);
    number(value);
  }

 private:
  struct Level {
    bool is_object;
    bool empty = true;
    bool after_key = false;
  };

  void open(char bracket);
  void close(char bracket);
  void plain(std::string_view json);
  void before_value();
  void next_item();
  void new_line();

  std::string& out_;
  std::string indent_;
  bool escape_html_;
  std::vector<Level> levels_;
};

}  // namespace tofu::base
