// The settings of a `cloud` block or a backend "remote": which service, which organization, and how
// the workspaces of a directory are those of the organization.
//
// Read from the settings of a block and from the environment. Nothing is connected here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backends/kinds.h"
#include "base/hostname.h"
#include "diag/diagnostic.h"
#include "net/environment.h"
#include "schema/schema.h"
#include "value/value.h"

namespace tofu::cloud {

enum class Flavor : std::uint8_t { Cloud, Remote };

// How workspaces are found.
enum class Mapping : std::uint8_t {
  Name,    // there is one, of that name
  Prefix,  // all whose names begin so
  Tags,    // all that have these
};

struct CloudSettings {
  Flavor flavor = Flavor::Cloud;
  base::Hostname host = {};
  std::string organization = {};
  std::string token = {};  // empty: the one of the CLI configuration
  Mapping mapping = Mapping::Name;
  std::string name = {};  // or the prefix
  std::vector<std::string> tags = {};
  std::string project = {};    // of new workspaces; empty: the usual one
  std::string workspace = {};  // TF_WORKSPACE
  bool must_run_here = false;  // TF_FORCE_LOCAL_BACKEND
  std::string run = {};        // TFE_RUN_ID: that this program is a part of
  std::string_view kind() const { return flavor == Flavor::Cloud ? "cloud" : "remote"; }

  // A workspace of this directory as it is called in the organization.
  std::string remote_name(const std::string& workspace_here) const;
  // The reverse; nothing if it is none of this directory.
  std::optional<std::string> local_name(const std::string& remote) const;
  // Whether the one workspace is called "default" here.
  bool is_single_default() const { return flavor == Flavor::Remote && mapping == Mapping::Name; }
};

const schema::Block& cloud_schema();
const schema::Block& remote_schema();

diag::Checked<CloudSettings> read_cloud_settings(const value::Value& values,
                                                 const net::EnvironmentVariable& environment,
                                                 diag::Diagnostics& diags);
diag::Checked<CloudSettings> read_remote_settings(const value::Value& values,
                                                  const net::EnvironmentVariable& environment,
                                                  diag::Diagnostics& diags);

}  // namespace tofu::cloud
