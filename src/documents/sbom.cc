#include "documents/sbom.h"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>

#include "base/ascii.h"
#include "base/hashes.h"
#include "base/json_writer.h"

namespace tofu::documents {

namespace {

constexpr std::string_view kRoot = "root-module";

std::string reference_of(const BomComponent& component) {
  return component.version.empty() ? component.source
                                   : fmt::format("{}@{}", component.source, component.version);
}

// The last part of a source without its arguments: what people call the package.
std::string name_of(const BomComponent& component) {
  std::string_view name = component.source;
  if (component.kind == BomComponent::Kind::Provider) return std::string(name);
  const std::size_t method = name.find("::");
  if (method != std::string_view::npos) name.remove_prefix(method + 2);
  const std::size_t scheme = name.find("://");
  if (scheme != std::string_view::npos) name.remove_prefix(scheme + 3);
  name = name.substr(0, name.find('?'));
  if (name.ends_with(".git")) name.remove_suffix(4);
  return std::string(name);
}

std::string_view kind_of(const BomComponent& component) {
  switch (component.kind) {
    case BomComponent::Kind::ModulePackage: return "module-package";
    case BomComponent::Kind::Provider: return "provider";
  }
  return {};
}

// The package URL, where one is defined: https://github.com/package-url/purl-spec.
std::string package_url(const BomComponent& component) {
  const std::string name = name_of(component);
  constexpr std::string_view kHub = "github.com/";
  const bool is_git = component.source.starts_with("git::");
  if (!is_git || !name.starts_with(kHub) || component.version.empty()) return {};
  return fmt::format("pkg:github/{}@{}", base::ascii_lower(name.substr(kHub.size())),
                     component.version);
}

void write_property(base::JsonWriter& json, std::string_view name, std::string_view value) {
  json.begin_object();
  json.field("name", name);
  json.field("value", value);
  json.end_object();
}

void write_component(base::JsonWriter& json, const BomComponent& component) {
  json.begin_object();
  json.field("type", "library");
  json.field("bom-ref", reference_of(component));
  json.field("name", name_of(component));
  if (!component.version.empty()) json.field("version", component.version);
  if (const std::string url = package_url(component); !url.empty()) json.field("purl", url);
  if (!component.license.empty() || !component.license_file.empty()) {
    json.key("licenses");
    json.begin_array();
    json.begin_object();
    json.key("license");
    json.begin_object();
    if (component.license.empty()) {
      json.field("name", component.license_file);
    } else {
      json.field("id", component.license);
    }
    json.end_object();
    json.end_object();
    json.end_array();
  }
  json.key("properties");
  json.begin_array();
  write_property(json, "tofu:kind", kind_of(component));
  write_property(json, "tofu:source", component.source);
  for (const std::string& hash : component.hashes) write_property(json, "tofu:hash", hash);
  for (const std::string& user : component.used_by) write_property(json, "tofu:used-by", user);
  json.end_array();
  json.end_object();
}

void write_dependency(base::JsonWriter& json, std::string_view from,
                      const std::vector<std::string>& to) {
  json.begin_object();
  json.field("ref", from);
  json.key("dependsOn");
  json.begin_array();
  for (const std::string& each : to) json.string(each);
  json.end_array();
  json.end_object();
}

// An identifier in SPDX has letters, digits, dots and dashes.
std::string spdx_id(const BomComponent& component) {
  return "SPDXRef-Package-" + base::sha256_hex(reference_of(component)).substr(0, 16);
}

void write_spdx_package(base::JsonWriter& json, const BomComponent& component) {
  const bool is_url = component.source.find("://") != std::string::npos;
  json.begin_object();
  json.field("SPDXID", spdx_id(component));
  json.field("name", name_of(component));
  if (!component.version.empty()) json.field("versionInfo", component.version);
  // Where a whole commit is known, it is a part of the location.
  std::string location = is_url ? component.source.substr(0, component.source.find('?')) : "";
  if (location.starts_with("git::")) {
    location =
        "git+" + location.substr(5) + (component.version.empty() ? "" : "@") + component.version;
  }
  json.field("downloadLocation", location.empty() ? "NOASSERTION" : location);
  json.field("filesAnalyzed", false);
  json.field("licenseConcluded", "NOASSERTION");
  json.field("licenseDeclared", component.license.empty() ? "NOASSERTION" : component.license);
  json.field("copyrightText", "NOASSERTION");
  std::string comment = fmt::format("{} {}", kind_of(component), component.source);
  for (const std::string& hash : component.hashes) comment += " " + hash;
  json.field("comment", comment);
  if (const std::string url = package_url(component); !url.empty()) {
    json.key("externalRefs");
    json.begin_array();
    json.begin_object();
    json.field("referenceCategory", "PACKAGE-MANAGER");
    json.field("referenceType", "purl");
    json.field("referenceLocator", url);
    json.end_object();
    json.end_array();
  }
  json.end_object();
}

void write_relationship(base::JsonWriter& json, std::string_view from, std::string_view type,
                        std::string_view to) {
  json.begin_object();
  json.field("spdxElementId", from);
  json.field("relationshipType", type);
  json.field("relatedSpdxElement", to);
  json.end_object();
}

}  // namespace

std::string cyclonedx_json(const BomSubject& subject, std::span<const BomComponent> components) {
  std::string text;
  base::JsonWriter json(text, "  ");
  json.begin_object();
  json.field("bomFormat", "CycloneDX");
  json.field("specVersion", "1.5");
  json.field("version", 1);
  json.key("metadata");
  json.begin_object();
  json.key("tools");
  json.begin_object();
  json.key("components");
  json.begin_array();
  json.begin_object();
  json.field("type", "application");
  json.field("name", "tofu");
  json.field("version", subject.tool_version);
  json.end_object();
  json.end_array();
  json.end_object();
  json.key("component");
  json.begin_object();
  json.field("type", "application");
  json.field("bom-ref", kRoot);
  json.field("name", subject.name);
  json.end_object();
  json.end_object();
  json.key("components");
  json.begin_array();
  for (const BomComponent& each : components) write_component(json, each);
  json.end_array();
  json.key("dependencies");
  json.begin_array();
  std::vector<std::string> direct;
  for (const BomComponent& each : components) {
    if (each.is_direct) direct.push_back(reference_of(each));
  }
  write_dependency(json, kRoot, direct);
  for (const BomComponent& each : components) {
    std::vector<std::string> needed;
    for (const std::size_t other : each.needs) needed.push_back(reference_of(components[other]));
    write_dependency(json, reference_of(each), needed);
  }
  json.end_array();
  json.end_object();
  return text;
}

std::string spdx_json(const BomSubject& subject, std::span<const BomComponent> components) {
  constexpr std::string_view kDocument = "SPDXRef-DOCUMENT";
  constexpr std::string_view kSubject = "SPDXRef-RootModule";
  std::string all = subject.name;
  for (const BomComponent& each : components) all += "\n" + reference_of(each);
  std::string text;
  base::JsonWriter json(text, "  ");
  json.begin_object();
  json.field("spdxVersion", "SPDX-2.3");
  json.field("dataLicense", "CC0-1.0");
  json.field("SPDXID", kDocument);
  json.field("name", subject.name);
  // Required to be unique for each document; nothing is at that address.
  json.field("documentNamespace",
             fmt::format("https://opentofu.org/spdx/{}", base::sha256_hex(all)));
  json.key("creationInfo");
  json.begin_object();
  json.field("created", subject.created);
  json.key("creators");
  json.begin_array();
  json.string(fmt::format("Tool: tofu-{}", subject.tool_version));
  json.end_array();
  json.end_object();
  json.key("packages");
  json.begin_array();
  json.begin_object();
  json.field("SPDXID", kSubject);
  json.field("name", subject.name);
  json.field("downloadLocation", "NOASSERTION");
  json.field("filesAnalyzed", false);
  json.field("licenseConcluded", "NOASSERTION");
  json.field("licenseDeclared", "NOASSERTION");
  json.field("copyrightText", "NOASSERTION");
  json.end_object();
  for (const BomComponent& each : components) write_spdx_package(json, each);
  json.end_array();
  json.key("relationships");
  json.begin_array();
  write_relationship(json, kDocument, "DESCRIBES", kSubject);
  for (const BomComponent& each : components) {
    if (each.is_direct) write_relationship(json, kSubject, "DEPENDS_ON", spdx_id(each));
    for (const std::size_t other : each.needs) {
      write_relationship(json, spdx_id(each), "DEPENDS_ON", spdx_id(components[other]));
    }
  }
  json.end_array();
  json.end_object();
  return text;
}

}  // namespace tofu::documents
