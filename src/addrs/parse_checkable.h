// Addresses of what can be checked, from the text that state and plan files have.
//
// The kind stands beside the text there, because a check and a resource of the type
// "check" would look the same.
#pragma once

#include <cstdint>
#include <string_view>

#include "addrs/check_rule.h"
#include "diag/diagnostic.h"

namespace tofu::addrs {

// In the order of the alternatives of a Checkable.
enum class CheckableKind : std::uint8_t { Resource, Output, Check, Variable };

CheckableKind kind_of(const Checkable& checkable);
CheckableKind kind_of(const ConfigCheckable& checkable);

diag::Checked<Checkable> parse_checkable(CheckableKind kind, std::string_view text,
                                         diag::Diagnostics& diags);
diag::Checked<ConfigCheckable> parse_config_checkable(CheckableKind kind, std::string_view text,
                                                      diag::Diagnostics& diags);

}  // namespace tofu::addrs
