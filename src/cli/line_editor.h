// Reading lines from a person at a terminal: editing, history, completion.
//
// A thin wrapper around libedit, which knows terminals. History is kept for the
// session only, because expressions may hold secrets.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tofu::cli {

class LineEditor {
 public:
  // What may stand where `word`, the identifier before the cursor, stands now.
  using Complete = std::function<std::vector<std::string>(std::string_view word)>;

  explicit LineEditor(Complete complete);
  LineEditor(const LineEditor&) = delete;
  LineEditor& operator=(const LineEditor&) = delete;
  ~LineEditor();

  struct Line {
    std::string text;
    bool interrupted = false;  // by Control-C
  };
  // Nothing at the end of input (Control-D).
  std::optional<Line> read(std::string_view prompt);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tofu::cli
