#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "commands/command.h"
#include "commands/from_module.h"
#include "commands/install_modules.h"
#include "commands/missing_providers.h"
#include "commands/progress.h"
#include "commands/root_variables.h"
#include "commands/version_mode.h"
#include "config/early_settings.h"
#include "config/provider_requirements.h"
#include "install/module_directory.h"

namespace tofu::commands {

namespace {

constexpr Flag kFlags[] = {
    {"backend", FlagKind::Bool, "true", "backend=false",
     "Leave the backend alone and only install modules and providers."},
    {"cloud", FlagKind::Bool, "true", "cloud=false", "The same as -backend=false."},
    {"from-module", FlagKind::Text, "", "from-module=SOURCE",
     "First copy this module into the working directory, which has to be empty."},
    {"get", FlagKind::Bool, "true", "get=false", "Do not install modules."},
    {"input", FlagKind::Bool, "true", "input=false",
     "Never ask for anything. Nothing is asked for yet, so this changes nothing."},
    kJsonFlag,
    kJsonIntoFlag,
    {"lockfile", FlagKind::Text, "", "lockfile=readonly",
     "Do not change the lock file; it is an error if it would have to be."},
    kTestDirectoryFlag,
    {"upgrade", FlagKind::Bool, "false", "upgrade",
     "Install all modules anew, in the newest versions that are allowed."},
    kVarFlag,
    kVarFileFlag,
    kVersionCheckFlag,
};

class Init {
 public:
  Init(const Request& request, World& world, Progress& progress)
      : flags_(request.flags), world_(world), progress_(progress) {}

  int run();

 private:
  bool check_flags();
  std::unique_ptr<Configuration> load();
  void begin_backend();
  void begin_modules();
  bool check_early_settings(const config::TreeNode& root);
  bool check_backend(const config::Module& root);
  bool prepare_providers(const config::Tree& tree);
  void warn_of_confusable(const config::ProviderRequirements& needed);
  bool prepare_provider(const addrs::Provider& provider,
                        const std::vector<config::Constraint>& constraints);
  int fail();
  bool wants_backend() const { return flags_.is_true("backend") && flags_.is_true("cloud"); }

