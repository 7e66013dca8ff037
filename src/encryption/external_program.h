// Programs that provide keys or encrypt, by the protocol of OpenTofu.
//
// The program writes a line of JSON with a magic word and the version 1, reads a JSON document from
// its standard input and answers with another. The data here may contain keys: it is in no message,
// and wiped afterwards.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tofu::encryption {

struct ExternalProgram {
  std::vector<std::string> command;  // the program first
  std::string_view magic;
  std::uint64_t output_limit;
  std::stop_token stop = {};
};

// The document it answers with; the caller wipes it. Errors end with what the program wrote
// to standard error.
base::Result<std::string> run_external(const ExternalProgram& program, std::string input);

}  // namespace tofu::encryption
