#include <fmt/format.h>
#include <string>
#include <utility>
#include <vector>

#include "addrs/parse.h"
#include "base/crypto_library.h"
#include "base/file.h"
#include "cli/command.h"
#include "cli/flags.h"
#include "commands/context.h"
#include "commands/table.h"
#include "diag/source.h"
#include "runs/prepared_run.h"
#include "runs/run_state.h"
#include "workdir/address_argument.h"
#include "workdir/options.h"
#include "workdir/remote_workspace.h"

namespace tofu::commands {

namespace {

struct ImportOptions {
  std::string config = std::string(1, '.');
  bool ignore_remote_version = false;
  runs::RunFlags run;
  std::vector<std::string> arguments;

  void declare(cli::FlagSet& flags) {
    flags.add("config", config,
              {.value = "DIR",
               .help = "Directory of the configuration, if not the working directory.",
               .completes = cli::Completes::Directories});
    flags.add("parallelism", run.operation.parallelism, {.least = 0},
              {.value = "N", .help = "Maximum number of concurrent provider calls."});
    workdir::add_ignore_remote_version_flag(flags, ignore_remote_version);
    flags.include(run.json);
    flags.include(run.input);
    flags.include(run.change);
    flags.include(run.files);
    flags.arguments(arguments);
  }
};

// Tells of the import as people know it from this command.
class ImportView final : public plans::EventSink {
 public:
  explicit ImportView(runs::RunView& view) : view_(view) {}

  void on(const plans::Event& event) override {
    const auto* import = std::get_if<plans::ImportProgress>(&event);
    if (import == nullptr) return view_.on(event);
    if (import->step != plans::ImportStep::Preparing) return;
    const std::string address = import->subject.address.to_string();
    view_.message(fmt::format("{}: Importing from ID {:?}...", address, import->from.id));
    view_.message(fmt::format("{}: Import prepared!", address));
  }

 private:
  runs::RunView& view_;
};

// The address and the ID that the arguments name.
diag::Checked<engine::ImportTarget> target_of(const std::vector<std::string>& arguments,
                                              diag::SourceMap& sources, diag::Diagnostics& diags) {
  if (arguments.size() != 2) {
    diags.error("Missing import arguments")
        .detail(
            "Expected two arguments: the address of a resource instance, and the ID of the object "
            "to import.");
    return std::nullopt;
  }
  auto address = workdir::read_address(arguments[0], addrs::parse_abs_resource_instance, sources,
                                       diags, "<import-address>");
  if (!address) return std::nullopt;
  if (address->object.resource.mode != addrs::ResourceMode::Managed) {
    diags.error("Invalid import target")
        .detail(fmt::format("{} is not a managed resource. Only managed resources can be imported.",
                            address->to_string()));
    return std::nullopt;
  }
  return engine::ImportTarget{std::move(*address), arguments[1]};
}

bool check_declared(const addrs::AbsResourceInstance& address, const config::Tree& tree,
                    diag::Diagnostics& diags) {
  const addrs::ModulePath path = address.module.path();
  for (const config::TreeNode& node : tree.nodes) {
    if (node.path == path && node.module->resource(address.object.resource) != nullptr) return true;
  }
  diags.error("Resource not declared")
      .detail(fmt::format(
          "{} is not declared in the configuration. Add this block{} first, and set "
          "its required arguments:\n\nresource \"{}\" \"{}\" {{\n}}",
          address.to_string(), path.is_root() ? "" : fmt::format(" to {}", path.to_string()),
          address.object.resource.type, address.object.resource.name));
  return false;
}

bool check_not_managed(const addrs::AbsResourceInstance& address, const runs::RunState& state,
                       diag::Diagnostics& diags) {
  if (!state.state || state.state->instance(address) == nullptr) return true;
  diags.error("Resource already managed by OpenTofu")
      .detail(fmt::format("The state already has an object for {}. To import another object, first "
                          "remove this one with \"tofu state rm\".",
                          address.to_string()));
  return false;
}

bool import(const ImportOptions& asked, runs::RunView& view, Context& context,
            diag::Diagnostics& diags) {
  base::require_libcrypto();  // for the journal, before anything is planned
  auto target = target_of(asked.arguments, context.sources, diags);
  auto options = runs::run_options(asked.run, context.load, diags);
  if (!target || !options) return false;
  const auto kind = base::file_kind(asked.config);
  if (!kind || *kind != base::FileKind::Directory) {
    diags.error("Configuration directory not found")
        .detail(fmt::format("-config={} is not a directory.", asked.config));
    return false;
  }
  options->load.directory = asked.config;
  options->plan.imports = {*target};
  const auto listening = context.cancellation.listen();
  const runs::RunView::Stopping stopping(view, context.cancellation.token());

  if (!workdir::check_remote_version(asked.ignore_remote_version, context.access, diags)) {
    return false;
  }
  const auto run =
      runs::prepare_run(*options, context.access, context.providers, context.keep_alive, diags);
  if (!run || !check_declared(target->address, run->configuration().tree, diags)) return false;
  const workdir::Configuration& configuration = run->configuration();
  const auto backend = workdir::open_backend(options->files, configuration, context.access, diags);
  if (!backend) return false;
  auto state =
      runs::open_run_state(*backend, configuration.workspace, "OperationTypeImport", options->lock,
                           context.settings, context.terminal, context.cancellation, diags);
  if (!state || !check_not_managed(target->address, *state, diags)) return false;

  ImportView events(view);
  engine::Planned planned = run->plan(*options, state->state.value_or(state::State()), events,
                                      context.cancellation.token(), diags);
  if (diags.has_errors()) return false;
  // The prior state of the plan has the object and the outputs; the plan itself does nothing.
  if (!state->store->write(planned.prior, diags)) return false;
  view.message(
      "Import successful!\n\nThe imported object is now in the state and managed by OpenTofu.");
  return true;
}

int run_import(const ImportOptions& options, cli::Session& session) {
  Context context(session, options);
  const auto view = runs::RunView::open(options.run, context.terminal, context.environment());
  if (view == nullptr) return cli::kExitError;
  diag::Diagnostics diags;
  const bool good = import(options, *view, context, diags);
  view->problems(diags);
  return good ? cli::kExitOk : cli::kExitError;
}

}  // namespace

const cli::Command kImportCommand = {
    "import",
    "Bring an existing object under management",
    "[options] ADDRESS ID",
    "Reads the object with the given ID from the provider and adds it to the state as the given "
    "resource instance. The resource must be declared in the configuration. An import block does "
    "the same as part of a plan.",
    cli::action<ImportOptions, run_import>(),
};

}  // namespace tofu::commands
