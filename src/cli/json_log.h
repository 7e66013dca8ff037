// What a command says as a stream of JSON messages: -json and -json-into.
//
// One object per line, with the fields and order of OpenTofu's machine-readable
// stream. A file for it is its owner's alone, since values go into it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/json_writer.h"
#include "cli/environment.h"
#include "cli/output.h"
#include "diag/diagnostic.h"
#include "diag/source.h"

namespace tofu::cli {

// The time as RFC 3339 has it, with microseconds.
std::string timestamp(const Environment& environment);

// A new file (or an emptied one) that only its owner can read.
class PrivateFile {
 public:
  static diag::Checked<std::unique_ptr<PrivateFile>> open(const std::string& path,
                                                          diag::Diagnostics& diags);
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
  // Begins with a message that tells the version. Both outlive the log.
  JsonLog(Output& out, const Environment& environment, const diag::SourceMap& sources);

  void info(std::string_view message);
  void warning(std::string_view message);
  void error(std::string_view message);
  // A message of a type of its own: `more` writes "type" and what else it has.
  void typed(std::string_view message, const std::function<void(base::JsonWriter&)>& more);
  void diagnostics(const diag::Diagnostics& diags);

 private:
  template <class More>
  void message(std::string_view level, std::string_view text, More&& more);

  Output& out_;
  const Environment& environment_;
  const diag::SourceMap& sources_;
};

}  // namespace tofu::cli
