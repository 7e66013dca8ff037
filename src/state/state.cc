#include "state/state.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <string_view>
#include <tuple>
#include <utility>

namespace tofu::state {

namespace {

// Whether this is the only owner, so that it may be changed in place.
template <class T>
bool is_ours(const std::shared_ptr<T>& shared) {
  if (shared.use_count() != 1) return false;
  // Another thread may have read it until it let go a moment ago. Letting go of a copy
  // comes after that; a fence would do too, but the thread sanitizer does not know fences.
  (void)std::shared_ptr<T>(shared);
  return true;
}

std::string_view mode_text(addrs::ResourceMode mode) {
  return mode == addrs::ResourceMode::Data ? "data" : "managed";
}

bool same_checks(std::vector<CheckResult> a, std::vector<CheckResult> b) {
  const auto by_address = [](const CheckResult& result) {
    return std::pair(result.kind, std::string_view(result.address));
  };
  const auto sort = [&](std::vector<CheckResult>& results) {
    std::ranges::sort(results, {}, by_address);
    for (CheckResult& result : results) {
      std::ranges::sort(result.objects, {}, &CheckedObject::address);
    }
  };
  sort(a);
  sort(b);
  return a == b;
}

bool same_unknown_of_outputs(const State& a, const State& b) {
  if (a.unknown_of_outputs == b.unknown_of_outputs) return true;
  const auto of = [](const State& state, const std::string& name) {
    const auto found = state.unknown_of_outputs.find(name);
    return found == state.unknown_of_outputs.end() ? std::string_view()
                                                   : std::string_view(found->second);
  };
  return std::ranges::all_of(
      a.outputs, [&](const auto& each) { return of(a, each.first) == of(b, each.first); });
}

}  // namespace

std::optional<std::uint32_t> State::row_of(const addrs::AbsResource& address) const {
  if (!table_) return std::nullopt;
  return table_->index.find(hash_of(address), table_->rows.size(), [&](std::uint32_t row) {
    return table_->rows[row]->address() == address;
  });
}

const Resource* State::resource(const addrs::AbsResource& address) const {
  const auto row = row_of(address);
  return row ? table_->rows[*row].get() : nullptr;
}

const Instance* State::instance(const addrs::AbsResourceInstance& address) const {
  const Resource* found = resource(addrs::resource_of(address));
  return found != nullptr ? found->find(address.object.key) : nullptr;
}

const Object* State::object(const addrs::AbsResourceInstance& address,
                            const std::string& deposed_key) const {
  const Instance* found = instance(address);
  return found != nullptr ? found->object(deposed_key) : nullptr;
}

std::vector<const Resource*> State::resources() const {
  std::vector<const Resource*> list;
  list.reserve(resource_count());
  if (table_) {
    for (const auto& resource : table_->rows) list.push_back(resource.get());
  }
  const auto key = [](const Resource* resource) {
    const addrs::Resource& object = resource->address().object;
    return std::tuple(std::string_view(resource->module_text()), mode_text(object.mode),
                      std::string_view(object.type), std::string_view(object.name));
  };
  if (!std::ranges::is_sorted(list, {}, key)) std::ranges::sort(list, {}, key);
  return list;
}

std::vector<const Resource*> State::resources_by_address() const {
  std::vector<const Resource*> list = resources();
  std::ranges::stable_sort(list, {}, [](const Resource* resource) -> const addrs::AbsResource& {
    return resource->address();
  });
  return list;
}

State::Table& State::writable_table() {
  if (!table_) {
    table_ = std::make_shared<Table>();
  } else if (!is_ours(table_)) {
    table_ = std::make_shared<Table>(*table_);
  }
  return *table_;
}

Resource& State::writable_resource(Table& table, std::uint32_t row) {
  std::shared_ptr<Resource>& resource = table.rows[row];
  if (!is_ours(resource)) resource = std::make_shared<Resource>(*resource);
  return *resource;
}

std::shared_ptr<const addrs::AbsProviderConfig> State::share(
    const addrs::AbsProviderConfig& provider) {
  if (!last_provider_ || *last_provider_ != provider) {
    last_provider_ = std::make_shared<const addrs::AbsProviderConfig>(provider);
  }
  return last_provider_;
}

Resource& State::resource_for(const addrs::AbsResource& address,
                              const addrs::AbsProviderConfig& provider) {
  Table& table = writable_table();
  if (const auto row = row_of(address)) {
    Resource& found = writable_resource(table, *row);
    if (found.provider() != provider) found.set_provider(share(provider));
    return found;
  }
  put_resource(Resource(address, share(provider)));
  return *table.rows.back();
}

void State::put_resource(Resource resource) {
  Table& table = writable_table();
  if (const auto row = row_of(resource.address())) {
    table.rows[*row] = std::make_shared<Resource>(std::move(resource));
    return;
  }
  table.rows.push_back(std::make_shared<Resource>(std::move(resource)));
  table.index.added(table.rows.size(),
                    [&](std::uint32_t row) { return hash_of(table.rows[row]->address()); });
}

void State::set_object(const addrs::AbsResourceInstance& address, const std::string& deposed_key,
                       Object object, const addrs::AbsProviderInstance& provider) {
  if (!object) return remove_object(address, deposed_key);
  Resource& resource = resource_for(addrs::resource_of(address), provider.config);
  resource.set_object(address.object.key, deposed_key, std::move(object));
  resource.set_provider_key(address.object.key, provider.key);
}

void State::remove_object(const addrs::AbsResourceInstance& address,
                          const std::string& deposed_key) {
  if (object(address, deposed_key) == nullptr) return;
  const addrs::AbsResource resource = addrs::resource_of(address);
  change(resource)->set_object(address.object.key, deposed_key, {});
  drop_if_empty(resource);
}

void State::remove_instance(const addrs::AbsResourceInstance& address) {
  if (instance(address) == nullptr) return;
  const addrs::AbsResource resource = addrs::resource_of(address);
  change(resource)->remove(address.object.key);
  drop_if_empty(resource);
}

void State::drop_if_empty(const addrs::AbsResource& address) {
  if (resource(address)->empty()) remove_resource(address);
}

void State::remove_resource(const addrs::AbsResource& address) {
  const auto row = row_of(address);
  if (!row) return;
  Table& table = writable_table();
  table.index.removing(*row, table.rows.size(),
                       [&](std::uint32_t at) { return hash_of(table.rows[at]->address()); });
  if (*row + 1 != table.rows.size()) table.rows[*row] = std::move(table.rows.back());
  table.rows.pop_back();
}

Resource* State::change(const addrs::AbsResource& address) {
  const auto row = row_of(address);
  if (!row) return nullptr;
  Table& table = writable_table();
  return &writable_resource(table, *row);
}

std::optional<std::uint64_t> next_serial(std::uint64_t serial) {
  if (serial == std::numeric_limits<std::uint64_t>::max()) return std::nullopt;
  return serial + 1;
}

namespace {

bool has_same(const State& state, const Resource& resource) {
  const Resource* other = state.resource(resource.address());
  return other != nullptr && (other == &resource || *other == resource);
}

}  // namespace

bool same_content(const State& a, const State& b) {
  if (!same_unknown_of_outputs(a, b)) return false;
  if (a.resource_count() != b.resource_count() || a.outputs != b.outputs ||
      !same_checks(a.checks, b.checks)) {
    return false;
  }
  return std::ranges::all_of(a.resources(),
                             [&](const Resource* resource) { return has_same(b, *resource); });
}

bool same_managed_resources(const State& a, const State& b) {
  const auto has_all = [](const State& state, const State& of) {
    return std::ranges::all_of(of.resources(), [&](const Resource* resource) {
      return resource->address().object.mode != addrs::ResourceMode::Managed ||
             has_same(state, *resource);
    });
  };
  return has_all(a, b) && has_all(b, a);
}

}  // namespace tofu::state
