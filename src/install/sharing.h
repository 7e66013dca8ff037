// Which calls may share the files of a module: what packages and their callers say.
//
// A package's own file decides for the modules in it. A package without one is what
// the package that calls it says of its dependencies, and what that one's caller
// says, and so on up to the root. Plain functions: nothing here touches the disk.
#pragma once

#include <string>
#include <string_view>

#include "config/package_metadata.h"
#include "config/tree.h"
#include "diag/diagnostic.h"
#include "install/package_records.h"

namespace tofu::install {

// The name of the root module's package.
inline constexpr std::string_view kThisConfiguration = "this configuration";

// A declared mutability, and the module that declares it.
struct Declaration {
  Mutability stance = Mutability::NotSaid;
  std::string by = {};
  // The file that may say otherwise of single packages, and the package that it is of. Lives as
  // long as the installation.
  const config::PackageMetadata* speaker = nullptr;
  std::string speaker_of = {};
};

// The properties of one module.
struct EffectivePolicy {
  Declaration self;
  Declaration dependencies;  // what packages without a file of their own are taken for below it
  // The package's file names this module as one that changes its files.
  bool declared_self_modifying = false;
  config::Instances instances = config::Instances::Many;
};

// Of the module at `path` (clean, "." for the top) of a package, which people know
// as `package`. `metadata` is null if the package has no file.
EffectivePolicy effective_policy(const config::PackageMetadata* metadata, std::string_view path,
                                 std::string_view package, const Declaration& inherited);

// What the callers of a package say of it: `parent` is the module with the call, `label` the
// package.
Declaration inherited_by(const EffectivePolicy& parent, std::string_view label);

// Whether a module may be called as often as it is: nothing against it, or an error was
// added, or a warning, since a module that changes its files has one directory,
// `directory`, for all instances of its call. `repeats` is the outermost call on the way
// to it that has count or for_each; empty if there is none.
bool check_instances(const config::ModuleRequest& request, const EffectivePolicy& policy,
                     Placement placement, const std::string& repeats, const std::string& directory,
                     diag::Diagnostics& diags);

// How the files of a call are placed. `is_local`: the source is a path in the package of the module
// that calls.
Placement placement_of(const EffectivePolicy& policy, bool is_local);

}  // namespace tofu::install
