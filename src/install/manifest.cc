#include "install/manifest.h"

#include <fmt/format.h>

#include "base/file.h"
#include "base/json_writer.h"
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
    manifest.entries_[text_at(entry, "Key")] = {text_at(entry, "Source"), text_at(entry, "Version"),
                                                text_at(entry, "Dir")};
  }
  return manifest;
}

base::Result<void> Manifest::write(const std::string& path) const {
  std::string text;
  base::JsonWriter json(text);
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
  return base::write_file(path, text);
}

const ManifestEntry* Manifest::find(const addrs::ModulePath& module) const {
  const auto found = entries_.find(manifest_key(module));
  return found == entries_.end() ? nullptr : &found->second;
}

void Manifest::set(const addrs::ModulePath& module, ManifestEntry entry) {
  entries_[manifest_key(module)] = std::move(entry);
}

}  // namespace tofu::install
