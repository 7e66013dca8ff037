#include "install/manifest.h"

#include <algorithm>
#include <fmt/format.h>

#include "addrs/module_source.h"
#include "base/file.h"
#include "base/json_writer.h"
#include "install/package_fetcher.h"
#include "value/json.h"

namespace tofu::install {

namespace {

using value::Kind;
using value::Value;

// The string at `name`; empty if it is not there.
std::string text_at(const Value& object, std::string_view name) {
  const Value* found = object.find(name);
  return found != nullptr && found->kind() == Kind::String ? std::string(found->as_string()) : "";
}

// Old versions wrote sources as they stood in the configuration.
std::string normal_source(std::string text) {
  if (text.empty()) return text;
  const auto source = addrs::parse_module_source(text);
  return source ? addrs::to_string(*source) : text;
}

}  // namespace

std::string manifest_key(const addrs::ModulePath& module) {
  return fmt::format("{}", fmt::join(module.names, "."));
}

base::Result<Manifest> Manifest::read(const std::string& path) {
  Manifest manifest;
  const auto kind = base::file_kind(path);
  if (kind && *kind == base::FileKind::Missing) return manifest;
  const auto text = base::read_file(path);
  if (!text) return text.error();
  const auto document = value::parse_json(*text);
  if (!document) return base::Error{"it is not a list of modules: " + document.error().what};
  const Value* modules = document->kind() == Kind::Object ? document->find("Modules") : nullptr;
  if (modules == nullptr || modules->kind() != Kind::Tuple) {
    return base::Error{"it has no list of modules"};
  }
  for (const Value& entry : modules->items()) {
    if (entry.kind() != Kind::Object) return base::Error{"an entry of its list is not an object"};
    const auto added = manifest.entries_.try_emplace(
        text_at(entry, "Key"), ManifestEntry{normal_source(text_at(entry, "Source")),
                                             text_at(entry, "Version"), text_at(entry, "Dir")});
    if (!added.second) {
      return base::Error{fmt::format("it has two entries for {:?}", added.first->first)};
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
    return without_secrets(entry.second.source) != entry.second.source;
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
