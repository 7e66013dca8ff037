// Running a provisioner: a program here, or commands and files on another machine.
//
// Its output is passed on as it arrives; what an Error says never has any of it, nor anything of
// the configuration that may be secret.
#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/result.h"
#include "value/value.h"

namespace tofu::provisioners {

struct ProvisionerRun {
  std::string type;                              // local-exec, remote-exec, file
  value::Value config;                           // the evaluated block, known and without marks
  value::Value connection;                       // the evaluated connection; null: there is none
  std::function<void(std::string_view)> output;  // receives its output, line by line
  std::function<void(std::string_view)> notice;  // receives progress messages
  std::string home_directory = {};               // for a source that begins with "~"
  std::stop_token stop = {};
};

// Blocks until it has ended. An error is a clause about the failure.
base::Result<void> run_provisioner(const ProvisionerRun& run);

}  // namespace tofu::provisioners
