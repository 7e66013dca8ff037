// TF_REATTACH_PROVIDERS: providers started outside of tofu, for example in a debugger.
//
// A pure function of the variable's text. Such a provider is not installed, not checked
// against a lock file, and not ended by us.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "addrs/provider.h"
#include "base/result.h"
#include "providers/plugin.h"

namespace tofu::providers {

// `json` is what the SDKs print for the variable. An error is a clause about its format.
base::Result<std::map<addrs::Provider, Reattach>> parse_reattach(std::string_view json);

}  // namespace tofu::providers
