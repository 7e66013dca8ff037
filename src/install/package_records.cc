#include "install/package_records.h"

#include <array>
#include <fmt/format.h>
#include <tuple>
#include <utility>

#include "base/file.h"
#include "base/json_writer.h"
#include "value/json.h"

namespace tofu::install {

namespace {

using value::Kind;
using value::Value;

// Raised when the meaning of a field changes; other numbers are read as no record.
constexpr std::string_view kFormat = "1";

constexpr std::array<std::pair<Mutability, std::string_view>, 3> kStances = {{
    {Mutability::NotSaid, ""},
    {Mutability::ReadOnly, "read-only"},
    {Mutability::SelfModifying, "self-modifying"},
}};
constexpr std::array<std::pair<Placement, std::string_view>, 3> kPlacements = {{
    {Placement::Here, "here"},
    {Placement::Own, "own"},
    {Placement::Shared, "shared"},
}};

template <class Enum, std::size_t N>
std::string_view name_of(const std::array<std::pair<Enum, std::string_view>, N>& names, Enum one) {
  for (const auto& [value, name] : names) {
    if (value == one) return name;
  }
  return {};
}

template <class Enum, std::size_t N>
Enum named(const std::array<std::pair<Enum, std::string_view>, N>& names, std::string_view text) {
  for (const auto& [value, name] : names) {
    if (name == text) return value;
  }
  return names[0].first;
}

std::string text_at(const Value& object, std::string_view name) {
  const Value* found = object.plain().find(name);
  return found != nullptr && found->kind() == Kind::String ? std::string(found->plain().as_string())
                                                           : "";
}

// The objects in the list at `name`; everything else in it is ignored.
template <class Each>
void each_object(const Value& document, std::string_view name, const Each& each) {
  const Value* list = document.plain().find(name);
  if (list == nullptr || list->kind() != Kind::Tuple) return;
  for (const Value& entry : list->plain().items()) {
    if (entry.kind() == Kind::Object) each(entry);
  }
}

void optional_field(base::JsonWriter& json, std::string_view name, std::string_view text) {
  if (!text.empty()) json.field(name, text);
}

template <class Entries, class Write>
void write_list(base::JsonWriter& json, std::string_view name, const Entries& entries,
                const Write& write) {
  json.key(name);
  json.begin_array();
  for (const auto& [key, entry] : entries) {
    json.begin_object();
    write(key, entry);
    json.end_object();
  }
  json.end_array();
}

template <class Entries>
const typename Entries::mapped_type* find_in(const Entries& entries, std::string_view key) {
  const auto found = entries.find(key);
  return found == entries.end() ? nullptr : &found->second;
}

}  // namespace

base::Result<PackageRecords> PackageRecords::read(const std::string& path) {
  PackageRecords records;
  const auto kind = base::file_kind(path);
  if (kind && *kind == base::FileKind::Missing) return records;
  const auto text = base::read_file(path);
  if (!text) return text.error();
  const auto document = value::parse_json(*text);
  if (!document || document->kind() != Kind::Object) {
    return base::Error{"it is not a record of packages"};
  }
  if (text_at(*document, "format") != kFormat) return records;
  each_object(*document, "packages", [&](const Value& entry) {
    records.set_package(
        text_at(entry, "name"),
        {text_at(entry, "source"), text_at(entry, "version"), text_at(entry, "revision"),
         text_at(entry, "hash"), text_at(entry, "archive_hash"), text_at(entry, "subdir")});
  });
  each_object(*document, "calls", [&](const Value& entry) {
    records.calls[text_at(entry, "key")] = {text_at(entry, "package"), text_at(entry, "source"),
                                            named(kPlacements, text_at(entry, "placement")),
                                            named(kStances, text_at(entry, "stance")),
                                            text_at(entry, "decided_by")};
    each_object(entry, "origins", [&](const Value& origin) {
      records.calls[text_at(entry, "key")].origins.push_back(
          {text_at(origin, "directory"), text_at(origin, "hash")});
    });
  });
  each_object(*document, "libraries", [&](const Value& entry) {
    records.libraries[text_at(entry, "key")] = {text_at(entry, "package"),
                                                text_at(entry, "subdir")};
  });
  return records;
}

std::string PackageRecords::text() const {
  std::string out;
  base::JsonWriter json(out, "  ");
  json.begin_object();
  json.field("format", kFormat);
  write_list(json, "packages", packages, [&](const auto& name, const PackageRecord& package) {
    json.field("name", name);
    json.field("source", package.label);
    optional_field(json, "version", package.version);
    optional_field(json, "revision", package.revision);
    json.field("hash", package.hash);
    optional_field(json, "archive_hash", package.archive_hash);
    optional_field(json, "subdir", package.subdir);
  });
  write_list(json, "calls", calls, [&](const auto& key, const CallRecord& call) {
    json.field("key", key);
    optional_field(json, "package", call.package);
    optional_field(json, "source", call.label);
    json.field("placement", name_of(kPlacements, call.placement));
    optional_field(json, "stance", name_of(kStances, call.stance));
    optional_field(json, "decided_by", call.decided_by);
    if (call.origins.empty()) return;
    json.key("origins");
    json.begin_array();
    for (const Origin& origin : call.origins) {
      json.begin_object();
      json.field("directory", origin.directory);
      json.field("hash", origin.hash);
      json.end_object();
    }
    json.end_array();
  });
  write_list(json, "libraries", libraries, [&](const auto& key, const LibraryRecord& library) {
    json.field("key", key);
    json.field("package", library.package);
    optional_field(json, "subdir", library.subdir);
  });
  json.end_object();
  out += '\n';
  return out;
}

void PackageRecords::set_package(const std::string& name, PackageRecord record) {
  auto [at, last] = packages.equal_range(name);
  for (; at != last; ++at) {
    const PackageRecord& known = at->second;
    if (std::tie(known.label, known.version, known.revision) ==
        std::tie(record.label, record.version, record.revision)) {
      at->second = std::move(record);
      return;
    }
    if (record < known) break;
  }
  packages.emplace_hint(at, name, std::move(record));
}

const PackageRecord* PackageRecords::package(std::string_view name) const {
  const auto found = packages.lower_bound(name);
  return found == packages.end() || found->first != name ? nullptr : &found->second;
}

const PackageRecord* PackageRecords::package(std::string_view name, std::string_view label,
                                             std::string_view version) const {
  const PackageRecord* best = package(name);
  const auto [first, last] = packages.equal_range(name);
  for (auto at = first; at != last; ++at) {
    if (at->second.label != label) continue;
    best = &at->second;
    if (version.empty() || best->version == version) break;
  }
  return best;
}

const CallRecord* PackageRecords::call(std::string_view key) const { return find_in(calls, key); }

const LibraryRecord* PackageRecords::library(std::string_view key) const {
  return find_in(libraries, key);
}

std::string library_key(std::string_view source, std::string_view constraints) {
  return constraints.empty() ? std::string(source) : fmt::format("{} {}", source, constraints);
}

}  // namespace tofu::install
