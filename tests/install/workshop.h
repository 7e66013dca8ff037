// A scratch working directory in which tests install modules, and real repositories
// beside it to install them from.
//
// Every test has a directory of its own as the process's working directory. init()
// does what the command does: it links the configuration while installing, and keeps
// the records for the next time.
#pragma once

#include <filesystem>
#include <gtest/gtest.h>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "config/tree.h"
#include "diag/diagnostic.h"
#include "diag/source.h"
#include "install/lock_file.h"
#include "install/manifest.h"
#include "install/module_installer.h"
#include "install/package_layers.h"
#include "install/package_records.h"

namespace tofu::install {

class Workshop : public ::testing::Test {
 protected:
  Workshop();
  ~Workshop() override;

  // Makes or replaces a file, and the directories above it.
  static void write(const std::string& path, const std::string& text);
  static std::string read(const std::string& path);
  static bool is_link(const std::string& path);
  // How many directories of packages there are in .terraform/packages.
  static std::size_t package_count();

  // The directory ../NAME with a module that has one output, and its file of metadata.
  void repository(const std::string& name, const std::string& more = "") const;
  void metadata(const std::string& name, const std::string& text) const;
  // A module block.
  static std::string call(const std::string& name, const std::string& source,
                          const std::string& more = "");

  // Commits everything in the directory ../NAME and returns its commit.
  std::string commit(const std::string& name) const;
  // The address of the repository ../NAME.
  std::string git(const std::string& name) const;
  void run(const std::string& command) const;

  // Installs. True if nothing was wrong; look at diags_ and the records.
  bool init(bool upgrade = false);
  // The same with a lock that may not change.
  bool init_readonly();
  // "Summary: detail" of each diagnostic of the last init.
  std::string problems() const;
  // The directory of a module as a later command finds it.
  std::string installed(const std::string& key) const;

  std::filesystem::path before_;
  std::filesystem::path top_;  // holds the working directory "work" and the repositories
  std::string cache_;
  PackageLayerSettings layers_;  // besides the cache
  diag::SourceMap sources_;
  diag::Diagnostics diags_;
  Manifest manifest_;
  PackageRecords records_;
  LockFile lock_;
  InstallSummary summary_;
  std::optional<config::Tree> tree_;
  std::vector<std::string> reported_;   // modules that were installed
  std::vector<std::string> fetched_;    // packages that were fetched
  std::vector<std::string> libraries_;  // directories of the symbol libraries that were read
  std::size_t repaired_ = 0;
  bool lock_is_readonly_ = false;
  std::stop_source stop_;
};

}  // namespace tofu::install
