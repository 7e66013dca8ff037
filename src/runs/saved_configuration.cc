#include "runs/saved_configuration.h"

#include <filesystem>
#include <fmt/format.h>
#include <utility>

#include "base/file.h"
#include "config/package_metadata.h"
#include "syntax/parser.h"
#include "value/pack.h"
#include "workdir/load_context.h"
#include "workdir/version_mode.h"

namespace tofu::runs {

namespace {

constexpr std::uint64_t kVersion = 2;

std::string inside(const std::string& directory, const std::string& name) {
  return directory == "." || directory.empty() ? name : directory + "/" + name;
}

std::vector<SavedFile> files_of(const config::Module& module, const diag::SourceMap& sources) {
  std::vector<SavedFile> files;
  for (const auto& file : module.files()) {
    if (file->native == nullptr && file->json == nullptr) continue;  // a piece of another one
    const std::string_view path = sources.name(file->id);
    const std::size_t slash = path.rfind('/');
    files.push_back({std::string(slash == std::string_view::npos ? path : path.substr(slash + 1)),
                     std::string(sources.text(file->id))});
  }
  return files;
}

// The metadata files of every package that modules of the tree are in, wherever its directory
// is. Links to one package count once.
std::map<std::string, std::vector<SavedFile>, std::less<>> metadata_files(
    const config::Tree& tree) {
  std::map<std::string, std::vector<SavedFile>, std::less<>> saved;
  std::set<std::string> seen;
  for (const config::TreeNode& node : tree.nodes) {
    std::filesystem::path directory = node.directory.empty() ? "." : node.directory;
    while (true) {
      const auto real = base::real_path(directory.string());
      if (!real || !seen.insert(*real).second) break;  // so are the directories around it
      for (const std::string_view name :
           {config::kPackageMetadataFile, config::kPackageMetadataJsonFile}) {
        if (auto text = base::read_file((directory / name).string())) {
          saved[directory.string()].push_back({std::string(name), std::move(*text)});
        }
      }
      if (directory == ".") break;
      directory = directory.has_parent_path() ? directory.parent_path() : ".";
    }
  }
  return saved;
}

void write_files(value::PackWriter& pack,
                 const std::map<std::string, std::vector<SavedFile>, std::less<>>& groups) {
  pack.array(groups.size());
  for (const auto& [key, files] : groups) {
    pack.array(2);
    pack.text(key);
    pack.array(files.size());
    for (const SavedFile& file : files) {
      pack.array(2);
      pack.text(file.name);
      pack.bytes(file.text);
    }
  }
}

std::map<std::string, std::vector<SavedFile>, std::less<>> read_files(value::PackReader& pack) {
  std::map<std::string, std::vector<SavedFile>, std::less<>> groups;
  const std::size_t count = pack.array();
  for (std::size_t i = 0; i < count && !pack.failed(); ++i) {
    pack.array_of(2);
    std::vector<SavedFile>& files = groups[pack.text()];
    const std::size_t file_count = pack.array();
    for (std::size_t j = 0; j < file_count && !pack.failed(); ++j) {
      pack.array_of(2);
      SavedFile file;
      file.name = pack.text();
      file.text = pack.bytes();
      files.push_back(std::move(file));
    }
  }
  return groups;
}

// The files of a module, parsed as if they were in `directory`.
std::optional<config::ParsedFiles> parse(const std::vector<SavedFile>& files,
                                         const std::string& directory, diag::SourceMap& sources,
                                         diag::Diagnostics& diags) {
  std::vector<std::string> names;
  std::map<std::string_view, const SavedFile*> by_name;
  for (const SavedFile& file : files) {
    names.push_back(file.name);
    by_name.emplace(file.name, &file);
  }
  config::ModuleFiles chosen = config::choose_module_files(names);
  config::ParsedFiles parsed;
  parsed.directory = directory;
  const auto read = [&](std::vector<config::ModuleFile>& from,
                        std::vector<config::ParsedFile>& to) {
    for (config::ModuleFile& file : from) {
      const diag::FileId id =
          sources.add(inside(directory, file.name), by_name.find(file.name)->second->text);
      to.push_back(config::parse_module_file(sources, id, std::move(file), diags));
    }
  };
  read(chosen.primary, parsed.primary);
  read(chosen.overrides, parsed.overrides);
  return parsed;
}

class SavedModules final : public config::ModuleFinder {
 public:
  SavedModules(const SavedConfiguration& saved, diag::SourceMap& sources)
      : saved_(saved), sources_(sources) {}

