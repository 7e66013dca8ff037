#include "config/package_metadata.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <unordered_map>
#include <utility>

#include "base/suggest.h"
#include "config/constants.h"
#include "config/reading.h"
#include "functions/file_path.h"
#include "syntax/analysis.h"

namespace tofu::config {

namespace {

constexpr std::array<std::string_view, 2> kReadOnlyNames{"self", "dependencies"};

// Takes the blocks of one file apart.
class PackageDeclarer {
 public:
  PackageDeclarer(const LookInPackage& look, diag::Diagnostics& diags)
      : look_(look), diags_(diags) {}

  PackageMetadata read_file(const syntax::File& file);

 private:
  void read_package(const syntax::Block& block);
  void read_module(const syntax::Block& block);
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
  static const syntax::BodySchema kSchema = schema_of({}, {{"package", {}}, {"module", {"name"}}});
  for (const syntax::Block& block : file.body().content(kSchema, diags_).blocks) {
    if (block.type == "package") read_package(block);
    if (block.type == "module") read_module(block);
  }
  return std::move(metadata_);
}

std::string PackageDeclarer::text_of(const syntax::Content& content, std::string_view name) {
  const syntax::Attribute* attribute = content.attribute(name);
  return attribute == nullptr ? "" : constant_string(*attribute->expr, diags_).value_or("");
}

void PackageDeclarer::read_package(const syntax::Block& block) {
  static const syntax::BodySchema kSchema = schema_of({"description"});
  if (std::exchange(has_package_, true)) {
    diags_.error("Duplicate package block")
        .detail("A package is described once. Put everything into one block.")
        .at(block.range);
  }
  std::string description = text_of(block.body.content(kSchema, diags_), "description");
  if (metadata_.description.empty()) metadata_.description = std::move(description);
}

void PackageDeclarer::read_module(const syntax::Block& block) {
  static const syntax::BodySchema kSchema =
      with_required(schema_of({"path", "description", "read-only", "instances"}), {"path"});
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

void PackageDeclarer::add(PackageModule module, diag::SourceRange label_range) {
  const auto [same_name, new_name] = by_name_.try_emplace(module.name, module.path);
  if (!new_name) {
    diags_.error("Duplicate module block")
        .detail(fmt::format("There already is a module {:?}, with the path {:?}. Rename or remove "
                            "one of them.",
                            module.name, same_name->second))
        .at(label_range);
    return;
  }
  const auto [same_path, new_path] = by_path_.try_emplace(module.path, module.name);
  if (!new_path) {
    diags_.error("Two blocks about one module")
        .detail(fmt::format("The module {:?} already speaks about the directory {:?}. Put "
                            "everything into one block.",
                            same_path->second, module.path))
        .at(module.path_range);
    return;
  }
  metadata_.modules.push_back(std::move(module));
}

void PackageDeclarer::report_path(const syntax::Expr& expr, std::string detail) {
  diags_.error("Unsuitable path of a module").detail(std::move(detail)).at(expr.range);
}

// Fills in the path; false if and only if an error was added.
bool PackageDeclarer::read_path(const syntax::Expr& expr, PackageModule& module) {
  const auto text = constant_string(expr, diags_);
  if (!text) return false;
  if (text->empty() || text->find('\0') != std::string::npos) {
    report_path(expr, "This is not a path. The package's own directory is written as \".\".");
    return false;
  }
  if (text->front() == '/') {
    report_path(expr, "The path has to be relative to the directory of this file.");
    return false;
  }
  module.path = functions::clean_path(*text);
  module.path_range = expr.range;
  if (module.path == ".." || module.path.starts_with("../")) {
    report_path(expr, fmt::format("{:?} is outside the package. A file speaks only about modules "
                                  "of its own package.",
                                  *text));
    return false;
  }
  switch (look_(module.path)) {
    case PathInPackage::Directory: return true;
    case PathInPackage::Missing:
      report_path(expr, fmt::format("There is no directory {:?} in this package.", module.path));
      return false;
    case PathInPackage::NotADirectory:
      report_path(expr, fmt::format("{:?} is not a directory.", module.path));
      return false;
    case PathInPackage::Outside:
      report_path(expr, fmt::format("A symbolic link in {:?} leads out of the package. A file "
                                    "speaks only about modules of its own package.",
                                    module.path));
      return false;
  }
  return false;
}

void PackageDeclarer::read_read_only(const syntax::Expr& expr, PackageModule& module) {
  diag::Diagnostics unread;  // what it is instead does not matter
  const auto items = syntax::as_map(expr, unread);
  if (!items) {
    diags_.error("Unsuitable value")
        .detail(
            "An object has to be written out here, such as { self = false, dependencies = "
            "true }.")
        .at(syntax::start_range(expr))
        .within(expr.range);
    return;
  }
  for (const syntax::ObjectItem& item : *items) {
    const auto name = constant_string(*item.key, diags_);
    if (!name) continue;
    if (*name == "self") {
      module.self_read_only = constant_bool(*item.value, diags_).value_or(true);
    } else if (*name == "dependencies") {
      module.dependencies_read_only = constant_bool(*item.value, diags_).value_or(true);
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
  const auto text = constant_string(expr, diags_);
  if (!text || *text == "many") return;
  if (*text == "single") {
    module.instances = Instances::Single;
    return;
  }
  diags_.error("Unsuitable value")
      .detail(fmt::format("\"instances\" is either \"many\" or \"single\", not {:?}.", *text))
      .at(expr.range);
}

}  // namespace

const PackageModule* PackageMetadata::find(std::string_view path) const {
  const auto found = std::ranges::find(modules, path, &PackageModule::path);
  return found == modules.end() ? nullptr : &*found;
}

PackageMetadata declare_package(const syntax::File& file, const LookInPackage& look,
                                diag::Diagnostics& diags) {
  return PackageDeclarer(look, diags).read_file(file);
}

}  // namespace tofu::config
