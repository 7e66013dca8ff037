// What the CLI configuration and the environment say of hosts: tokens, services,
// and logins for OCI registries.
//
// Blocks come in one by one, in the order of the files, and what `install` needs to
// know goes out. Errors are reported without a snippet, because the line may have a
// secret in it. No program is run and no secret is asked for here.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "base/hostname.h"
#include "cli/environment.h"
#include "cli/hcl1.h"
#include "diag/diagnostic.h"
#include "diag/source.h"
#include "net/credentials.h"

namespace tofu::cli {

class CredentialReader {
 public:
  CredentialReader(const Environment& environment, diag::SourceMap& sources,
                   diag::Diagnostics& diags);

  // Of two blocks for one host the later counts.
  void read_credentials(const Hcl1Item& item);
  void read_host(const Hcl1Item& item);
  void read_helper(const Hcl1Item& item);
  void read_oci(const Hcl1Item& item);
  // `file` is where the block stands: relative paths begin at its directory.
  void read_oci_defaults(const Hcl1Item& item, const std::string& file);

  // Everything, with the tokens of the environment, which win over all others.
  net::CredentialSources finish();

 private:
  struct Block;
  template <class Each>
  void each_host(const Hcl1Item& item, const Each& each);
  void read_oci_block(const Block& block);
  void refuse(std::string_view detail, diag::SourceRange place);

  const Environment& environment_;
  diag::SourceMap& sources_;
  diag::Diagnostics& diags_;
  net::CredentialSources found_;
  std::set<std::string, std::less<>> oci_places_;
  std::string oci_helper_;  // for all registries
  bool use_docker_files_ = true;
};

}  // namespace tofu::cli