  std::optional<config::FoundModule> find(const config::ModuleRequest& request,
                                          diag::Diagnostics& diags) override {
    const auto found = saved_.calls.find(request.path.to_string());
    if (found == saved_.calls.end()) return missing(request.path.to_string(), diags);
    return config::FoundModule{found->second.directory, found->second.version,
                               found->second.identity};
  }

  std::optional<config::ParsedFiles> read(const config::ModuleRequest& request,
                                          const config::FoundModule& found,
                                          diag::Diagnostics& diags) override {
    const auto files = saved_.modules.find(found.files());
    if (files == saved_.modules.end()) {
      missing(request.path.to_string(), diags);
      return std::nullopt;
    }
    return parse(files->second, found.directory, sources_, diags);
  }

 private:
  static std::nullopt_t missing(const std::string& what, diag::Diagnostics& diags) {
    diags.error("Invalid saved plan")
        .detail(fmt::format("The configuration stored in the plan has no {}. Run \"tofu plan\" to "
                            "create a new plan.",
                            what));
    return std::nullopt;
  }

  const SavedConfiguration& saved_;
  diag::SourceMap& sources_;
};

class SavedLibraries final : public symbols::LibraryFinder {
 public:
  SavedLibraries(const SavedConfiguration& saved, diag::SourceMap& sources)
      : saved_(saved), sources_(sources) {}

  std::optional<symbols::LibraryPlace> locate(const symbols::LibraryRequest& request,
                                              diag::Diagnostics& diags) override {
    const auto found = saved_.imports.find(install::import_key(request));
    if (found != saved_.imports.end()) return found->second;
    diags.error("Invalid saved plan")
        .detail(fmt::format("The configuration stored in the plan has no symbol library \"{}\". "
                            "Run \"tofu plan\" to create a new plan.",
                            request.name));
    return std::nullopt;
  }

  std::vector<std::unique_ptr<syntax::File>> read(const symbols::LibraryPlace& place,
                                                  diag::Diagnostics& diags) override {
    std::vector<std::unique_ptr<syntax::File>> parsed;
    const auto files = saved_.libraries.find(place.path);
    if (files == saved_.libraries.end()) return parsed;
    for (const SavedFile& file : files->second) {
      const diag::FileId id = sources_.add(file.name, file.text);
      parsed.push_back(file.name.ends_with(".json") ? syntax::parse_json_file(sources_, id, diags)
                                                    : syntax::parse_file(sources_, id, diags));
    }
    return parsed;
  }

