// A file of JSON messages beside the human-readable output: -json-into.
//
// One object per line, with the fields and order of OpenTofu's machine-readable
// stream. The file is the owner's alone, since values go into it.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "commands/command.h"
#include "diag/diagnostic.h"

namespace tofu::commands {

// A new file (or an emptied one) that only its owner can read.
class PrivateFile {
 public:
  // Null if and only if an error was added.
  static std::unique_ptr<PrivateFile> open(const std::string& path, diag::Diagnostics& diags);
  // Takes over `file`, an open descriptor; open() is the usual way.
  explicit PrivateFile(int file) : file_(file), out_(file) {}
  ~PrivateFile();
  PrivateFile(const PrivateFile&) = delete;
  PrivateFile& operator=(const PrivateFile&) = delete;

  Output& out() { return out_; }

 private:
  int file_;
  Output out_;
};

class JsonLog {
 public:
  // Null if and only if an error was added.
  static std::unique_ptr<JsonLog> open(const std::string& path, World& world,
                                       diag::Diagnostics& diags);
  // open() is the usual way.
  JsonLog(std::unique_ptr<PrivateFile> file, World& world);

  void info(std::string_view message);
  void diagnostics(const diag::Diagnostics& diags);

 private:
  void version();
  template <class More>
  void message(std::string_view level, std::string_view text, More&& more);

  std::unique_ptr<PrivateFile> file_;
  World& world_;
};

}  // namespace tofu::commands
