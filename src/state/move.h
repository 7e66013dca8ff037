// Giving objects of a state another address, in the same state or in another one.
//
// A moved instance keeps all its contents, including deposed objects and its provider. Whether a
// place is free is for the caller to know.
#pragma once

#include "addrs/resource.h"
#include "state/state.h"

namespace tofu::state {

// All instances. Nothing happens if there is no such resource.
void move_resource(State& source, State& destination, const addrs::AbsResource& from,
                   const addrs::AbsResource& to);
// One that is there. If there is a resource at its new place, that decides the provider.
void move_instance(State& source, State& destination, const addrs::AbsResourceInstance& from,
                   const addrs::AbsResourceInstance& to);

}  // namespace tofu::state
