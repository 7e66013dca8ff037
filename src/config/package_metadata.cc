#include "config/package_metadata.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <unordered_map>
#include <utility>
#include <variant>

#include "addrs/module_source.h"
#include "base/suggest.h"
#include "config/block_reader.h"
#include "functions/file_path.h"
#include "syntax/analysis.h"
#include "syntax/block_reading.h"
#include "syntax/constants.h"

namespace tofu::config {

namespace {

constexpr std::array<std::string_view, 2> kReadOnlyNames{"self", "dependencies"};

constexpr std::string_view kWholePackage =
    "A dependency is a whole package. Remove the subdirectory after //.";

// Takes the blocks of one file apart.
class PackageDeclarer {
 public:
  PackageDeclarer(const LookInPackage& look, diag::Diagnostics& diags)
      : look_(look), diags_(diags) {}

  PackageMetadata read_file(const syntax::File& file);

 private:
  void read_package(const syntax::Block& block);
  void read_module(const syntax::Block& block);
  void read_dependency(const syntax::Block& block);
  bool read_path(const syntax::Expr& expr, PackageModule& module);
  void read_read_only(const syntax::Expr& expr, PackageModule& module);
  void read_instances(const syntax::Expr& expr, PackageModule& module);
  void add(PackageModule module, diag::SourceRange label_range);

  std::string text_of(const syntax::Content& content, std::string_view name);
  void report_path(const syntax::Expr& expr, std::string detail);

