// Functions shared by the provisioners.
//
// Each kind has a file of its own, and this is all they share. For the provisioner*.cc files, and
// for what reports their failures.
#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "provisioners/provisioner.h"
#include "value/value.h"

namespace tofu::provisioners {

base::Result<void> run_local_exec(const ProvisionerRun& run);
base::Result<void> run_remote_exec(const ProvisionerRun& run);
base::Result<void> run_file(const ProvisionerRun& run);

// An argument of a block. Empty if it is null.
std::string text_argument(const value::Value& block, std::string_view name);
// The elements that are not null.
std::vector<std::string> list_argument(const value::Value& block, std::string_view name);
bool is_set(const value::Value& block, std::string_view name);

// Makes lines of what a program prints. A line that is not ended yet is given out when
// the program pauses, as prompts and progress bars are.
class Lines {
 public:
  explicit Lines(const std::function<void(std::string_view)>& out) : out_(out) {}
  void add(std::string_view text);
  void flush();

 private:
  const std::function<void(std::string_view)>& out_;
  std::string begun_;
};

}  // namespace tofu::provisioners
