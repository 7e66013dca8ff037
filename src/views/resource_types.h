// Types of resources as a symbol library, made from the schemas of providers.
//
// A module that takes the arguments of a resource as a variable needs their type. Written by hand,
// it is a copy that ages; this text is made anew when the provider changes.
#pragma once

#include <map>
#include <string>

#include "schema/schema.h"

namespace tofu::views {

// A typedef for each resource type, by name: an object of the arguments that an author can set.
// Required ones are required, others optional; what the provider alone computes and what is
// deprecated is left out. In standard layout, with a line feed at its end.
std::string resource_types_library(const std::map<std::string, const schema::Block*>& types);

}  // namespace tofu::views