 private:
  const SavedConfiguration& saved_;
  diag::SourceMap& sources_;
};

}  // namespace

std::string SavedConfiguration::encode() const {
  value::PackWriter pack;
  pack.number(kVersion);
  pack.array(calls.size());
  for (const auto& [path, call] : calls) {
    pack.array(4);
    pack.text(path);
    pack.text(call.directory);
    pack.text(call.version);
    pack.text(call.identity);
  }
  write_files(pack, modules);
  pack.array(imports.size());
  for (const auto& [key, place] : imports) {
    pack.array(3);
    pack.text(key);
    pack.text(place.path);
    pack.text(place.directory);
  }
  write_files(pack, libraries);
  write_files(pack, metadata);
  pack.array(found.size());
  for (const auto& [question, answer] : found) {
    pack.array(2);
    pack.bytes(question);
    pack.bytes(answer);
  }
  pack.array(told.size());
  for (const std::string& key : told) pack.text(key);
  return pack.finish();
}

std::optional<SavedConfiguration> SavedConfiguration::decode(std::string_view bytes) {
  value::PackReader pack(bytes);
  SavedConfiguration saved;
  if (pack.number() != kVersion) pack.fail();
  const std::size_t call_count = pack.array();
  for (std::size_t i = 0; i < call_count && !pack.failed(); ++i) {
    pack.array_of(4);
    SavedCall& call = saved.calls[pack.text()];
    call.directory = pack.text();
    call.version = pack.text();
    call.identity = pack.text();
  }
  saved.modules = read_files(pack);
  const std::size_t import_count = pack.array();
  for (std::size_t i = 0; i < import_count && !pack.failed(); ++i) {
    pack.array_of(3);
    symbols::LibraryPlace& place = saved.imports[pack.text()];
    place.path = pack.text();
    place.directory = pack.text();
  }
  saved.libraries = read_files(pack);
  saved.metadata = read_files(pack);
  const std::size_t found_count = pack.array();
  for (std::size_t i = 0; i < found_count && !pack.failed(); ++i) {
    pack.array_of(2);
    const std::string question = pack.bytes();
    saved.found[question] = pack.bytes();
  }
  const std::size_t reported_count = pack.array();
  for (std::size_t i = 0; i < reported_count && !pack.failed(); ++i) saved.told.insert(pack.text());
  if (pack.failed() || !pack.at_end() || !saved.calls.contains("")) return std::nullopt;
  return saved;
}

std::string reported_key(const config::Variable& variable, diag::SourceRange place,
                         const diag::SourceMap& sources) {
  return fmt::format("{} {} {}", variable.name, place.begin, sources.name(place.file));
}

SavedConfiguration save_configuration(const workdir::Configuration& loaded,
                                      const eval::Deprecations& warned,
                                      const diag::SourceMap& sources) {
  SavedConfiguration saved;
  for (const config::TreeNode& node : loaded.tree.nodes) {
    saved.calls.insert_or_assign(node.path.to_string(),
                                 SavedCall{node.directory, node.version, node.files});
    auto [files, is_new] = saved.modules.try_emplace(node.files);
    if (is_new) files->second = files_of(*node.module, sources);
  }
  for (const install::LibraryDirectories::Import& import : loaded.libraries.imports()) {
    saved.imports.insert_or_assign(import.key, import.place);
  }
  for (const auto& [path, files] : loaded.libraries.files()) {
    std::vector<SavedFile>& out = saved.libraries[path];
    for (const diag::FileId id : files) {
      out.push_back({std::string(sources.name(id)), std::string(sources.text(id))});
    }
  }
  saved.metadata = metadata_files(loaded.tree);
  if (loaded.found_files != nullptr) saved.found = loaded.found_files->answers();
  for (const eval::Deprecations::Told& each : warned.variables_told()) {
    saved.told.insert(reported_key(*each.variable, each.place, sources));
  }
  return saved;
}

std::unique_ptr<symbols::LibraryFinder> saved_libraries(const SavedConfiguration& saved,
                                                        diag::SourceMap& sources) {
  return std::make_unique<SavedLibraries>(saved, sources);
}

diag::Checked<std::shared_ptr<workdir::Configuration>> load_saved(
    const SavedConfiguration& saved, const std::string& workspace,
    std::map<std::string, value::Value> variables, const workdir::LoadContext& context,
    diag::Diagnostics& diags) {
  auto loaded = std::make_shared<workdir::Configuration>(
      context, false, std::make_unique<functions::FoundFiles>(saved.found));
  loaded->workspace = workspace;
  const SavedCall& root = saved.calls.find("")->second;
  const auto files = saved.modules.find(root.identity);
  diag::Diagnostics problems;
  auto parsed = files == saved.modules.end()
                    ? std::nullopt
                    : parse(files->second, root.directory, context.sources, problems);
  if (!parsed) {
    diags.error("Invalid saved plan")
        .detail("The plan contains no configuration. Run \"tofu plan\" to create a new plan.");
    return nullptr;
  }
  SavedModules modules(saved, context.sources);
  SavedLibraries libraries(saved, context.sources);
  const auto given = [variables = std::move(variables)](const config::Variable& variable,
                                                        diag::Diagnostics&) {
    const auto found = variables.find(variable.name);
    return found != variables.end() ? std::optional(found->second) : variable.default_value;
  };
  // Versions were checked when the plan was made.
  loaded->tree =
      config::link_modules(std::move(*parsed), modules,
                           {.root_variables = given,
                            .facts = {.workspace = workspace,
                                      .working_directory = context.environment().working_directory},
                            .functions = &loaded->functions,
                            .version_check = config::VersionCheck::Off,
                            .own_versions = workdir::own_versions(),
                            .libraries = &libraries},
                           context.sources, problems);
  const bool failed = problems.has_errors();
  diags.take(std::move(problems));
  return failed ? nullptr : loaded;
}

}  // namespace tofu::runs
