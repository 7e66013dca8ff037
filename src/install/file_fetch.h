// Packages that are directories or archives of this machine.
//
// Named by absolute paths, or by file:// addresses. They are copied, so that a
// package stays what it was when it was installed. Only the root configuration and
// what lies beside it may name them, never a package that came from elsewhere.
#pragma once

#include <optional>
#include <string>

#include "addrs/module_source.h"
#include "base/result.h"
#include "install/fetching.h"

namespace tofu::install {

base::Result<FetchedPackage> fetch_file(const Fetching& fetching, const FetchRequest& request);

// The directory that a source means if it is one on this disk, by its real path.
std::optional<std::string> directory_on_disk(const addrs::ModuleSource& source);

}  // namespace tofu::install
