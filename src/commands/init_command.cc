#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "commands/backend_init.h"
#include "commands/command.h"
#include "commands/command_encryption.h"
#include "commands/configuration.h"
#include "commands/from_module.h"
#include "commands/install_modules.h"
#include "commands/install_providers.h"
#include "commands/option_groups.h"
#include "commands/progress.h"
#include "commands/state_providers.h"
#include "config/early_settings.h"
#include "config/provider_requirements.h"
#include "install/module_directory.h"

namespace tofu::commands {

namespace {

struct InitOptions {
  std::optional<bool> backend;
  std::optional<bool> cloud;
  BackendOptions backend_options;
  std::string from_module;
  bool get = true;
  InputOptions input;
  enum class LockFile : std::uint8_t { Writable, ReadOnly };
  LockFile lock_file = LockFile::Writable;
  std::vector<std::string> plugin_directories;
  bool upgrade = false;
  JsonOptions json;
  TestFileOptions tests;
  ConfigurationOptions configuration;
  std::vector<std::string> arguments;

  void declare(FlagSet& flags) {
    static constexpr Choice<LockFile> kLockFileModes[] = {{"readonly", LockFile::ReadOnly}};
    flags.add("backend", backend, true,
              {.help = "Do not touch the backend; only install modules and providers."});
    flags.add("cloud", cloud, true, {.help = "The same as -backend=false."});
    flags.include(backend_options);
    flags.add("from-module", from_module,
              {.value = "SOURCE",
               .help = "First copy this module into the working directory, which has to be "
                       "empty."});
    flags.add("get", get, {.help = "Do not install modules."});
    flags.include(input);
    flags.include(json);
    flags.add("lockfile", lock_file, kLockFileModes,
              {.value = "readonly",
               .help = "Do not change the lock file; it is an error if it would have to be."});
    flags.add("plugin-dir", plugin_directories,
              {.value = "DIR",
               .help = "Install providers from this directory only. May be given several times.",
               .completes = Completes::Directories});
    flags.include(tests);
    flags.add("upgrade", upgrade,
              {.help = "Install all modules and providers again, in the newest versions that are "
                       "allowed."});
    flags.include(configuration);
    flags.arguments(arguments);
  }

  bool wants_backend() const { return backend.value_or(true) && cloud.value_or(true); }
};

class Init {
 public:
  Init(const InitOptions& options, World& world, Progress& progress)
      : options_(options), world_(world), progress_(progress) {}

  int run();

 private:
  bool check_options();
  std::unique_ptr<Configuration> load();
  void begin_backend();
  void begin_modules();
  bool check_early_settings(const config::TreeNode& root);
  bool prepare_providers(const Configuration& loaded);
  void warn_of_confusable(const config::ProviderRequirements& needed);
  int fail();