  const Flags& flags_;
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

bool Init::check_flags() {
  if (flags_.is_given("backend") && flags_.is_given("cloud")) {
    diags_.error("Options that exclude each other")
        .detail("-backend and -cloud mean the same. Give only one of them.");
    return false;
  }
  if (const std::string_view mode = flags_.text("lockfile"); !mode.empty() && mode != "readonly") {
    diags_.error("Unknown mode of the lock file")
        .detail(fmt::format("-lockfile can only be \"readonly\", not {:?}.", mode));
    return false;
  }
  if (flags_.is_true("upgrade") && flags_.text("lockfile") == "readonly") {
    diags_.error("Options that exclude each other")
        .detail(
            "-upgrade looks for newer versions, which -lockfile=readonly does not allow to "
            "record. Give only one of them.");
    return false;
  }
  return check_no_arguments(flags_, diags_);
}

void Init::begin_backend() {
  if (backend_begun_ || !wants_backend()) return;
  backend_begun_ = true;
  progress_.blank_line();
  progress_.step("Initializing the backend...");
}

void Init::begin_modules() {
  modules_begun_ = true;
  begin_backend();
  progress_.step(flags_.is_true("upgrade") ? "Upgrading modules..." : "Initializing modules...");
}

std::unique_ptr<Configuration> Init::load() {
  const auto mode = version_check_mode(flags_, world_, diags_);
  if (!mode) return nullptr;
  Installing installing;
  installing.load.version_check = *mode;
  installing.load.equivalence =
      flags_.is_true("json") ? config::Listing::Each : config::Listing::Together;
  installing.load.test_directory = flags_.text(kTestDirectoryFlag.name);
  installing.again = flags_.is_true("upgrade");
  installing.lock_is_readonly = flags_.text("lockfile") == "readonly";
  installing.begin = [this] { begin_modules(); };
  if (!flags_.is_true("get")) {
    return load_configuration(installing.load, flags_, world_, diags_);
  }
  auto installed = install_modules(installing, flags_, progress_, world_, diags_);
  summary_ = installed.summary;
  return std::move(installed.configuration);
}

// What a backend and encryption are told has to be known before anything else.
bool Init::check_early_settings(const config::TreeNode& root) {
  const std::size_t before = diags_.size();
  const std::size_t errors = diags_.error_count();
  if (wants_backend()) config::check_backend_values(*root.statics, diags_);
  config::check_encryption_values(*root.statics, diags_);
  root.module->name_blocks(diags_.items_from(before));
  return diags_.error_count() == errors;
}

bool Init::check_backend(const config::Module& root) {
  if (!wants_backend() || (!root.backend && !root.cloud)) return true;
  const std::size_t before = diags_.size();
  diags_.error("Backend is not available")
      .detail(root.backend
                  ? fmt::format("The backend {:?} cannot be used by this version. To go on without "
                                "it, run \"tofu init -backend=false\".",
                                root.backend->type)
                  : std::string("Cloud backends cannot be used by this version. To go on without "
                                "one, run \"tofu init -backend=false\"."))
      .at(root.backend ? root.backend->type_range : root.cloud->range);
  root.name_blocks(diags_.items_from(before));
  return false;
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

bool Init::prepare_provider(const addrs::Provider& provider,
                            const std::vector<config::Constraint>& constraints) {
  const std::string name = provider.for_display();
  if (!provider.is_builtin()) {
    diags_.error("Provider cannot be installed")
        .detail(fmt::format("The configuration needs the provider {}. Providers cannot be "
                            "installed by this version yet.",
                            name));
    return false;
  }
  if (!is_available(provider)) {
    diags_.error("No such built-in provider")
        .detail(fmt::format("This version has no built-in provider {}.", name));
    return false;
  }
  if (!constraints.empty()) {
    diags_.error("Version constraint for a built-in provider")
        .detail(fmt::format("{} comes with this program and has no version of its own. Remove the "
                            "constraint.",
                            name));
    return false;
  }
  progress_.item(fmt::format("{} is built in to OpenTofu", name));
  return true;
}

bool Init::prepare_providers(const config::Tree& tree) {
  config::ProviderRequirements needed;
  config::add_requirements(tree, needed);
  warn_of_confusable(needed);
  progress_.blank_line();
  progress_.step("Initializing provider plugins...");
  bool ok = true;
  for (const auto& [provider, constraints] : needed) {
    ok = prepare_provider(provider, constraints) && ok;
  }
  return ok;
}

int Init::run() {
  if (!check_flags()) return fail();
  if (const std::string source(flags_.text("from-module")); !source.empty()) {
    if (!copy_from_module(source, progress_, world_, diags_)) return fail();
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
          "OpenTofu encountered problems during initialization: the configuration has mistakes, "
          "described below. It has to be right before it can be seen which modules and providers "
          "are needed.");
    }
    return fail();
  }
  begin_backend();
  const config::Tree& tree = loaded->tree;
  if (!check_early_settings(tree.root()) || !check_backend(*tree.root().module) ||
      !prepare_providers(tree)) {
    return fail();
  }
  progress_.blank_line();
  progress_.problems(diags_);
  if (const std::string text = told(summary_); !text.empty()) {
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

int run(const Request& request, World& world) {
  const auto progress = Progress::open(request, world);
  return progress == nullptr ? kExitError : Init(request, world, *progress).run();
}

}  // namespace

const Command kInitCommand = {
    "init",
    "Prepare the working directory for other commands",
    "[options]",
    "Installs the modules of the configuration in this directory and makes sure that its providers "
    "are there. It is safe to run again: what is installed already is kept.\n\n"
    "Modules may come from anywhere; which versions were chosen of those that are shared is kept "
    "in "
    ".terraform.lock.hcl. Providers other than the built-in one and backends are not there yet and "
    "are reported.",
    kFlags,
    Completes::Nothing,
    run,
};

}  // namespace tofu::commands
