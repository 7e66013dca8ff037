// The files that the ssh program reads for one connection: its configuration, keys, and
// the script that answers when it asks for a password. All are in memory.
//
// For the provisioner*.cc files only.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "process/memory_file.h"
#include "provisioners/provisioner_connection.h"

namespace tofu::provisioners {

class SshFiles {
 public:
  // `control_path` is where the processes of the connection meet.
  static base::Result<SshFiles> make(const SshSettings& settings, std::string_view control_path);

  // An error if one of the private keys is none, or needs a passphrase: trying it again
  // and again would not help.
  base::Result<void> check_keys() const;
  const std::string& config() const { return target_.config; }  // the path
  // Environment variables that ssh needs to find the rest.
  std::vector<std::pair<std::string, std::string>> environment() const;

 private:
  // The paths of what one machine needs.
  struct Paths {
    std::string config;
    std::string askpass;  // empty: there is no password
  };

  SshFiles() = default;
  base::Result<std::string> keep(std::string_view text);
  base::Result<Paths> add(const SshHost& host, const SshSettings& settings, std::string more);

  std::vector<process::MemoryFile> files_;
  std::vector<std::string> keys_;  // their paths
  Paths target_;
  std::string forward_to_;  // where a bastion connects to; empty: there is none
};

}  // namespace tofu::provisioners
