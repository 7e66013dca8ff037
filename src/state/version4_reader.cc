#include "state/version4_reader.h"

#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <utility>

#include "addrs/parse.h"
#include "addrs/text.h"
#include "base/ascii.h"
#include "base/base64.h"
#include "base/json_text.h"
#include "base/unicode.h"
#include "diag/wrap.h"
#include "state/object_text.h"
#include "state/version_text.h"

namespace tofu::state {

namespace {

constexpr std::string_view kBadInstance = "Invalid resource instance in state";

}  // namespace

// Errors of the address parsers, with the part of the state.
void Version4Reader::take(diag::Diagnostics&& found, const std::string& where) {
  for (diag::Diagnostic& item : found.items_from(0)) {
    item.detail = fmt::format("In the state file, {}: {}", where, item.detail);
  }
  diags_.take(std::move(found));
}

diag::Checked<State> Version4Reader::read() {
  const std::size_t errors = diags_.error_count();
  std::string version;
  std::uint64_t format = 4;
  fields_.members("state", [&](std::string_view name) {
    if (is_field(name, "version")) {
      fields_.number("version", format);
    } else if (is_field(name, "terraform_version")) {
      fields_.text("terraform_version", version);
    } else if (is_field(name, "serial")) {
      fields_.number("serial", state_.serial);
    } else if (is_field(name, "lineage")) {
      fields_.text("lineage", state_.lineage);
    } else if (is_field(name, "outputs")) {
      read_outputs();
    } else if (is_field(name, "resources")) {
      fields_.items("resources", [&] { read_resource(); });
    } else if (is_field(name, "check_results")) {
      read_checks();
    } else {
      // As OpenTofu does: a member of the whole file may be about what this run changes.
      fields_.skip();
    }
  });
  if (format != 4) {
    diags_.error("Unsupported state file format")
        .detail(fmt::format("The state file says twice which format it has: version 4 and "
                            "version {}.",
                            format));
  }
  if (!version.empty() && !is_version(version)) {
    diags_.error("Invalid version in state file")
        .detail(fmt::format("The state file says that version {} wrote it, which is not a version.",
                            base::quote_go(version)));
  }
  state_.terraform_version = std::move(version);
  if (!fields_.fault().empty()) {
    diags_.error("Invalid state file")
        .detail(fmt::format("The state file does not have the structure of a state: {}.",
                            fields_.fault()));
  }
  if (diags_.error_count() != errors) return std::nullopt;
  return std::move(state_);
}

void Version4Reader::read_resource() {
  Entry entry;
  read_entry(entry);
  const std::size_t behind = fields_.offset();
  add_resource(entry);
  fields_.seek(behind);
}

void Version4Reader::read_entry(Entry& entry) {
  UnknownMembers unknown;
  fields_.members("resources", [&](std::string_view name) {
    if (is_field(name, "module")) {
      fields_.text("module", entry.module);
    } else if (is_field(name, "mode")) {
      fields_.text("mode", entry.mode);
    } else if (is_field(name, "type")) {
      fields_.text("type", entry.type);
    } else if (is_field(name, "name")) {
      fields_.text("name", entry.name);
    } else if (is_field(name, "provider")) {
      fields_.text("provider", entry.provider);
    } else if (is_field(name, "instances")) {
      // Read last, since everything before it has to be known.
      entry.instances = fields_.offset();
      fields_.skip();
    } else if (is_field(name, "each")) {
      fields_.skip();  // of Terraform 0.12; the keys of the instances say as much
    } else {
      unknown.keep(name, fields_.raw());
    }
  });
  entry.unknown = unknown.text();
}

const addrs::ModuleInstance* Version4Reader::module(const std::string& text) {
  const auto [found, is_new] = modules_.try_emplace(text);
  if (is_new && text.empty()) found->second.emplace();
  if (is_new && !text.empty()) {
    diag::Diagnostics inner;
    found->second = addrs::parse_text(text, addrs::parse_module_instance, inner);
    take(std::move(inner), fmt::format("module {}", base::quote_go(text)));
  }
  return found->second ? &*found->second : nullptr;
}

std::optional<addrs::AbsResource> Version4Reader::address_of(const Entry& entry) {
  // Both are printed as they are, and the oldest versions let names begin with digits.
  for (const std::string* name : {&entry.type, &entry.name}) {
    if (diag::safe_for_terminal(*name) == *name) continue;
    diags_.error("Invalid resource name in state")
        .detail(fmt::format("The state file has a resource of the type {} and the name {}. Control "
                            "characters are not allowed there.",
                            base::quote_go(entry.type), base::quote_go(entry.name)));
    return std::nullopt;
  }
  addrs::Resource resource{addrs::ResourceMode::Managed, entry.type, entry.name};
  if (entry.mode == "data") {
    resource.mode = addrs::ResourceMode::Data;
  } else if (entry.mode != "managed") {
    diags_.error("Invalid resource mode in state")
        .detail(fmt::format(
            "The mode of {} in the state file is {}. It must be \"managed\" or \"data\".",
            entry.for_people(), base::quote_go(entry.mode)));
    return std::nullopt;
  }
  const addrs::ModuleInstance* parent = module(entry.module);
  if (parent == nullptr) return std::nullopt;
  return addrs::AbsResource{*parent, std::move(resource)};
}

const Version4Reader::KnownProvider* Version4Reader::provider(const std::string& text, bool whole,
                                                              const std::string& where) {
  const auto [found, is_new] = providers_.try_emplace(std::pair(text, whole));
  auto& known = found->second;
  if (known) return &*known;
  diag::Diagnostics inner;
  auto instance = addrs::parse_text(text, addrs::parse_abs_provider_instance, inner);
  if (instance && whole && !instance->key.is_none()) {
    inner.error("Invalid provider configuration address")
        .detail("The provider of a whole resource has no instance key.");
    instance.reset();
  }
  if (!instance && whole) {
    // As written before providers had whole names: provider.aws.west
    diag::Diagnostics unused;
    if (auto old = addrs::parse_text(text, addrs::parse_legacy_provider_config, unused)) {
      known = KnownProvider{std::make_shared<const addrs::AbsProviderConfig>(std::move(*old)), {}};
      return &*known;
    }
  }
  take(std::move(inner), where);
  if (!instance) return nullptr;
  known = KnownProvider{std::make_shared<const addrs::AbsProviderConfig>(instance->config),
                        instance->key};
  return &*known;
}

void Version4Reader::add_resource(const Entry& entry) {
  auto address = address_of(entry);
  if (!address) return;
  SharedProvider config;
  if (!entry.provider.empty()) {
    const KnownProvider* known =
        provider(entry.provider, true, fmt::format("resource {}", address->to_string()));
    if (known == nullptr) return;
    config = known->config;
  }
  if (Resource* before = state_.change(*address)) {
    if (config) before->set_provider(config);
    if (!entry.unknown.empty()) before->set_unknown(entry.unknown);
    return add_instances(entry, *before);
  }
  Resource resource(*address, config);
  if (!entry.unknown.empty()) resource.set_unknown(entry.unknown);
  add_instances(entry, resource);
  // Without a provider it was reported, or has no instances that anybody could miss.
  if (resource.has_provider()) state_.put_resource(std::move(resource));
}

std::optional<addrs::InstanceKey> Version4Reader::instance_key(std::string_view json,
                                                               const std::string& where) {
  if (json.empty() || json == "null") return addrs::InstanceKey();
  if (json.front() == '"') {
    value::JsonScanner scanner(json);
    return addrs::InstanceKey(std::string(*scanner.string()));
  }
  if (json.front() == '-' || base::is_ascii_digit(json.front())) {
    std::int64_t whole = 0;
    const auto [end, error] = std::from_chars(json.data(), json.data() + json.size(), whole);
    if (error == std::errc() && end == json.data() + json.size()) return addrs::InstanceKey(whole);
    // A fraction loses what is behind the point, as in OpenTofu.
    const double number = std::strtod(std::string(json).c_str(), nullptr);
    if (std::fabs(number) < 9.2e18) return addrs::InstanceKey(static_cast<std::int64_t>(number));
  }
  diags_.error(std::string(kBadInstance))
      .detail(fmt::format("An instance of {} has the key {} in the state file. A key is a whole "
                          "number or a string.",
                          where, json.substr(0, 60)));
  return std::nullopt;
}

void Version4Reader::add_instances(const Entry& entry, Resource& resource) {
  if (!entry.instances) return;
  const std::string resource_text = resource.address().to_string();
  const addrs::AbsProviderConfig* other_provider = nullptr;  // of the instance before
  bool differ = false;
  fields_.seek(*entry.instances);
  fields_.items("instances", [&] {
    InstanceEntry instance = read_instance();
    const auto key = instance_key(instance.key, resource_text);
    if (!key) return;
    const std::string where = resource_text + key->to_string();
    if (!instance.provider.empty() && !entry.provider.empty()) {
      diags_.warning("Two providers for one instance in state")
          .detail(fmt::format("In the state file both {} and its instance {} name a provider. The "
                              "instance's counts.",
                              resource_text, where));
    }
    if (instance.provider.empty() && entry.provider.empty()) {
      diags_.error("Missing provider in state")
          .detail(fmt::format("In the state file neither {} nor its instance names a provider.",
                              where));
    }
    addrs::InstanceKey provider_key;
    if (!instance.provider.empty()) {
      const KnownProvider* known =
          provider(instance.provider, false, fmt::format("instance {}", where));
      if (known == nullptr) return;
      differ = differ || (other_provider != nullptr && *other_provider != *known->config);
      other_provider = known->config.get();
      resource.set_provider(known->config);
      provider_key = known->key;
    }
    auto made = object(instance, where);
    if (!made) return;
    if (!instance.deposed.empty() && instance.deposed.size() != 8) {
      diags_.error(std::string(kBadInstance))
          .detail(fmt::format("A deposed object of {} has the key {} in the state file, which "
                              "does not have eight characters.",
                              where, base::quote_go(instance.deposed)));
      return;
    }
    const Instance* before = resource.find(*key);
    if (before != nullptr && before->object(instance.deposed) != nullptr) {
      diags_.error("Duplicate resource instance in state")
          .detail(fmt::format("The state file lists {}{}{} more than once.", where,
                              instance.deposed.empty() ? "" : ", deposed object ",
                              instance.deposed));
      return;
    }
    resource.set_object(*key, instance.deposed, std::move(*made));
    resource.set_provider_key(*key, std::move(provider_key));
  });
  if (differ) {
    diags_.error("Different providers for one resource in state")
        .detail(fmt::format("In the state file the instances of {} have different providers. "
                            "Only the key at the end may differ.",
                            resource_text));
  }
}

Version4Reader::InstanceEntry Version4Reader::read_instance() {
  InstanceEntry instance;
  UnknownMembers unknown;
  std::size_t members_start = std::string::npos;
  std::size_t name_start = fields_.offset() + 1;
  fields_.members("instances", [&](std::string_view name) {
    ObjectMembers& members = instance.members;
    if (is_field(name, "index_key")) {
      instance.key = fields_.raw();
    } else if (is_field(name, "status")) {
      fields_.text("status", instance.status);
    } else if (is_field(name, "deposed")) {
      fields_.text("deposed", instance.deposed);
    } else if (is_field(name, "provider")) {
      fields_.text("provider", instance.provider);
    } else if (is_field(name, "schema_version")) {
      members_start = name_start;
      fields_.number("schema_version", members.schema_version);
    } else if (is_field(name, "attributes")) {
      members.attributes = fields_.raw();
    } else if (is_field(name, "attributes_flat")) {
      read_flat(instance);
    } else if (is_field(name, "sensitive_attributes")) {
      members.sensitive_attributes = fields_.raw();
    } else if (is_field(name, "private")) {
      members.private_data = fields_.raw();
    } else if (is_field(name, "dependencies")) {
      instance.dependencies = fields_.raw();
    } else if (is_field(name, "create_before_destroy")) {
      fields_.boolean("create_before_destroy", members.create_before_destroy);
    } else if (is_field(name, "skip_destroy")) {
      fields_.boolean("skip_destroy", members.skip_destroy);
    } else if (is_field(name, "identity")) {
      members.identity = fields_.raw();
    } else if (is_field(name, "identity_schema_version")) {
      std::uint64_t version = 0;
      const bool is_null = fields_.peek() == 'n';
      fields_.number("identity_schema_version", version);
      if (!is_null) members.identity_schema_version = version;
    } else {
      unknown.keep(name, fields_.raw());
    }
    name_start = fields_.offset() + 1;  // behind the comma
  });
  instance.unknown = unknown.text();
  if (members_start != std::string::npos) {
    instance.source = fields_.text().substr(members_start, fields_.offset() - 1 - members_start);
  }
  return instance;
}

void Version4Reader::read_flat(InstanceEntry& instance) {
  if (fields_.peek() == 'n') return fields_.skip();
  std::map<std::string, std::string> flat;
  fields_.members("attributes_flat", [&](std::string_view name) {
    const std::string key(name);
    fields_.text("attributes_flat", flat[key]);
  });
  instance.flat = "{";
  for (const auto& [name, text] : flat) {
    if (instance.flat.size() > 1) instance.flat += ',';
    base::append_json_string(instance.flat, name);
    instance.flat += ':';
    base::append_json_string(instance.flat, text);
  }
  instance.flat += '}';
}

const std::string* Version4Reader::sensitive_text(std::string_view json, const std::string& where) {
  const auto [found, is_new] = sensitive_.try_emplace(json);
  if (found->second) return &*found->second;
  const auto paths = parse_sensitive_paths(json);
  if (!paths) {
    diags_.error("Invalid sensitive attributes in state")
        .detail(fmt::format("The sensitive attributes of {} in the state file cannot be read: {}.",
                            where, paths.error().what));
    return nullptr;
  }
  found->second = sensitive_paths_json(*paths);
  return &*found->second;
}

const std::string* Version4Reader::dependency_text(std::string_view json,
                                                   const std::string& where) {
  const auto [found, is_new] = dependencies_.try_emplace(json);
  if (found->second) return &*found->second;
  const auto addresses = parse_json_strings(json);
  if (!addresses) {
    fields_.fail("dependencies", "a list of strings");
    return nullptr;
  }
  diag::Diagnostics inner;
  const auto resources = parse_dependencies(*addresses, inner);
  take(std::move(inner), fmt::format("a dependency of {}", where));
  if (!resources) return nullptr;
  found->second = dependencies_json(*resources);
  return &*found->second;
}

std::optional<Object> Version4Reader::object(InstanceEntry& instance, const std::string& where) {
  ObjectMembers& members = instance.members;
  members.unknown = instance.unknown;
  if (members.attributes.empty()) {
    if (instance.flat.empty()) {
      members.attributes = "{}";
    } else if (instance.flat != "{}") {
      members.attributes_flat = instance.flat;
    }
  }
  const std::string* sensitive = sensitive_text(members.sensitive_attributes, where);
  const std::string* dependencies =
      instance.dependencies.empty() ? nullptr : dependency_text(instance.dependencies, where);
  if (sensitive == nullptr || (dependencies == nullptr && !instance.dependencies.empty())) {
    return std::nullopt;
  }
  members.sensitive_attributes = *sensitive;
  if (dependencies != nullptr) members.dependencies = *dependencies;

  std::string private_text;
  if (members.private_data == "null") members.private_data = {};
  if (!members.private_data.empty()) {
    const bool is_text = members.private_data.front() == '"';
    value::JsonScanner scanner(members.private_data);  // keeps a text that has escapes
    const auto text = is_text ? scanner.string() : std::optional<std::string_view>();
    const auto bytes = base::base64_decode(text.value_or("?"));
    if (!bytes) {
      fields_.fail("private", "a text in base64");
      return std::nullopt;
    }
    if (!bytes->empty()) private_text = fmt::format("\"{}\"", base::base64_encode(*bytes));
    members.private_data = private_text;
  }
  if (members.identity.empty()) members.identity_schema_version.reset();

  ObjectStatus status = ObjectStatus::Ready;
  if (instance.status == "tainted") {
    status = ObjectStatus::Tainted;
  } else if (!instance.status.empty()) {
    diags_.error(std::string(kBadInstance))
        .detail(fmt::format(
            "The status of {} in the state file is {}. It must be \"tainted\" or absent.", where,
            base::quote_go(instance.status)));
    return std::nullopt;
  }
  scratch_.clear();
  append_members(scratch_, members);
  if (scratch_ == instance.source) return Object(buffer_, instance.source, status);
  auto own = std::make_shared<const std::string>(scratch_);
  const std::string_view text = *own;
  return Object(std::move(own), text, status);
}

}  // namespace tofu::state
