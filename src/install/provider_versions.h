// Which versions of a provider its constraints allow, and which of them is taken.
//
// The rules differ from those of modules: constraints compare by precedence alone, and a
// pre-release is taken only if a constraint names exactly that version.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "addrs/version.h"
#include "base/result.h"

namespace tofu::install {

// A version as registries and directories have to write it: "1.2.3", "1.2.3-beta1".
base::Result<addrs::Version> parse_provider_version(std::string_view text);

bool allows_provider(std::span<const addrs::Constraint> constraints, const addrs::Version& version);

// The newest that is allowed. The version 0.0.0 stands for "not published" and is never
// taken.
std::optional<addrs::Version> newest_allowed(std::span<const addrs::Version> offered,
                                             std::span<const addrs::Constraint> constraints);

}  // namespace tofu::install
