#include "tests/install/workshop.h"

#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <sstream>
#include <utility>

#include "archive/tree_copy.h"
#include "functions/table.h"
#include "install/library_directory.h"
#include "install/module_directory.h"
#include "install/package_fetcher.h"
#include "install/packages.h"
#include "install/registry.h"
#include "net/credentials.h"
#include "net/web.h"
#include "process/process.h"

namespace tofu::install {

Workshop::Workshop() : before_(std::filesystem::current_path()) {
  std::string pattern = std::filesystem::temp_directory_path() / "workshop_XXXXXX";
  top_ = std::filesystem::canonical(mkdtemp(pattern.data()));
  std::filesystem::create_directory(top_ / "work");
  std::filesystem::current_path(top_ / "work");
}

Workshop::~Workshop() {
  std::filesystem::current_path(before_);
  (void)archive::remove_tree(top_.string()).ok();
}

void Workshop::write(const std::string& path, const std::string& text) {
  std::filesystem::create_directories(std::filesystem::absolute(path).parent_path());
  std::ofstream(path) << text;
}

std::string Workshop::read(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

bool Workshop::is_link(const std::string& path) { return std::filesystem::is_symlink(path); }

std::size_t Workshop::package_count() {
  std::size_t count = 0;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(".terraform/packages", none)) {
    if (entry.is_directory()) ++count;
  }
  return count;
}

void Workshop::run(const std::string& command) const {
  const auto done = process::run_process({"sh", "-ec", command});
  ASSERT_TRUE(done);
  ASSERT_EQ(done->exit_status, 0) << command << "\n" << done->output;
}

void Workshop::repository(const std::string& name, const std::string& more) const {
  write((top_ / name / "main.tf").string(), "output \"x\" {\n  value = path.module\n}\n" + more);
}

void Workshop::metadata(const std::string& name, const std::string& text) const {
  write((top_ / name / "module-package.meta.hcl").string(), text);
}

std::string Workshop::call(const std::string& name, const std::string& source,
                           const std::string& more) {
  return fmt::format("module \"{}\" {{\n  source = \"{}\"\n{}}}\n", name, source, more);
}

std::string Workshop::commit(const std::string& name) const {
  const std::string repository = (top_ / name).string();
  run(
      fmt::format("cd {0} && (test -d .git || git init -q -b main .) && git add -A && "
                  "git -c user.name=t -c user.email=t@example.com commit -q --allow-empty -m x",
                  repository));
  const auto head = process::run_process({"git", "-C", repository, "rev-parse", "HEAD"});
  return head ? head->output.substr(0, head->output.find('\n')) : "";
}

std::string Workshop::git(const std::string& name) const {
  return fmt::format("git::file://{}", (top_ / name).string());
}

bool Workshop::init(bool upgrade) {
  diags_ = {};
  reported_.clear();
  fetched_.clear();
  const net::Credentials credentials;
  net::Web web({}, stop_.get_token());
  Registry registry(web, credentials);
  PackageFetcher fetcher(
      web, credentials,
      [](std::string_view name) {
        const char* value = std::getenv(std::string(name).c_str());
        return std::string_view(value == nullptr ? "" : value);
      },
      stop_.get_token());
  const PackageRecords before = records_;
  const LockFile locked = lock_;
  PackageLayerSettings layers = layers_;
  layers.cache_directory = cache_;
  Packages packages({".terraform", layers, upgrade, lock_is_readonly_}, registry, fetcher, locked,
                    before,
                    {.fetching = [&](const std::string& label, const std::string&,
                                     const std::string&) { fetched_.push_back(label); },
                     .repaired = [&](const std::string&) { ++repaired_; }},
                    stop_.get_token());
  manifest_.set({}, {"", "", "."});
  ModuleInstaller installer(manifest_, before, upgrade, packages, sources_,
                            [&](const addrs::ModulePath& module, const std::string&) {
                              reported_.push_back(manifest_key(module));
                            });
  installer.read_root(diags_);
  const functions::Table functions{functions::Environment()};
  LibraryDirectories libraries(sources_);
  libraries.set_packages(
      {.find = [&](const symbols::LibraryRequest& request,
                   diag::Diagnostics& diags) { return installer.find_library(request, diags); },
       .home = [&](const std::string& directory) { return installer.library_home(directory); }});
  auto files = read_module_directory(".", sources_, diags_);
  if (!files) return false;
  diag::Diagnostics linking;
  const config::StaticInputs inputs{
      .root_variables = [](const config::Variable& variable,
                           diag::Diagnostics&) { return variable.default_value; },
      .facts = {.working_directory = std::filesystem::current_path().string()},
      .functions = &functions,
      .libraries = &libraries};
  tree_ = config::link_modules(std::move(*files), installer, inputs, sources_, linking);
  diags_.take(std::move(linking));
  installer.finish(!diags_.has_errors(), diags_);
  manifest_ = installer.manifest();
  records_ = installer.records();
  summary_ = installer.summary();
  libraries_.clear();
  if (tree_->libraries) libraries_ = tree_->libraries->directories();
  if (diags_.has_errors()) return false;
  if (lock_is_readonly_) return true;
  lock_.keep_modules([](const ModuleLock&) { return false; });
  for (ModuleLock& lock : installer.locks()) lock_.set_module(std::move(lock));
  return true;
}

bool Workshop::init_readonly() {
  lock_is_readonly_ = true;
  const bool ok = init();
  lock_is_readonly_ = false;
  return ok;
}

std::string Workshop::problems() const {
  std::string text;
  for (const diag::Diagnostic& each : diags_.items()) {
    text += fmt::format("{}: {}\n", each.summary, each.detail);
  }
  return text;
}

std::string Workshop::installed(const std::string& key) const {
  const auto found = manifest_.entries().find(key);
  return found == manifest_.entries().end() ? "not installed" : found->second.directory;
}

}  // namespace tofu::install
