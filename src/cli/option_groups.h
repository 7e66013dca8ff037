// Groups of flags that several commands take: a command includes a group by one line,
// as `flags.include(lock)`, and finds the values in its fields.
//
// A field holds what was written on the command line and nothing else; what the
// environment or the CLI configuration adds is settled by the caller.
#pragma once

#include <string>

#include "cli/environment.h"
#include "cli/flags.h"
#include "diag/diagnostic.h"

namespace tofu::cli {

// -json and -json-into: everything as a stream of messages for programs.
struct JsonOptions {
  bool json = false;
  std::string json_into = {};  // empty: not given

  void declare(FlagSet& flags);
  // Both together would say everything twice.
  diag::Checked<void> check(diag::Diagnostics& diags) const;
};

// -json and -json-into of commands that print one document: its text for people is
// printed all the same if the document goes to a file.
struct JsonDocumentOptions {
  bool json = false;
  std::string json_into = {};  // empty: not given

  void declare(FlagSet& flags);
  bool check(diag::Diagnostics& diags) const;
};

// -input: whether people may be asked for what is missing.
struct InputOptions {
  bool input = true;

  void declare(FlagSet& flags);
};
// False if messages are for a program, or if TF_INPUT forbids input.
bool may_ask(const InputOptions& input, const JsonOptions& json, const Environment& environment);

// Flags by themselves that several commands take.
void add_show_sensitive_flag(FlagSet& flags, bool& show);

// Reports options that exclude each other; `detail` names them. Returns false.
bool report_conflicting_options(std::string detail, diag::Diagnostics& diags);

}  // namespace tofu::cli
