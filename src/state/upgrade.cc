#include "state/upgrade.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "addrs/provider_config.h"
#include "addrs/resource.h"
#include "addrs/text.h"
#include "base/base64.h"
#include "base/json_writer.h"
#include "base/unicode.h"
#include "state/json_fields.h"
#include "value/json.h"

namespace tofu::state {

namespace {

using Flat = std::map<std::string, std::string>;

// The structures of versions 2 and 3; version 1 differs in places.
struct OldObject {
  std::string id;
  std::optional<Flat> attributes;
  std::map<std::string, std::string> meta;  // name to JSON
  bool tainted = false;
};

struct OldResource {
  std::optional<OldObject> primary;
  std::vector<std::optional<OldObject>> deposed;
  std::string provider;
};

struct OldOutput {
  bool sensitive = false;
  std::string json = "null";
};

struct OldModule {
  std::vector<std::string> path;
  std::map<std::string, OldOutput> outputs;
  std::map<std::string, OldResource> resources;
};

struct OldState {
  std::string version;
  std::string lineage;
  std::string serial = "0";
  std::vector<OldModule> modules;
};

class OldReader {
 public:
  OldReader(std::string_view text, int version) : fields_(text), version_(version) {}

  base::Result<OldState> read() {
    OldState state;
    fields_.members("state", [&](std::string_view name) {
      if (is_field(name, "terraform_version") && version_ > 1) {
        fields_.text("terraform_version", state.version);
      } else if (is_field(name, "lineage") && version_ > 1) {
        fields_.text("lineage", state.lineage);
      } else if (is_field(name, "serial")) {
        state.serial = serial();
      } else if (is_field(name, "modules")) {
        fields_.items("modules", [&] { state.modules.push_back(module()); });
      } else {
        fields_.skip();
      }
    });
    if (!fields_.fault().empty()) return base::Error{fields_.fault()};
    return state;
  }

 private:
  std::string serial() {
    if (fields_.peek() == '-') {
      fields_.skip();
      fields_.fail("serial", "a whole number that is not negative");
      return "0";
    }
    std::uint64_t number = 0;
    fields_.number("serial", number);
    return std::to_string(number);
  }

  OldModule module() {
    OldModule module;
    fields_.members("modules", [&](std::string_view name) {
      if (is_field(name, "path")) {
        fields_.items("path", [&] { fields_.text("path", module.path.emplace_back()); });
      } else if (is_field(name, "outputs")) {
        fields_.members("outputs", [&](std::string_view output) {
          const std::string key(output);
          module.outputs.insert_or_assign(key, this->output());
        });
      } else if (is_field(name, "resources")) {
        fields_.members("resources", [&](std::string_view resource) {
          const std::string key(resource);
          module.resources.insert_or_assign(key, this->resource());
        });
      } else {
        fields_.skip();
      }
    });
    // Some states of version 1 have no path for the root.
    if (version_ == 1 && module.path.empty()) module.path = {"root"};
    return module;
  }

  OldOutput output() {
    OldOutput output;
    if (version_ == 1) {
      std::string text;
      fields_.text("outputs", text);
      output.json.clear();
      base::append_json_string(output.json, text);
      return output;
    }
    fields_.members("outputs", [&](std::string_view name) {
      if (is_field(name, "sensitive")) {
        fields_.boolean("sensitive", output.sensitive);
      } else if (is_field(name, "value")) {
        output.json = fields_.raw();
      } else {
        fields_.skip();
      }
    });
    return output;
  }

  OldResource resource() {
    OldResource resource;
    fields_.members("resources", [&](std::string_view name) {
      if (is_field(name, "primary")) {
        resource.primary = object();
      } else if (is_field(name, "deposed")) {
        fields_.items("deposed", [&] { resource.deposed.push_back(object()); });
      } else if (is_field(name, "provider")) {
        fields_.text("provider", resource.provider);
      } else {
        fields_.skip();
      }
    });
    return resource;
  }

