#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/command.h"
#include "cli/flags.h"
#include "cli/option_groups.h"
#include "cli/progress.h"
#include "commands/context.h"
#include "commands/table.h"
#include "config/early_settings.h"
#include "config/provider_requirements.h"
#include "install/library_directory.h"
#include "install/module_directory.h"
#include "workdir/backend_init.h"
#include "workdir/command_encryption.h"
#include "workdir/configuration.h"
#include "workdir/from_module.h"
#include "workdir/install_modules.h"
#include "workdir/install_providers.h"
#include "workdir/options.h"
#include "workdir/state_providers.h"

namespace tofu::commands {

namespace {

struct InitOptions {
  std::optional<bool> backend;
  std::optional<bool> cloud;
  workdir::BackendOptions backend_options;
  std::string from_module;
  bool get = true;
  cli::InputOptions input;
  enum class LockFile : std::uint8_t { Writable, ReadOnly };
  LockFile lock_file = LockFile::Writable;
  std::vector<std::string> plugin_directories;
  bool offline = false;
  bool upgrade = false;
  cli::JsonOptions json;
  workdir::TestFileOptions tests;
  workdir::ConfigurationOptions configuration;
  std::vector<std::string> arguments;

  void declare(cli::FlagSet& flags) {
    static constexpr cli::Choice<LockFile> kLockFileModes[] = {{"readonly", LockFile::ReadOnly}};
    flags.add("backend", backend, true,
              {.help = "Skip backend initialization; only install modules and providers."});
    flags.add("cloud", cloud, true, {.help = "Same as -backend=false."});
    flags.include(backend_options);
    flags.add(
        "from-module", from_module,
        {.value = "SOURCE",
         .help =
             "Copy this module into the working directory first. The directory must be empty."});
    flags.add("get", get, {.help = "Do not download modules."});
    flags.include(input);
    flags.include(json);
    flags.add(
        "lockfile", lock_file, kLockFileModes,
        {.value = "readonly", .help = "Do not change the lock file; fail if it needs changes."});
    flags.add("offline", offline,
              {.help = "Download no modules or providers; fail if a required one is not on this "
                       "machine."});
    flags.add("plugin-dir", plugin_directories,
              {.value = "DIR",
               .help = "Install providers from this directory only. Can be repeated.",
               .completes = cli::Completes::Directories});
    flags.include(tests);
    flags.add("upgrade", upgrade,
              {.help = "Reinstall all modules and providers, using the newest allowed versions."});
    flags.include(configuration);
    flags.arguments(arguments);
  }

  bool wants_backend() const { return backend.value_or(true) && cloud.value_or(true); }
};

class Init {
 public:
  Init(const InitOptions& options, Context& context, cli::Progress& progress)
      : options_(options), context_(context), progress_(progress) {}

  int run();

 private:
  bool check_options();
  std::unique_ptr<workdir::Configuration> load();
  void begin_backend();
  void begin_modules();
  bool check_early_settings(const config::TreeNode& root);
  bool prepare_providers(const workdir::Configuration& loaded);
  void warn_of_confusable(const config::ProviderRequirements& needed);
  int fail();