  const LookInPackage& look_;
  diag::Diagnostics& diags_;
  PackageMetadata metadata_;
  std::unordered_map<std::string, std::string> by_name_;  // to the path
  std::unordered_map<std::string, std::string> by_path_;  // to the name
  bool has_package_ = false;
};

PackageMetadata PackageDeclarer::read_file(const syntax::File& file) {
  static const syntax::BodySchema kSchema =
      syntax::schema_of({}, {{"package", {}}, {"module", {"name"}}, {"dependency", {"source"}}});
  for (const syntax::Block& block : file.body().content(kSchema, diags_).blocks) {
    if (block.type == "package") read_package(block);
    if (block.type == "module") read_module(block);
    if (block.type == "dependency") read_dependency(block);
  }
  return std::move(metadata_);
}

std::string PackageDeclarer::text_of(const syntax::Content& content, std::string_view name) {
  const syntax::Attribute* attribute = content.attribute(name);
  return attribute == nullptr ? "" : syntax::constant_string(*attribute->expr, diags_).value_or("");
}

void PackageDeclarer::read_package(const syntax::Block& block) {
  static const syntax::BodySchema kSchema = syntax::schema_of({"description"});
  if (std::exchange(has_package_, true)) {
    diags_.error("Duplicate package block")
        .detail("Only one package block is allowed. Merge the blocks.")
        .at(block.range);
  }
  std::string description = text_of(block.body.content(kSchema, diags_), "description");
  if (metadata_.description.empty()) metadata_.description = std::move(description);
}

void PackageDeclarer::read_module(const syntax::Block& block) {
  static const syntax::BodySchema kSchema = syntax::with_required(
      syntax::schema_of({"path", "description", "read-only", "instances"}), {"path"});
  const syntax::Content content = block.body.content(kSchema, diags_);
  PackageModule module;
  module.name = block.labels[0].text;
  module.range = block.range;
  module.description = text_of(content, "description");
  if (const syntax::Attribute* attribute = content.attribute("read-only")) {
    read_read_only(*attribute->expr, module);
  }
  if (const syntax::Attribute* attribute = content.attribute("instances")) {
    read_instances(*attribute->expr, module);
  }
  const syntax::Attribute* path = content.attribute("path");
  if (path == nullptr || !read_path(*path->expr, module)) return;
  add(std::move(module), block.labels[0].range);
}

void PackageDeclarer::read_dependency(const syntax::Block& block) {
  static const syntax::BodySchema kSchema =
      syntax::with_required(syntax::schema_of({"read-only"}), {"read-only"});
  const syntax::Content content = block.body.content(kSchema, diags_);
  PackageDependency dependency{.range = block.range};
  if (const syntax::Attribute* attribute = content.attribute("read-only")) {
    dependency.read_only = syntax::constant_bool(*attribute->expr, diags_).value_or(true);
  }
  const syntax::Label& label = block.labels[0];
  const auto refuse = [&](std::string detail) {
    diags_.error("Invalid dependency source").detail(std::move(detail)).at(label.range);
  };
  const auto source = addrs::parse_module_source(label.text);
  if (!source) return refuse(fmt::format("{}.", source.error().what));
  if (const auto* registry = std::get_if<addrs::RegistrySource>(&*source)) {
    if (!registry->subdir.empty()) return refuse(std::string(kWholePackage));
    dependency.source = registry->package();
  } else if (const auto* remote = std::get_if<addrs::RemoteSource>(&*source)) {
    if (!remote->subdir.empty()) return refuse(std::string(kWholePackage));
    dependency.source = remote->package;
  } else {
    return refuse("A local module is a part of this package. Describe it in a module block.");
  }
  if (std::ranges::find(metadata_.dependencies, dependency.source, &PackageDependency::source) !=
      metadata_.dependencies.end()) {
    diags_.error("Duplicate dependency block")
        .detail(
            fmt::format("The package {:?} is already described. Merge the two blocks.", label.text))
        .at(label.range);
    return;
  }
  metadata_.dependencies.push_back(std::move(dependency));
}

void PackageDeclarer::add(PackageModule module, diag::SourceRange label_range) {
  const auto [same_name, new_name] = by_name_.try_emplace(module.name, module.path);
  if (!new_name) {
    diags_.error("Duplicate module block")
        .detail(fmt::format("The module {:?} is already declared, with the path {:?}. Rename or "
                            "remove one of them.",
                            module.name, same_name->second))
        .at(label_range);
    return;
  }
  const auto [same_path, new_path] = by_path_.try_emplace(module.path, module.name);
  if (!new_path) {
    diags_.error("Duplicate module directory")
        .detail(fmt::format(
            "The module {:?} already describes the directory {:?}. Merge the two blocks.",
            same_path->second, module.path))
        .at(module.path_range);
    return;
  }
  metadata_.modules.push_back(std::move(module));
}

void PackageDeclarer::report_path(const syntax::Expr& expr, std::string detail) {
  diags_.error("Invalid module path").detail(std::move(detail)).at(expr.range);
}

// Fills in the path.
diag::Checked<void> PackageDeclarer::read_path(const syntax::Expr& expr, PackageModule& module) {
  const auto text = syntax::constant_string(expr, diags_);
  if (!text) return false;
  if (text->empty() || text->find('\0') != std::string::npos) {
    report_path(expr, "This is not a valid path. The directory of the package itself is \".\".");
    return false;
  }
  if (text->front() == '/') {
    report_path(expr, "The path must be relative to the directory of this file.");
    return false;
  }
  module.path = functions::clean_path(*text);
  module.path_range = expr.range;
  if (module.path == ".." || module.path.starts_with("../")) {
    report_path(
        expr,
        fmt::format(
            "{:?} is outside of the package. Only modules of the same package can be described.",
            *text));
    return false;
  }
  switch (look_(module.path)) {
    case PathInPackage::Directory: return true;
    case PathInPackage::Missing:
      report_path(expr, fmt::format("The package has no directory {:?}.", module.path));
      return false;
    case PathInPackage::NotADirectory:
      report_path(expr, fmt::format("{:?} is not a directory.", module.path));
      return false;
    case PathInPackage::Outside:
      report_path(expr, fmt::format("A symbolic link in {:?} leads out of the package. Only "
                                    "modules of the same package can be described.",
                                    module.path));
      return false;
  }
  return false;
}

void PackageDeclarer::read_read_only(const syntax::Expr& expr, PackageModule& module) {
  diag::Diagnostics unread;  // what it is instead does not matter
  const auto items = syntax::as_map(expr, unread);
  if (!items) {
    diags_.error("Invalid value")
        .detail("Write an object here, such as { self = false, dependencies = true }.")
        .at(syntax::start_range(expr))
        .within(expr.range);
    return;
  }
  for (const syntax::ObjectItem& item : *items) {
    const auto name = syntax::constant_string(*item.key, diags_);
    if (!name) continue;
    if (*name == "self") {
      module.self_read_only = syntax::constant_bool(*item.value, diags_).value_or(true);
    } else if (*name == "dependencies") {
      module.dependencies_read_only = syntax::constant_bool(*item.value, diags_).value_or(true);
    } else {
      diags_.error("Unsupported attribute")
          .detail(fmt::format("\"read-only\" has no attribute {:?}.{}", *name,
                              base::did_you_mean(*name, kReadOnlyNames)))
          .at(item.key->range)
          .within(expr.range);
    }
  }
}

void PackageDeclarer::read_instances(const syntax::Expr& expr, PackageModule& module) {
  const auto text = syntax::constant_string(expr, diags_);
  if (!text || *text == "many") return;
  if (*text == "single") {
    module.instances = Instances::Single;
    return;
  }
  diags_.error("Invalid value")
      .detail(fmt::format("\"instances\" must be \"many\" or \"single\", not {:?}.", *text))
      .at(expr.range);
}

}  // namespace

const PackageModule* PackageMetadata::find(std::string_view path) const {
  const auto found = std::ranges::find(modules, path, &PackageModule::path);
  return found == modules.end() ? nullptr : &*found;
}

const PackageDependency* PackageMetadata::find_dependency(std::string_view source) const {
  const std::string_view without_arguments = source.substr(0, source.find('?'));
  const PackageDependency* found = nullptr;
  for (const PackageDependency& each : dependencies) {
    if (each.source == source) return &each;
    if (each.source == without_arguments) found = &each;
  }
  return found;
}

PackageMetadata declare_package(const syntax::File& file, const LookInPackage& look,
                                diag::Diagnostics& diags) {
  return PackageDeclarer(look, diags).read_file(file);
}

}  // namespace tofu::config
