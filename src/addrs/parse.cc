#include "addrs/parse.h"

#include <fmt/format.h>
#include <utility>

#include "addrs/module_prefix.h"
#include "addrs/steps.h"

namespace tofu::addrs {

namespace {

std::nullopt_t invalid(diag::Diagnostics& diags, diag::SourceRange place, std::string detail) {
  diags.error("Invalid address").detail(std::move(detail)).at(place);
  return std::nullopt;
}

struct ParsedResource {
  Resource resource;
  Steps rest;
};

// [data.|ephemeral.]TYPE.NAME at the beginning of `steps`, which are not empty.
std::optional<ParsedResource> resource_prefix(Steps steps, diag::Diagnostics& diags) {
  ResourceMode mode = ResourceMode::Managed;
  if (steps.name(0) == "data") mode = ResourceMode::Data;
  if (steps.name(0) == "ephemeral") mode = ResourceMode::Ephemeral;
  if (mode != ResourceMode::Managed) steps = steps.after(1);
  if (steps.size() < 2) {
    return invalid(diags, steps.range(),
                   "The address of a resource needs a resource type and a name.");
  }
  if (!steps.is_name(0)) {
    return invalid(diags, steps.range(0), "A resource type is required here, after a dot.");
  }
  if (!steps.is_name(1)) {
    return invalid(diags, steps.range(1), "The name of a resource is required here, after a dot.");
  }
  Resource resource{mode, std::string(steps.name(0)), std::string(steps.name(1))};
  return ParsedResource{std::move(resource), steps.after(2)};
}

std::optional<ResourceInstance> resource_instance(const Steps& steps, diag::Diagnostics& diags) {
  auto parsed = resource_prefix(steps, diags);
  if (!parsed) return std::nullopt;
  ResourceInstance instance{std::move(parsed->resource)};
  const Steps& rest = parsed->rest;
  if (rest.empty()) return instance;
  if (rest.size() > 1) {
    return invalid(diags, rest.range(1),
                   "The address ends before this. Remove what follows the resource instance.");
  }
  if (rest.key(0) == nullptr) {
    return invalid(diags, rest.range(0),
                   "Only an instance key in brackets can follow the name of a resource.");
  }
  auto key = parse_instance_key(*rest.key(0));
  if (!key) {
    return invalid(
        diags, rest.range(0),
        fmt::format("This cannot be the key of a resource instance: {}.", key.error().what));
  }
  instance.key = std::move(*key);
  return instance;
}

std::optional<Resource> resource_without_key(const Steps& steps, diag::Diagnostics& diags) {
  auto parsed = resource_prefix(steps, diags);
  if (!parsed) return std::nullopt;
  const Steps& rest = parsed->rest;
  if (rest.empty()) return std::move(parsed->resource);
  if (rest.size() > 1) {
    return invalid(diags, rest.range(1),
                   "The address ends before this. Remove what follows the resource.");
  }
  return invalid(diags, rest.range(0),
                 "An instance key is not allowed here: write the address of the whole resource, "
                 "such as null_resource.a, not of one of its instances.");
}

// An address relative to some module: a module, or a resource instance.
using ModuleOrInstance = std::variant<ModuleInstance, AbsResourceInstance>;

std::optional<ModuleOrInstance> module_or_instance(const syntax::Traversal& traversal,
                                                   diag::Diagnostics& diags) {
  auto prefix = parse_module_prefix(Steps(traversal), Keys::Allowed, diags);
  if (!prefix) return std::nullopt;
  if (prefix->rest.empty()) return std::move(prefix->module);
  auto instance = resource_instance(prefix->rest, diags);
  if (!instance) return std::nullopt;
  return AbsResourceInstance{std::move(prefix->module), std::move(*instance)};
}

}  // namespace

std::string to_string(const Target& target) {
  return std::visit([](const auto& address) { return address.to_string(); }, target);
}

diag::Checked<Target> parse_target(const syntax::Traversal& traversal, diag::Diagnostics& diags) {
  auto parsed = module_or_instance(traversal, diags);
  if (!parsed) return std::nullopt;
  if (auto* module = std::get_if<ModuleInstance>(&*parsed)) return std::move(*module);
  auto& instance = std::get<AbsResourceInstance>(*parsed);
  if (instance.object.key.is_none()) return resource_of(instance);
  return std::move(instance);
}

diag::Checked<AbsResourceInstance> parse_abs_resource_instance(const syntax::Traversal& traversal,
                                                               diag::Diagnostics& diags) {
  auto parsed = module_or_instance(traversal, diags);
  if (!parsed) return std::nullopt;
  if (auto* instance = std::get_if<AbsResourceInstance>(&*parsed)) return std::move(*instance);
  return invalid(diags, traversal.range,
                 "The address of a resource instance is required here, but this is a module. Add "
                 "the resource after it.");
}

diag::Checked<AbsResource> parse_abs_resource(const syntax::Traversal& traversal,
                                              diag::Diagnostics& diags) {
  auto parsed = module_or_instance(traversal, diags);
  if (!parsed) return std::nullopt;
  const auto* instance = std::get_if<AbsResourceInstance>(&*parsed);
  if (instance == nullptr) {
    return invalid(diags, traversal.range,
                   "The address of a resource is required here, but this is a module. Add the "
                   "resource after it.");
  }
  if (!instance->object.key.is_none()) {
    return invalid(diags, traversal.steps.back().range,
                   "The address of a resource is required here, but this key selects one of its "
                   "instances. Remove the key.");
  }
  return resource_of(*instance);
}

diag::Checked<ModuleInstance> parse_module_instance(const syntax::Traversal& traversal,
                                                    diag::Diagnostics& diags) {
  auto prefix = parse_module_prefix(Steps(traversal), Keys::Allowed, diags);
  if (!prefix) return std::nullopt;
  if (prefix->rest.empty()) return std::move(prefix->module);
  return invalid(diags, prefix->rest.range(),
                 prefix->module.is_root()
                     ? "The address of a module instance begins with \"module.\"."
                     : "The address of a module instance ends before this. Remove what follows.");
}

diag::Checked<ModulePath> parse_module_path(const syntax::Traversal& traversal,
                                            diag::Diagnostics& diags) {
  auto prefix = parse_module_prefix(Steps(traversal), Keys::Refused, diags);
  if (!prefix) return std::nullopt;
  if (prefix->rest.empty()) return prefix->module.path();
  return invalid(diags, prefix->rest.range(0), "Only the address of a module is allowed here.");
}

diag::Checked<ConfigResource> parse_config_resource(const syntax::Traversal& traversal,
                                                    diag::Diagnostics& diags) {
  auto prefix = parse_module_prefix(Steps(traversal), Keys::Refused, diags);
  if (!prefix) return std::nullopt;
  if (prefix->rest.empty()) {
    return invalid(diags, traversal.range,
                   "The address of a resource is required here, but this is a module. Add the "
                   "resource after it.");
  }
  auto resource = resource_without_key(prefix->rest, diags);
  if (!resource) return std::nullopt;
  return ConfigResource{prefix->module.path(), std::move(*resource)};
}

std::string MoveEndpoint::to_string() const {
  return std::visit([](const auto& address) { return address.to_string(); }, subject);
}

diag::Checked<MoveEndpoint> parse_move_endpoint(const syntax::Traversal& traversal,
                                                diag::Diagnostics& diags) {
  auto parsed = module_or_instance(traversal, diags);
  if (!parsed) return std::nullopt;
  return MoveEndpoint{std::move(*parsed), traversal.range};
}

std::string RemoveEndpoint::to_string() const {
  return std::visit([](const auto& address) { return address.to_string(); }, subject);
}

diag::Checked<RemoveEndpoint> parse_remove_endpoint(const syntax::Traversal& traversal,
                                                    diag::Diagnostics& diags) {
  auto prefix = parse_module_prefix(Steps(traversal), Keys::Refused, diags);
  if (!prefix) return std::nullopt;
  if (prefix->rest.empty()) return RemoveEndpoint{prefix->module.path(), traversal.range};
  auto resource = resource_without_key(prefix->rest, diags);
  if (!resource) return std::nullopt;
  if (resource->mode != ResourceMode::Managed) {
    return invalid(diags, traversal.range,
                   fmt::format("Only managed resources and modules can be removed with a "
                               "\"removed\" block: {} resources are never destroyed. Delete their "
                               "block from the configuration instead.",
                               block_word(resource->mode)));
  }
  return RemoveEndpoint{ConfigResource{prefix->module.path(), std::move(*resource)},
                        traversal.range};
}

}  // namespace tofu::addrs