  std::optional<OldObject> object() {
    if (fields_.peek() == 'n') {
      fields_.skip();
      return std::nullopt;
    }
    OldObject object;
    fields_.members("primary", [&](std::string_view name) {
      if (is_field(name, "id")) {
        fields_.text("id", object.id);
      } else if (is_field(name, "attributes")) {
        if (fields_.peek() != 'n') object.attributes.emplace();
        fields_.members("attributes", [&](std::string_view attribute) {
          const std::string key(attribute);
          fields_.text("attributes", (*object.attributes)[key]);
        });
      } else if (is_field(name, "meta")) {
        fields_.members("meta", [&](std::string_view meta) {
          const std::string key(meta);
          object.meta.insert_or_assign(key, std::string(fields_.raw()));
        });
      } else if (is_field(name, "tainted") && version_ > 1) {
        fields_.boolean("tainted", object.tainted);
      } else {
        fields_.skip();
      }
    });
    return object;
  }

  JsonFields fields_;
  int version_;
};

// Version 2 counted maps like lists, as `tags.#`; version 3 has `tags.%` for maps.
// A collection that looks empty is left out, and found again by a refresh.
void count_maps_apart(Flat& attributes) {
  std::vector<std::string> prefixes;
  for (const auto& [name, text] : attributes) {
    if (name.ends_with(".#")) prefixes.push_back(name.substr(0, name.size() - 1));
  }
  for (const std::string& prefix : prefixes) {
    std::set<std::string> keys;
    for (auto at = attributes.lower_bound(prefix);
         at != attributes.end() && at->first.starts_with(prefix); ++at) {
      const std::string rest = at->first.substr(prefix.size());
      const std::size_t dot = rest.find('.');
      if (dot != std::string::npos && dot > 0) {
        keys.insert(rest.substr(0, dot));
      } else if (rest != "#") {
        keys.insert(rest);
      }
    }
    const auto is_number = [](const std::string& key) {
      std::int64_t number = 0;
      const char* start = key.data() + (key.starts_with('+') ? 1 : 0);
      const auto [end, error] = std::from_chars(start, key.data() + key.size(), number);
      return !key.empty() && error == std::errc() && end == key.data() + key.size();
    };
    const std::string count = prefix + "#";
    if (!std::ranges::all_of(keys, is_number)) {
      attributes.insert_or_assign(prefix + "%", attributes[count]);
      attributes.erase(count);
    }
    if (keys.empty()) attributes.erase(count);
  }
}

// `terraform_data.a`, `terraform_data.a.0`, `data.x.y.0`
base::Result<addrs::ResourceInstance> parse_old_address(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t start = 0; start != std::string::npos;) {
    const std::size_t dot = text.find('.', start);
    parts.push_back(text.substr(start, dot == std::string::npos ? dot : dot - start));
    start = dot == std::string::npos ? dot : dot + 1;
  }
  const base::Error invalid{fmt::format("{} is not an address", base::quote_go(text))};
  if (parts.size() < 2 || parts.size() > 4) return invalid;
  addrs::ResourceInstance instance;
  if (parts.size() > 2 && parts[0] == "data") {
    instance.resource.mode = addrs::ResourceMode::Data;
    parts.erase(parts.begin());
  } else if (parts.size() > 3) {
    return invalid;
  }
  instance.resource.type = parts[0];
  instance.resource.name = parts[1];
  if (parts.size() > 2) {
    std::int64_t index = 0;
    const auto [end, error] =
        std::from_chars(parts[2].data(), parts[2].data() + parts[2].size(), index);
    if (error != std::errc() || end != parts[2].data() + parts[2].size()) return invalid;
    instance.key = addrs::InstanceKey(index);
  }
  return instance;
}

// The type that an old output was probably meant to have: all of one type is a
// list or a map, since nothing else could be written then.
value::Type simplify(value::Type type) {
  if (type.kind() == value::TypeKind::Tuple && !type.elements().empty()) {
    const value::Type first = type.elements().front();
    const bool same =
        std::ranges::all_of(type.elements(), [&](value::Type other) { return other == first; });
    return same ? value::Type::list(simplify(first)) : type;
  }
  if (type.kind() == value::TypeKind::Object && !type.attributes().empty()) {
    const value::Type first = type.attributes().front().type;
    const bool same = std::ranges::all_of(
        type.attributes(),
        [&](const value::ObjectAttribute& other) { return other.type == first; });
    return same ? value::Type::map(simplify(first)) : type;
  }
  return type;
}

class Upgrade {
 public:
  explicit Upgrade(OldState old) : old_(std::move(old)), writer_(text_) {}

