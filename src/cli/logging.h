// Where log lines go and which are wanted: TF_LOG, TF_LOG_CORE, TF_LOG_PROVIDER and
// TF_LOG_PATH.
//
// Each line is written by one call, so lines of threads and of several programs that
// share a file do not mix. A file is its owner's alone.
#pragma once

#include <string>
#include <string_view>

#include "base/descriptor.h"
#include "base/log.h"
#include "cli/environment.h"
#include "cli/output.h"

namespace tofu::cli {

class Logging final : public base::LogSink {
 public:
  // What is wrong with the settings is said on `err`. Both outlive this.
  Logging(const Environment& environment, Output& err);

  base::Log core() { return {*this, core_level_}; }
  base::Log provider() { return {*this, provider_level_}; }

  void write(base::LogLevel level, std::string_view text) override;

 private:
  void open_file(const std::string& path, Output& err);

  const Environment& environment_;
  base::LogLevel core_level_ = base::LogLevel::Off;
  base::LogLevel provider_level_ = base::LogLevel::Off;
  bool as_json_ = false;
  base::Descriptor file_;  // not open: standard error
};

// One line as it is written, with the line feed. `time` is as timestamp() writes it.
std::string log_line_text(std::string_view time, base::LogLevel level, std::string_view text);
std::string log_line_json(std::string_view time, base::LogLevel level, std::string_view text);

}  // namespace tofu::cli
