// A file of JSON messages beside the human-readable output: -json-into.
//
// One object per line, with the fields and order of OpenTofu's machine-readable
// stream. The file is made (or emptied) with mode 0600, since values go into it.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "commands/command.h"
#include "diag/diagnostic.h"

namespace tofu::commands {

class JsonLog {
 public:
  // Null if and only if an error was added.
  static std::unique_ptr<JsonLog> open(const std::string& path, World& world,
                                       diag::Diagnostics& diags);
  // Takes over `file`, an open descriptor; open() is the usual way.
  JsonLog(int file, World& world);
  ~JsonLog();
  JsonLog(const JsonLog&) = delete;
  JsonLog& operator=(const JsonLog&) = delete;

  void info(std::string_view message);
  void diagnostics(const diag::Diagnostics& diags);

 private:
  void version();
  template <class More>
  void message(std::string_view level, std::string_view text, More&& more);

  int file_;
  Output out_;
  World& world_;
};

}  // namespace tofu::commands