  base::Result<std::string> run() {
    writer_.begin_object();
    writer_.field("version", 4);
    writer_.field("terraform_version", old_.version.empty() ? "0.0.0" : old_.version);
    writer_.key("serial");
    writer_.raw(old_.serial);
    writer_.field("lineage", old_.lineage);
    writer_.key("outputs");
    writer_.begin_object();
    for (const OldModule& module : old_.modules) {
      if (module.path != std::vector<std::string>{"root"}) continue;
      for (const auto& [name, output] : module.outputs) {
        if (!write_output(name, output)) return error_;
      }
    }
    writer_.end_object();
    writer_.key("resources");
    writer_.begin_array();
    for (const OldModule& module : old_.modules) {
      if (!write_module(module)) return error_;
    }
    writer_.end_array();
    writer_.end_object();
    return std::move(text_);
  }

 private:
  bool fail(std::string what) {
    error_.what = std::move(what);
    return false;
  }

  bool write_output(const std::string& name, const OldOutput& output) {
    const auto value = value::parse_json(output.json);
    if (!value) return fail(fmt::format("the output {} cannot be read", base::quote_go(name)));
    writer_.key(name);
    writer_.begin_object();
    writer_.key("value");
    writer_.raw(output.json);
    writer_.key("type");
    writer_.raw(value::type_to_json(simplify(value->type())));
    if (output.sensitive) writer_.field("sensitive", true);
    writer_.end_object();
    return true;
  }

  bool write_module(const OldModule& module) {
    if (module.path.empty() || module.path.front() != "root") {
      return fail("a module's path does not begin with \"root\"");
    }
    addrs::ModulePath path{{module.path.begin() + 1, module.path.end()}};
    for (const std::string& name : path.names) {
      if (base::is_identifier(name)) continue;
      return fail(
          fmt::format("{} in the path of a module is not a name that modules can have; "
                      "rename it with Terraform 0.11 first",
                      base::quote_go(name)));
    }
    // An entry of an old state is an instance; those of one resource belong together.
    std::map<addrs::Resource, std::vector<std::pair<addrs::InstanceKey, const OldResource*>>> all;
    for (const auto& [text, resource] : module.resources) {
      auto address = parse_old_address(text);
      if (!address) return fail(address.error().what);
      all[address->resource].emplace_back(address->key, &resource);
    }
    for (const auto& [resource, instances] : all) {
      if (!write_resource(path, resource, instances)) return false;
    }
    return true;
  }

  bool write_resource(
      const addrs::ModulePath& path, const addrs::Resource& resource,
      const std::vector<std::pair<addrs::InstanceKey, const OldResource*>>& instances) {
    const auto provider = provider_text(path, resource, instances.front().second->provider);
    if (!provider) return fail(provider.error().what);
    writer_.begin_object();
    if (!path.is_root()) writer_.field("module", path.to_string());
    writer_.field("mode", resource.mode == addrs::ResourceMode::Data ? "data" : "managed");
    writer_.field("type", resource.type);
    writer_.field("name", resource.name);
    writer_.field("provider", *provider);
    writer_.key("instances");
    writer_.begin_array();
    for (const auto& [key, old] : instances) {
      if (old->primary) write_object(key, "", *old->primary);
      for (std::size_t i = 0; i < old->deposed.size(); ++i) {
        if (!old->deposed[i]) continue;
        write_object(key, fmt::format("{:08x}", i + 1), *old->deposed[i]);
      }
    }
    writer_.end_array();
    writer_.end_object();
    return true;
  }

