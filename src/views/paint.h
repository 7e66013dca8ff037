// Colours of text for people, or none.
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

  bool on() const { return on_; }

 private:
  std::string with(std::string_view code, std::string_view text) const {
    if (!on_) return std::string(text);
    return std::string(code).append(text).append("\x1b[0m");
  }

  bool on_;
};

}  // namespace tofu::views
