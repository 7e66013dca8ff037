// Gathering lines into one expression.
//
// An expression goes on while a bracket is open or a line ends with a backslash.
// Brackets are counted line by line, as OpenTofu does it, so a bracket inside a
// string that spans lines counts too.
#pragma once

#include <string>
#include <string_view>

namespace tofu::commands {

class ConsoleInput {
 public:
  // Takes one more line. Returns how many things are still open: while it is
  // positive, more lines are wanted; otherwise take() has the expression.
  int add_line(std::string_view line);

  // The lines gathered, joined; starts again.
  std::string take();

 private:
  int open() const;

  std::string text_;
  bool has_text_ = false;
  bool continued_ = false;  // the last line ended with a backslash
  int braces_ = 0;
  int brackets_ = 0;
  int parens_ = 0;
};

}  // namespace tofu::commands
