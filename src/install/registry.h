// Module registries: which versions of a module there are, and where they come from.
//
// Speaks the module registry protocol over HTTP, with service discovery. Answers
// are kept, so each request is sent once, however many calls need its answer.
// Safe to use from several threads.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "addrs/module_source.h"
#include "addrs/version.h"
#include "base/hostname.h"
#include "base/result.h"
#include "net/credentials.h"
#include "net/web.h"

namespace tofu::install {

// The location of one version of a module.
struct ModuleLocation {
  // With the subdirectory that the registry names (not that of the call). Never a
  // local path.
  addrs::RemoteSource source;
  // The registry serves the package itself: `source` is an http(s) address of an archive whose
  // format follows from its first bytes, independent of its name.
  bool direct = false;
  // The registry's own token is to be sent with the request for a direct package.
  bool with_token = false;
};

class Registry {
 public:
  // Both outlive the registry. `program_version` is sent to registries, as they expect.
  Registry(net::Web& web, const net::Credentials& credentials, std::string program_version = {});
  ~Registry();
  Registry(const Registry&) = delete;
  Registry& operator=(const Registry&) = delete;

  // All versions that the registry offers, newest first.
  base::Result<std::vector<addrs::Version>> versions(const addrs::RegistrySource& module);

  // The package of one version.
  base::Result<ModuleLocation> location(const addrs::RegistrySource& module,
                                        const addrs::Version& version);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tofu::install