  const InitOptions& options_;
  World& world_;
  Progress& progress_;
  diag::Diagnostics diags_;
  bool backend_begun_ = false;
  bool modules_begun_ = false;
  install::InstallSummary summary_;
};

int Init::fail() {
  progress_.problems(diags_);
  return kExitError;
}

bool Init::check_options() {
  if (options_.backend && options_.cloud) {
    diags_.error("Options that exclude each other")
        .detail("-backend and -cloud mean the same. Give only one of them.");
    return false;
  }
  if (options_.upgrade && options_.lock_file == InitOptions::LockFile::ReadOnly) {
    diags_.error("Options that exclude each other")
        .detail(
            "-upgrade looks for newer versions, which -lockfile=readonly does not allow to "
            "record. Give only one of them.");
    return false;
  }
  return options_.backend_options.check(diags_) && check_no_arguments(options_.arguments, diags_);
}

void Init::begin_backend() {
  if (backend_begun_ || !options_.wants_backend()) return;
  backend_begun_ = true;
  progress_.blank_line();
  progress_.step("Initializing the backend...");
}

void Init::begin_modules() {
  modules_begun_ = true;
  begin_backend();
  progress_.step(options_.upgrade ? "Upgrading modules..." : "Initializing modules...");
}

std::unique_ptr<Configuration> Init::load() {
  auto load = load_options(options_.configuration, world_, diags_);
  if (!load) return nullptr;
  load->equivalence = options_.json.json ? config::Listing::Each : config::Listing::Together;
  load->test_directory = options_.tests.directory;
  Installing installing;
  installing.load = std::move(*load);
  installing.again = options_.upgrade;
  installing.lock_is_readonly = options_.lock_file == InitOptions::LockFile::ReadOnly;
  installing.begin = [this] { begin_modules(); };
  if (!options_.get) return load_configuration(installing.load, world_, diags_);
  auto installed = install_modules(installing, progress_, world_, diags_);
  summary_ = installed.summary;
  return std::move(installed.configuration);
}

// The settings of a backend and of encryption have to be known before anything else.
bool Init::check_early_settings(const config::TreeNode& root) {
  const std::size_t before = diags_.size();
  const std::size_t errors = diags_.error_count();
  if (options_.wants_backend()) config::check_backend_values(*root.statics, diags_);
  root.module->name_blocks(diags_.items_from(before));
  return diags_.error_count() == errors;
}

// The same type from the two namespaces that are used by default is often a mistake.
void Init::warn_of_confusable(const config::ProviderRequirements& needed) {
  std::map<std::string, std::vector<std::string>> by_type;
  for (const auto& [provider, constraints] : needed) {
    if (provider.space != "hashicorp" && provider.space != "opentofu") continue;
    by_type[provider.type].push_back(provider.for_display());
  }
  for (const auto& [type, names] : by_type) {
    if (names.size() < 2) continue;
    diags_.warning("Similar providers")
        .detail(fmt::format("Several providers of type {} are needed: {}. If only one of them is "
                            "meant, name it in required_providers.",
                            type, fmt::join(names, ", ")));
  }
}

bool Init::prepare_providers(const Configuration& loaded) {
  config::ProviderRequirements needed;
  config::add_requirements(loaded.tree, needed);
  if (options_.wants_backend()) {
    const auto of_state = providers_of_state(loaded, world_, diags_);
    if (!of_state) return false;
    for (const addrs::Provider& provider : *of_state) needed.try_emplace(provider);
  }
  warn_of_confusable(needed);
  return install_providers(
      {.upgrade = options_.upgrade,
       .lock_is_readonly = options_.lock_file == InitOptions::LockFile::ReadOnly,
       .plugin_directories = options_.plugin_directories},
      needed, progress_, world_, diags_);
}

int Init::run() {
  if (!check_options()) return fail();
  if (!options_.from_module.empty()) {
    if (!copy_from_module(options_.from_module, progress_, world_, diags_)) return fail();
    progress_.blank_line();
  }
  if (!install::has_configuration(std::string(1, '.'))) {
    progress_.step("OpenTofu initialized in an empty directory!");
    progress_.blank_line();
    progress_.note(
        "There is no configuration in this directory yet. Write some, and run this command again.");
    return kExitOk;
  }
  const auto loaded = load();
  if (!loaded) {
    // Of modules below the root it was said already what was being done.
    if (!modules_begun_) {
      progress_.failure(
          "OpenTofu encountered problems during initialization: the configuration has errors, "
          "described below. It has to be right before it can be seen which modules and providers "
          "are needed.");
    }
    return fail();
  }
  begin_backend();
  const config::Tree& tree = loaded->tree;
  if (!check_early_settings(tree.root())) return fail();
  // Files that are moved to another backend may be encrypted.
  if (options_.wants_backend() && !set_up_encryption(*loaded, world_, diags_)) return fail();
  if (options_.wants_backend()) {
    const bool asks = may_ask(options_.input, options_.json, world_.environment);
    if (!init_backend(options_.backend_options, asks, *loaded, progress_, world_, diags_)) {
      return fail();
    }
  }
  if (!prepare_providers(*loaded)) return fail();
  progress_.blank_line();
  progress_.problems(diags_);
  if (const std::string text = summary_text(summary_); !text.empty()) {
    progress_.line(text);
    progress_.blank_line();
  }
  progress_.success("OpenTofu has been successfully initialized!");
  if (world_.environment.variable("TF_IN_AUTOMATION").empty()) {
    progress_.blank_line();
    progress_.note(
        "Other commands can work here now. Run this command again whenever you add modules or "
        "providers or change the backend; other commands say so when it is needed.");
  }
  return kExitOk;
}

int run_init(const InitOptions& options, World& world) {
  const auto progress = Progress::open(options.json, world);
  return progress == nullptr ? kExitError : Init(options, world, *progress).run();
}

}  // namespace

const Command kInitCommand = {
    "init",
    "Prepare the working directory for other commands",
    "[options]",
    "Installs the modules of the configuration in this directory and makes sure that its providers "
    "are available. It is safe to run again: what is installed already is kept.\n\n"
    "Modules may come from anywhere; providers come from their registries or from what "
    "provider_installation of the CLI configuration names. Which versions were chosen is kept in "
    ".terraform.lock.hcl.\n\n"
    "The backend is set up as the configuration says. If it is not the one that was used before, "
    "-migrate-state copies the states to it and -reconfigure uses it as it is.",
    action<InitOptions, run_init>(),
};

}  // namespace tofu::commands
