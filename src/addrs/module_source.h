// Module source addresses: the `source` of a module call.
//
// Text is only read and normalized here; nothing is fetched and the disk is not looked at. The
// input is text without a source range, so problems are returned as Results. The caller knows the
// argument and makes the diagnostic.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "base/hostname.h"
#include "base/result.h"

namespace tofu::addrs {

// A directory relative to the calling module, in the same package.
struct LocalSource {
  std::string path;  // clean, begins with ./ or ../
  auto operator<=>(const LocalSource&) const = default;
};

// A module of a registry: [HOST/]NAMESPACE/NAME/SYSTEM[//SUBDIR]
struct RegistrySource {
  base::Hostname host;
  std::string space;  // the namespace
  std::string name;
  std::string system;
  std::string subdir = {};  // clean, relative; empty for the package's top

  std::string package() const;  // host/namespace/name/system
  auto operator<=>(const RegistrySource&) const = default;
};

// A package to be fetched from an address of its own.
struct RemoteSource {
  std::string package;      // normalized: git::https://…, https://…, file:///…
  std::string subdir = {};  // clean, relative; empty for the package's top
  auto operator<=>(const RemoteSource&) const = default;
};

using ModuleSource = std::variant<LocalSource, RegistrySource, RemoteSource>;

base::Result<ModuleSource> parse_module_source(std::string_view text);
// Only as a registry address, to report the error in one that was meant as such.
base::Result<RegistrySource> parse_registry_source(std::string_view text);
// A source that has versions: an address in a registry, or a git repository without a ref, whose
// versions are its tags. The error says how to name a revision of another source.
base::Result<ModuleSource> parse_versioned_source(std::string_view text);

std::string to_string(const ModuleSource& source);    // parses to the same source
std::string for_display(const ModuleSource& source);  // without the default registry host

// Resolves the source `to`, written in a module that came from `from`: a local source is resolved
// against `from`, every other is absolute already. An error if it would leave the package.
base::Result<ModuleSource> resolve(const ModuleSource& from, const ModuleSource& to);

// The package a registry names for `given`, with the subdirectories of both.
RemoteSource with_subdir_of(const RemoteSource& found, const RegistrySource& given);

enum class RemoteKind : std::uint8_t { Git, Mercurial, Http, Oci, S3, Gcs, File, Unsupported };
RemoteKind kind_of(const RemoteSource& source);

}  // namespace tofu::addrs