  // In the form before providers had whole names, which the reader of version 4 takes.
  static base::Result<std::string> provider_text(const addrs::ModulePath& path,
                                                 const addrs::Resource& resource,
                                                 const std::string& old) {
    if (old.find("provider.") != std::string::npos) {
      diag::Diagnostics unused;
      if (addrs::parse_text(old, addrs::parse_legacy_provider_config, unused)) return old;
      return base::Error{fmt::format("{} is not a provider configuration", base::quote_go(old))};
    }
    const std::string local = old.empty() ? std::string(resource.implied_provider()) : old;
    std::string text = path.is_root() ? "" : path.to_string() + ".";
    text += "provider." + local;
    diag::Diagnostics unused;
    if (addrs::parse_text(text, addrs::parse_legacy_provider_config, unused)) return text;
    return base::Error{fmt::format("{} is not a provider configuration", base::quote_go(local))};
  }

  void write_object(const addrs::InstanceKey& key, const std::string& deposed,
                    const OldObject& old) {
    writer_.begin_object();
    if (key.number() != nullptr) writer_.field("index_key", *key.number());
    if (old.tainted) writer_.field("status", "tainted");
    if (!deposed.empty()) writer_.field("deposed", deposed);

    // The schema's version was a private matter of providers then.
    std::map<std::string, std::string> meta = old.meta;
    std::uint64_t schema_version = 0;
    if (const auto found = meta.find("schema_version"); found != meta.end()) {
      std::string_view digits = found->second;
      if (digits.starts_with('"')) digits = digits.substr(1, digits.size() - 2);
      const auto [end, error] =
          std::from_chars(digits.data(), digits.data() + digits.size(), schema_version);
      const bool whole = error == std::errc() && end == digits.data() + digits.size();
      if (whole) {
        meta.erase(found);
      } else {
        schema_version = 0;
      }
    }
    writer_.field("schema_version", schema_version);
    std::optional<Flat> attributes = old.attributes;
    if (!old.id.empty()) {
      if (!attributes) attributes.emplace();
      std::string& id = (*attributes)["id"];
      if (id.empty()) id = old.id;
    }
    if (attributes) {
      writer_.key("attributes_flat");
      writer_.begin_object();
      for (const auto& [name, text] : *attributes) writer_.field(name, text);
      writer_.end_object();
    }
    if (!meta.empty()) {
      std::string json;
      base::JsonWriter private_writer(json);
      private_writer.begin_object();
      for (const auto& [name, value] : meta) {
        private_writer.key(name);
        private_writer.raw(value);
      }
      private_writer.end_object();
      writer_.field("private", base::base64_encode(json));
    }
    writer_.end_object();
  }

  OldState old_;
  std::string text_;
  base::JsonWriter writer_;
  base::Error error_;
};

}  // namespace

base::Result<std::string> upgrade_to_version_4(std::string_view text, int version) {
  auto old = OldReader(text, version).read();
  if (!old) return std::move(old).error();
  if (version < 3) {
    for (OldModule& module : old->modules) {
      for (auto& [name, resource] : module.resources) {
        if (resource.primary && resource.primary->attributes) {
          count_maps_apart(*resource.primary->attributes);
        }
        for (auto& deposed : resource.deposed) {
          if (deposed && deposed->attributes) count_maps_apart(*deposed->attributes);
        }
      }
    }
  }
  return Upgrade(std::move(*old)).run();
}

}  // namespace tofu::state
