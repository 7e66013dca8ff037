// Standard input, as commands read it: as a whole, or a line at a time while a person
// types.
//
// Waiting for a person ends when the program is asked to stop.
#pragma once

#include <optional>
#include <stop_token>
#include <string>

#include "base/result.h"

namespace tofu::cli {

class Input {
 public:
  explicit Input(int descriptor) : descriptor_(descriptor) {}
  // For tests: `text` stands for typed input.
  explicit Input(std::string text) : text_(std::move(text)) {}
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;

  // Everything that was not read yet.
  base::Result<std::string> read_all();
  // The next line, without the line feed. Nothing at the end, and after a stop.
  base::Result<std::optional<std::string>> read_line(const std::stop_token& stop);

  // Of the terminal that a person types at, if it is one; negative if there is none.
  int descriptor() const { return descriptor_; }

 private:
  // False at the end of input and after a stop.
  base::Result<bool> read_more(const std::stop_token& stop);

  int descriptor_ = -1;  // none: there is only `text_`
  std::string text_;     // read, and not handed out yet
};

}  // namespace tofu::cli
