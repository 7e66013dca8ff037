// The metadata that a package's author declares: module-package.meta.hcl.
//
// The file stands at the root of a package, or beside the root module. It lists the modules that
// change their own files, and the expected behavior of the packages they call, so that init knows
// which directories may be shared. Text comes in and declarations go out; only the directories that
// paths name are looked at on disk, through a question that the caller answers.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diag/diagnostic.h"
#include "diag/source.h"
#include "syntax/parser.h"

namespace tofu::config {

inline constexpr std::string_view kPackageMetadataFile = "module-package.meta.hcl";
inline constexpr std::string_view kPackageMetadataJsonFile = "module-package.meta.hcl.json";

enum class Instances : std::uint8_t { Many, Single };

struct PackageModule {
  std::string name;  // the label of the block
  std::string path;  // clean, relative to the package; "." for its top
  std::string description = {};
  bool self_read_only = true;
  bool dependencies_read_only = true;
  Instances instances = Instances::Many;
  diag::SourceRange range = {};
  diag::SourceRange path_range = {};
};

// What the file says of one package that its modules call.
struct PackageDependency {
  std::string source = {};  // in normal form, without subdirectory
  bool read_only = true;
  diag::SourceRange range = {};
};

struct PackageMetadata {
  std::string description;
  std::vector<PackageModule> modules;
  std::vector<PackageDependency> dependencies;

  // By path, clean; null if the file says nothing about that module.
  const PackageModule* find(std::string_view path) const;
  // By source without secrets. An entry without arguments (?ref=) is about all refs; one with the
  // same arguments goes before it. Null if the file says nothing about that package.
  const PackageDependency* find_dependency(std::string_view source) const;
};

// How a path inside the package looks on disk. Outside: a link leads out of it.
enum class PathInPackage : std::uint8_t { Directory, Missing, NotADirectory, Outside };
using LookInPackage = std::function<PathInPackage(const std::string& path)>;

// Errors are reported at their places; the valid parts are returned.
PackageMetadata declare_package(const syntax::File& file, const LookInPackage& look,
                                diag::Diagnostics& diags);

}  // namespace tofu::config