  const InitOptions& options_;
  Context& context_;
  cli::Progress& progress_;
  diag::Diagnostics diags_;
  bool backend_begun_ = false;
  bool modules_begun_ = false;
  install::InstallSummary summary_;
};

int Init::fail() {
  progress_.problems(diags_);
  return cli::kExitError;
}

bool Init::check_options() {
  if (options_.backend && options_.cloud) {
    diags_.error("Conflicting options")
        .detail("-backend and -cloud set the same option. Use only one of them.");
    return false;
  }
  if (options_.upgrade && options_.lock_file == InitOptions::LockFile::ReadOnly) {
    diags_.error("Conflicting options")
        .detail(
            "-upgrade selects newer versions, but -lockfile=readonly prevents recording them. Use "
            "only one of them.");
    return false;
  }
  return options_.backend_options.check(diags_) &&
         cli::check_no_arguments(options_.arguments, diags_);
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

std::unique_ptr<workdir::Configuration> Init::load() {
  auto load = workdir::load_options(options_.configuration, context_.load, diags_);
  if (!load) return nullptr;
  load->equivalence = options_.json.json ? config::Listing::Each : config::Listing::Together;
  load->test_directory = options_.tests.directory;
  workdir::Installing installing;
  installing.load = std::move(*load);
  installing.again = options_.upgrade;
  installing.offline = options_.offline;
  installing.lock_is_readonly = options_.lock_file == InitOptions::LockFile::ReadOnly;
  installing.begin = [this] { begin_modules(); };
  if (!options_.get) return workdir::load_configuration(installing.load, context_.load, diags_);
  auto installed =
      workdir::install_modules(installing, progress_, context_.load, context_.cancellation, diags_);
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

// The same type from the two namespaces that are used by default is often an error.
void Init::warn_of_confusable(const config::ProviderRequirements& needed) {
  std::map<std::string, std::vector<std::string>> by_type;
  for (const auto& [provider, constraints] : needed) {
    if (provider.space != "hashicorp" && provider.space != "opentofu") continue;
    by_type[provider.type].push_back(provider.for_display());
  }
  for (const auto& [type, names] : by_type) {
    if (names.size() < 2) continue;
    diags_.warning("Similar provider names")
        .detail(
            fmt::format("The configuration requires several providers of type {}: {}. If you meant "
                        "only one of them, set its source in required_providers of each module.",
                        type, fmt::join(names, ", ")));
  }
}

bool Init::prepare_providers(const workdir::Configuration& loaded) {
  config::ProviderRequirements needed;
  config::add_requirements(loaded.tree, needed);
  if (options_.wants_backend()) {
    const auto of_state = workdir::providers_of_state(loaded, workdir::RecordedHosts::Translated,
                                                      context_.access, diags_);
    if (!of_state) return false;
    for (const addrs::Provider& provider : *of_state) needed.try_emplace(provider);
  }
  warn_of_confusable(needed);
  return workdir::install_providers(
      {.upgrade = options_.upgrade,
       .offline = options_.offline,
       .lock_is_readonly = options_.lock_file == InitOptions::LockFile::ReadOnly,
       .plugin_directories = options_.plugin_directories},
      needed, progress_, context_.settings, context_.sources, context_.cancellation, diags_);
}

int Init::run() {
  if (!check_options()) return fail();
  const auto listening = context_.cancellation.listen();
  if (!options_.from_module.empty()) {
    if (!workdir::copy_from_module(options_.from_module, progress_, context_.settings,
                                   context_.cancellation, diags_))
      return fail();
    progress_.blank_line();
  }
  const std::string here(1, '.');
  if (!install::has_configuration(here) && install::libraries_in(here).empty()) {
    progress_.step("OpenTofu initialized in an empty directory!");
    progress_.blank_line();
    progress_.note(
        "This directory has no configuration files yet. Create a configuration and run \"tofu "
        "init\" again.");
    return cli::kExitOk;
  }
  const auto loaded = load();
  if (!loaded) {
    // Of modules below the root it was said already what was being done.
    if (!modules_begun_) {
      progress_.failure(
          "OpenTofu encountered problems during initialization. Fix the errors below first; until "
          "then the required modules and providers cannot be determined.");
    }
    return fail();
  }
  begin_backend();
  const config::Tree& tree = loaded->tree;
  if (!check_early_settings(tree.root())) return fail();
  // Files that are moved to another backend may be encrypted.
  if (options_.wants_backend()) {
    const auto encryption = context_.access.encryption_of(*loaded, diags_);
    if (!encryption) return fail();
    const bool asks = cli::may_ask(options_.input, options_.json, context_.environment());
    if (!workdir::init_backend(options_.backend_options, asks, *loaded, *encryption, progress_,
                               context_.access, diags_)) {
      return fail();
    }
  }
  if (!prepare_providers(*loaded)) return fail();
  progress_.blank_line();
  progress_.problems(diags_);
  if (const std::string text = workdir::summary_text(summary_); !text.empty()) {
    progress_.line(text);
    progress_.blank_line();
  }
  progress_.success("OpenTofu has been successfully initialized!");
  if (context_.environment().variable("TF_IN_AUTOMATION").empty()) {
    progress_.blank_line();
    progress_.note(
        "This directory is ready. Run \"tofu plan\" to preview changes. After changing modules, "
        "providers or the backend, run \"tofu init\" again.");
  }
  return cli::kExitOk;
}

int run_init(const InitOptions& options, cli::Session& session) {
  Context context(session, options);
  const auto progress = cli::Progress::open(options.json, context.terminal, context.environment());
  return progress == nullptr ? cli::kExitError : Init(options, context, *progress).run();
}

}  // namespace

const cli::Command kInitCommand = {
    "init",
    "Prepare the working directory for other commands",
    "[options]",
    "Initializes the backend and installs the modules and providers of the configuration in the "
    "working directory. It is safe to run again: installed modules and providers are "
    "kept.\n\nProviders are installed from their registries, or as configured by "
    "provider_installation in the CLI configuration. The selected versions are recorded in "
    ".terraform.lock.hcl.\n\nIf the backend configuration has changed, use -migrate-state to copy "
    "existing states to the new backend, or -reconfigure to use it without copying.",
    cli::action<InitOptions, run_init>(),
};

}  // namespace tofu::commands
