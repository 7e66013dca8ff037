// The record of installed packages: .terraform/packages/packages.json.
//
// modules.json, which other programs read, says where the module of each call is. This says the
// rest: which package it is from, in which state of the source, who shares it and why, and where
// symbol libraries are. It can be lost: the next init then fetches packages again that it does not
// recognize.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tofu::install {

// The record of a module: that it leaves its files alone, that it changes them, or nothing.
enum class Mutability : std::uint8_t { NotSaid, ReadOnly, SelfModifying };

enum class Placement : std::uint8_t {
  Here,    // in the package of the module that calls it
  Own,     // a copy that belongs to one call
  Shared,  // the one directory of the package, which all calls see
};

// The state of a source that was installed.
struct PackageRecord {
  std::string label;              // the source without subdirectory and secrets
  std::string version = {};       // of a registry module
  std::string revision = {};      // the commit, for repositories
  std::string hash = {};          // "h1:…"
  std::string archive_hash = {};  // "zh:…" if it came as an archive
  std::string subdir = {};        // that the registry names, before the call's own
  auto operator<=>(const PackageRecord&) const = default;
};

// A copied directory, and its contents at that time.
struct Origin {
  std::string directory;
  std::string hash;
  auto operator<=>(const Origin&) const = default;
};

struct CallRecord {
  std::string package;  // the name of its directory in .terraform/packages; empty for the root's
  std::string label;    // of the package
  Placement placement = Placement::Here;
  Mutability stance = Mutability::NotSaid;
  std::string decided_by = {};       // for people: who said that it may be shared or not
  std::vector<Origin> origins = {};  // of a copy of local modules, that of the call first
};

struct LibraryRecord {
  std::string package;  // as above
  std::string subdir = {};
};

struct PackageRecords {
  // By directory name. Sources with the same content share a directory, and each has a record.
  std::multimap<std::string, PackageRecord, std::less<>> packages;
  std::map<std::string, CallRecord, std::less<>> calls;         // by key, as in modules.json
  std::map<std::string, LibraryRecord, std::less<>> libraries;  // by library_key()

  // An absent file is an empty record.
  static base::Result<PackageRecords> read(const std::string& path);
  std::string text() const;

  // Adds the record, or replaces that of the same state of the same source.
  void set_package(const std::string& name, PackageRecord record);

  // Any record of that directory.
  const PackageRecord* package(std::string_view name) const;
  // The record of one source; any if the directory has none of that source. `version` chooses
  // among several versions that have the same content.
  const PackageRecord* package(std::string_view name, std::string_view label,
                               std::string_view version = {}) const;
  const CallRecord* call(std::string_view key) const;
  const LibraryRecord* library(std::string_view key) const;
};

// One import of a fetched library: its source in normal form and its version constraint.
std::string library_key(std::string_view source, std::string_view constraints);

}  // namespace tofu::install
