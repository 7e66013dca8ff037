#include "base/json_writer.h"

#include <algorithm>

#include "base/check.h"

namespace tofu::base {

void JsonWriter::key(std::string_view name) {
  TOFU_CHECK(!levels_.empty() && levels_.back().is_object && !levels_.back().after_key,
             "a key is written only where an object expects one");
  next_item();
  append_json_string(out_, name, escape_html_);
  out_ += indent_.empty() ? ":" : ": ";
  levels_.back().after_key = true;
}

void JsonWriter::string(std::string_view text) {
  before_value();
  append_json_string(out_, text, escape_html_);
}

void JsonWriter::plain(std::string_view json) {
  before_value();
  out_ += json;
}

void JsonWriter::raw(std::string_view json) {
  if (indent_.empty()) return plain(json);
  while (!json.empty()) {
    const char first = json.front();
    std::size_t length = 1;
    if (first == '"') {
      while (length < json.size() && json[length] != '"') length += json[length] == '\\' ? 2 : 1;
      ++length;  // the closing quote
    } else if (first == '{' || first == '[') {
      open(first);
    } else if (first == '}' || first == ']') {
      close(first);
    } else if (std::string_view(" \t\r\n,").find(first) == std::string_view::npos) {
      length = std::min(json.find_first_of(" \t\r\n,]}"), json.size());
    }
    const std::string_view token = json.substr(0, length);
    json.remove_prefix(std::min(length, json.size()));
    if (first == '"' && !levels_.empty() && levels_.back().is_object && !levels_.back().after_key) {
      next_item();
      out_ += token;
      out_ += ": ";
      levels_.back().after_key = true;
      json.remove_prefix(std::min(json.find(':'), json.size() - 1) + 1);
    } else if (std::string_view("{}[], \t\r\n").find(first) == std::string_view::npos) {
      plain(token);
    }
  }
}

void JsonWriter::open(char bracket) {
  before_value();
  out_ += bracket;
  levels_.push_back({.is_object = bracket == '{'});
}

void JsonWriter::close(char bracket) {
  TOFU_CHECK(
      !levels_.empty() && levels_.back().is_object == (bracket == '}') && !levels_.back().after_key,
      "a container is closed only when it is the innermost and complete");
  const bool empty = levels_.back().empty;
  levels_.pop_back();
  if (!empty) new_line();
  out_ += bracket;
}

void JsonWriter::before_value() {
  if (levels_.empty()) return;
  Level& level = levels_.back();
  TOFU_CHECK(!level.is_object || level.after_key, "a value in an object follows its key");
  if (!level.is_object) next_item();
  level.after_key = false;
}

void JsonWriter::next_item() {
  Level& level = levels_.back();
  if (!level.empty) out_ += ',';
  level.empty = false;
  new_line();
}

void JsonWriter::new_line() {
  if (indent_.empty()) return;
  out_ += '\n';
  for (std::size_t i = 0; i < levels_.size(); ++i) out_ += indent_;
}

}  // namespace tofu::base
