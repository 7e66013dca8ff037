// The lines above a resource in a plan: what happens to it, why, and where it
// came from.
//
// OpenTofu's to the letter: people search plans for them.
#pragma once

#include <cstdint>
#include <string>

#include "plans/addresses.h"
#include "plans/change.h"
#include "views/paint.h"

namespace tofu::views {

enum class ChangeCause : std::uint8_t {
  Planned,
  Drift,  // it happened already, outside
};

// Comment lines, each with its line feed.
void append_change_header(std::string& out, const plans::Addresses& addresses,
                          const plans::ResourceChange& change, ChangeCause cause,
                          const Paint& paint);

// The address of an instance, or without a key of its resource.
void append_address(std::string& out, const plans::Addresses& addresses, plans::ResourceId resource,
                    const addrs::InstanceKey& key);

}  // namespace tofu::views
