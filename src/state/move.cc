#include "state/move.h"

#include <string>
#include <utility>

namespace tofu::state {

void move_resource(State& source, State& destination, const addrs::AbsResource& from,
                   const addrs::AbsResource& to) {
  const Resource* before = source.resource(from);
  if (before == nullptr) return;
  Resource after(to, destination.share(before->provider()));
  if (!before->unknown().empty()) after.set_unknown(std::string(before->unknown()));
  before->for_each([&](const Instance& instance) { after.put(instance.key(), instance); });
  source.remove_resource(from);
  destination.put_resource(std::move(after));
}

void move_instance(State& source, State& destination, const addrs::AbsResourceInstance& from,
                   const addrs::AbsResourceInstance& to) {
  const Resource* resource = source.resource(addrs::resource_of(from));
  const Instance instance = *resource->find(from.object.key);
  const addrs::AbsProviderConfig provider = resource->provider();
  std::string unknown(resource->unknown());
  source.remove_instance(from);
  const addrs::AbsResource place = addrs::resource_of(to);
  if (destination.resource(place) == nullptr) {
    Resource made(place, destination.share(provider));
    if (!unknown.empty()) made.set_unknown(std::move(unknown));
    destination.put_resource(std::move(made));
  }
  destination.change(place)->put(to.object.key, instance);
}

}  // namespace tofu::state
