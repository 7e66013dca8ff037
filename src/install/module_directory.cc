#include "install/module_directory.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <set>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/unicode.h"
#include "config/files.h"
#include "config/mock_files.h"
#include "install/library_directory.h"

namespace tofu::install {

namespace {

std::string inside(const std::string& directory, const std::string& name) {
  return directory == "." ? name : directory + "/" + name;
}

// Files are read from `directory` and shown as those of `shown`.
void read_files(const std::string& directory, const std::string& shown,
                std::vector<config::ModuleFile> chosen, std::vector<config::ParsedFile>& out,
                diag::SourceMap& sources, diag::Diagnostics& diags) {
  for (config::ModuleFile& file : chosen) {
    const std::string path = inside(shown, file.name);
    auto text = base::read_file(inside(directory, file.name));
    if (!text) {
      diags.error("Cannot read a configuration file")
          .detail(fmt::format("Reading {} failed: {}.", path, text.error().what));
      continue;
    }
    const diag::FileId id = sources.add(path, std::move(*text));
    out.push_back(config::parse_module_file(sources, id, std::move(file), diags));
  }
}

// Adds the files of mocks that test files speak of.
void read_mock_files(const std::string& directory, std::vector<config::ParsedFile>& files,
                     diag::SourceMap& sources, diag::Diagnostics& diags) {
  std::set<std::string> sources_named;
  for (const config::ParsedFile& file : files) {
    for (std::string& name : config::mock_sources(*file.file))
      sources_named.insert(std::move(name));
  }
  for (const std::string& named : sources_named) {
    auto names = file_names(inside(directory, named));
    if (!names) continue;  // reported where the mocks are declared
    std::ranges::sort(*names);
    std::vector<config::ModuleFile> chosen;
    for (const std::string& name : *names) {
      if (const auto syntax = config::mock_file_syntax(name)) chosen.push_back({name, *syntax});
    }
    std::vector<config::ParsedFile> mocks;
    read_files(inside(directory, named), inside(directory, named), chosen, mocks, sources, diags);
    for (config::ParsedFile& mock : mocks) {
      mock.name.name = named + "/" + mock.name.name;
      files.push_back(std::move(mock));
    }
  }
}

// One directory has one name in messages, however it is written: ./a/ is a.
std::string clean_directory(const std::string& written) {
  const auto path = std::filesystem::path(written).lexically_normal();
  return (path.has_filename() ? path : path.parent_path()).string();
}

}  // namespace

std::optional<std::vector<std::string>> file_names(const std::string& directory) {
  const auto entries = base::list_directory(directory);
  if (!entries) return std::nullopt;
  std::vector<std::string> names;
  for (const base::DirectoryEntry& entry : *entries) {
    if (entry.kind != base::FileKind::Directory) names.push_back(entry.name);
  }
  return names;
}

std::optional<config::ParsedFiles> read_module_directory(const std::string& directory,
                                                         diag::SourceMap& sources,
                                                         diag::Diagnostics& diags) {
  return read_module_copy(directory, directory, sources, diags);
}

std::optional<config::ParsedFiles> read_module_copy(const std::string& original,
                                                    const std::string& directory,
                                                    diag::SourceMap& sources,
                                                    diag::Diagnostics& diags) {
  const auto names = file_names(original);
  if (!names) {
    diags.error("Cannot read a module's directory")
        .detail(fmt::format("{} is not a directory that can be read.", directory));
    return std::nullopt;
  }
  config::ModuleFiles chosen = config::choose_module_files(*names);
  config::ParsedFiles files;
  files.directory = directory;
  read_files(original, directory, std::move(chosen.primary), files.primary, sources, diags);
  read_files(original, directory, std::move(chosen.overrides), files.overrides, sources, diags);
  return files;
}

std::vector<config::ParsedFile> read_test_files(const std::string& directory,
                                                const std::string& test_directory,
                                                diag::SourceMap& sources,
                                                diag::Diagnostics& diags) {
  std::vector<config::ParsedFile> files;
  const std::string tests = clean_directory(test_directory);
  const std::string below = inside(directory, tests);
  const auto kind = base::file_kind(below);
  if (kind && *kind == base::FileKind::Missing) {
    if (tests != kDefaultTestDirectory) {
      diags.warning("Test directory does not exist")
          .detail(fmt::format("The test directory {} does not exist.", below));
    }
  } else if (const auto names = file_names(below)) {
    read_files(below, below, config::choose_module_files(*names).tests, files, sources, diags);
    for (config::ParsedFile& file : files) file.name.name = inside(tests, file.name.name);
  } else {
    diags.error("Cannot read the test directory")
        .detail(fmt::format("{} is not a directory that can be read.", below));
    return files;
  }
  if (const auto names = file_names(directory)) {
    read_files(directory, directory, config::choose_module_files(*names).tests, files, sources,
               diags);
  } else {
    diags.error("Cannot read a module's directory")
        .detail(fmt::format("{} is not a directory that can be read.", directory));
  }
  read_mock_files(directory, files, sources, diags);
  return files;
}

void add_library_root(const std::string& directory, config::ParsedFiles& files,
                      diag::SourceMap& sources, diag::Diagnostics& diags) {
  std::string text;
  for (const std::string& path : libraries_in(directory)) {
    const std::string name = std::filesystem::path(path).filename().string();
    const std::size_t suffix = name.find(".tfsym.hcl");
    const bool is_file = suffix != std::string::npos;
    const std::string label = is_file ? name.substr(0, suffix) : "this";
    if (!base::is_identifier(label)) continue;
    text += fmt::format("symbols \"{}\" {{\n  source = \"./{}\"\n}}\n", label, is_file ? name : "");
  }
  if (text.empty()) return;
  const diag::FileId id = sources.add("<library>", std::move(text));
  files.primary.push_back(config::parse_module_file(
      sources, id, {"<library>.tofu", config::FileSyntax::Native}, diags));
}

bool has_configuration(const std::string& directory) {
  const auto names = file_names(directory);
  return !names || !config::choose_module_files(*names).empty();
}

}  // namespace tofu::install
