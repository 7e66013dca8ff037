// Who may share the files of a module: what packages and their callers say.
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

// What the root module's package is called.
inline constexpr std::string_view kThisConfiguration = "this configuration";

// What somebody says, and who.
struct Said {
  Stance stance = Stance::NotSaid;
  std::string by = {};
};

// What is known of one module.
struct Standing {
  Said self;
  Said dependencies;  // what packages without a file of their own are taken for below it
  // The package's file names this module as one that changes its files.
  bool declared_self_modifying = false;
  config::Instances instances = config::Instances::Many;
};

// Of the module at `path` (clean, "." for the top) of a package, which people know
// as `package`. `metadata` is null if the package has no file.
Standing standing_of(const config::PackageMetadata* metadata, std::string_view path,
                     std::string_view package, const Said& inherited);

// Whether a module may be called as often as it is: nothing against it, or an error was
// added, or a warning, since a module that changes its files has one directory,
// `directory`, for all instances of its call. `repeats` is the outermost call on the way
// to it that has count or for_each; empty if there is none.
bool check_instances(const config::ModuleRequest& request, const Standing& standing,
                     Placement placement, const std::string& repeats, const std::string& directory,
                     diag::Diagnostics& diags);

// Where the files of a call go. `is_local`: the source is a path in the package of
// the module that calls.
Placement placement_of(const Standing& standing, bool is_local);

}  // namespace tofu::install
