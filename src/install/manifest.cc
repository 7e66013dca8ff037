#include "install/manifest.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "addrs/module_source.h"
#include "addrs/version.h"
#include "base/file.h"
#include "base/json_writer.h"
#include "fetch/source_query.h"
#include "install/package_fetcher.h"
#include "value/json.h"

namespace tofu::install {

namespace {

using value::Kind;
using value::Value;

// The string at `name`; empty if it is not there or null. Nothing if it is not a string.
std::optional<std::string> text_at(const Value& object, std::string_view name) {
  const Value* found = object.plain().find(name);
  if (found == nullptr || found->is_null()) return std::string();
  if (found->kind() != Kind::String) return std::nullopt;
  return std::string(found->plain().as_string());
}

// Old versions wrote sources as they stood in the configuration.
std::string normal_source(std::string text) {
  if (text.empty()) return text;
  const auto source = addrs::parse_module_source(text);
  return source ? addrs::to_string(*source) : text;
}

// The list of modules; null if there is none, which counts as an empty one.
base::Result<const Value*, ManifestError> module_list(const Value& document) {
  if (document.is_null()) return nullptr;
  if (document.kind() != Kind::Object) return ManifestError{"it is not an object"};
  const Value* modules = document.plain().find("Modules");
  if (modules == nullptr || modules->is_null()) return nullptr;
  if (modules->kind() != Kind::Tuple) return ManifestError{"it has no list of modules"};
  return modules;
}

struct KeyedEntry {
  std::string key;
  ManifestEntry entry;
};

base::Result<KeyedEntry, ManifestError> read_entry(const Value& object) {
  if (object.kind() != Kind::Object) return ManifestError{"an entry of its list is not an object"};
  auto key = text_at(object, "Key");
  auto source = text_at(object, "Source");
  auto version = text_at(object, "Version");
  auto directory = text_at(object, "Dir");
  if (!key || !source || !version || !directory) {
    return ManifestError{
        "an entry of its list has a value that is not a string where a string is expected"};
  }
  if (!version->empty() && !addrs::Version::parse(*version)) {
    return ManifestError{
        fmt::format("{:?} has the version {:?}, which is not a version", *key, *version), true};
  }
  if (directory->empty()) {
    return ManifestError{fmt::format("{:?} has no directory", *key), true};
  }
  return KeyedEntry{
      std::move(*key),
      {normal_source(std::move(*source)), std::move(*version), std::move(*directory)}};
}

}  // namespace

std::string manifest_key(const addrs::ModulePath& module) {
  return fmt::format("{}", fmt::join(module.names, "."));
}

base::Result<Manifest, ManifestError> Manifest::read(const std::string& path) {
  Manifest manifest;
  const auto kind = base::file_kind(path);
  if (kind && *kind == base::FileKind::Missing) return manifest;
  const auto text = base::read_file(path);
  if (!text) return ManifestError{text.error().what};
  if (text->empty()) return manifest;
  const auto document = value::parse_json(*text);
  if (!document) {
    return ManifestError{"it is not a list of modules: " + document.error().what, true};
  }
  const auto modules = module_list(*document);
  if (!modules) return modules.error();
  if (*modules == nullptr) return manifest;
  for (const Value& each : (*modules)->plain().items()) {
    auto read = read_entry(each);
    if (!read) return std::move(read).error();
    const auto added = manifest.entries_.try_emplace(std::move(read->key), std::move(read->entry));
    if (!added.second) {
      return ManifestError{fmt::format("it has two entries for {:?}", added.first->first)};
    }
  }
  return manifest;
}

std::string Manifest::text() const {
  std::string out;
  base::JsonWriter json(out);
  json.begin_object();
  json.key("Modules");
  json.begin_array();
  for (const auto& [key, entry] : entries_) {
    json.begin_object();
    json.field("Key", key);
    json.field("Source", entry.source);
    if (!entry.version.empty()) json.field("Version", entry.version);
    json.field("Dir", entry.directory);
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return out;
}

bool Manifest::has_secrets() const {
  return std::ranges::any_of(entries_, [](const auto& entry) {
    return fetch::without_secrets(entry.second.source) != entry.second.source;
  });
}

const ManifestEntry* Manifest::find(const addrs::ModulePath& module) const {
  const auto found = entries_.find(manifest_key(module));
  return found == entries_.end() ? nullptr : &found->second;
}

void Manifest::set(const addrs::ModulePath& module, ManifestEntry entry) {
  entries_[manifest_key(module)] = std::move(entry);
}

void Manifest::remove(const addrs::ModulePath& module) {
  const std::string key = manifest_key(module);
  entries_.erase(key);
  const std::string below = key + ".";
  const auto first = entries_.lower_bound(below);
  auto last = first;
  while (last != entries_.end() && last->first.starts_with(below)) ++last;
  entries_.erase(first, last);
}

}  // namespace tofu::install
