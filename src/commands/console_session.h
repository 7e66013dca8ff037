// One console: expressions in, text out.
//
// Knows nothing of terminals or pipes; the reader of the lines calls handle() for
// each finished expression.
#pragma once

#include <optional>
#include <string>

#include "diag/diagnostic.h"
#include "diag/source.h"
#include "engine/inspection.h"
#include "eval/deprecation_warnings.h"

namespace tofu::commands {

class ConsoleSession {
 public:
  // Without `warnings`, nothing is deprecated. All outlive the session.
  ConsoleSession(const engine::Inspection& inspection, diag::SourceMap& sources,
                 const eval::DeprecationWarnings* warnings = nullptr)
      : inspection_(inspection), sources_(sources), warnings_(warnings) {}

  struct Answer {
    std::string text;
    bool exit = false;
  };
  diag::Checked<Answer> handle(const std::string& expression, diag::Diagnostics& diags);

 private:
  std::optional<std::string> evaluate(const std::string& expression, diag::Diagnostics& diags);

  const engine::Inspection& inspection_;
  diag::SourceMap& sources_;
  const eval::DeprecationWarnings* warnings_;
};

}  // namespace tofu::commands
