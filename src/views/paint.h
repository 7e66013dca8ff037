// Colors of text for people, or none.
//
// Every piece that is painted ends with a reset, so pieces can be put together
// in any order.
#pragma once

#include <string>
#include <string_view>

namespace tofu::views {

class Paint {
 public:
  explicit Paint(bool on) : on_(on) {}

  std::string bold(std::string_view text) const { return with("\x1b[1m", text); }
  std::string red(std::string_view text) const { return with("\x1b[31m", text); }
  std::string green(std::string_view text) const { return with("\x1b[32m", text); }
  std::string yellow(std::string_view text) const { return with("\x1b[33m", text); }
  std::string cyan(std::string_view text) const { return with("\x1b[36m", text); }
  std::string gray(std::string_view text) const { return with("\x1b[90m", text); }
  std::string bold_red(std::string_view text) const { return with("\x1b[1m\x1b[31m", text); }
  std::string bold_green(std::string_view text) const { return with("\x1b[1m\x1b[32m", text); }
  std::string bold_cyan(std::string_view text) const { return with("\x1b[1m\x1b[36m", text); }

  // The same at the end of a text.
  void append_bold(std::string& out, std::string_view text) const { append(out, "\x1b[1m", text); }
  void append_red(std::string& out, std::string_view text) const { append(out, "\x1b[31m", text); }
  void append_green(std::string& out, std::string_view text) const {
    append(out, "\x1b[32m", text);
  }
  void append_yellow(std::string& out, std::string_view text) const {
    append(out, "\x1b[33m", text);
  }
  void append_cyan(std::string& out, std::string_view text) const { append(out, "\x1b[36m", text); }

  bool on() const { return on_; }

 private:
  void append(std::string& out, std::string_view code, std::string_view text) const {
    if (on_) out += code;
    out += text;
    if (on_) out += "\x1b[0m";
  }
  std::string with(std::string_view code, std::string_view text) const {
    std::string out;
    append(out, code, text);
    return out;
  }

  bool on_;
};

}  // namespace tofu::views
