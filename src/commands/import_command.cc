#include <fmt/format.h>
#include <string>
#include <utility>
#include <vector>

#include "addrs/parse.h"
#include "base/file.h"
#include "commands/address_argument.h"
#include "commands/command.h"
#include "commands/prepared_run.h"
#include "commands/remote_workspace.h"
#include "commands/run_state.h"

namespace tofu::commands {

namespace {

struct ImportOptions {
  std::string config = std::string(1, '.');
  bool ignore_remote_version = false;
  RunFlags run;
  std::vector<std::string> arguments;

  void declare(FlagSet& flags) {
    flags.add("config", config,
              {.value = "DIR",
               .help = "Where the configuration is, if it is not in this directory.",
               .completes = Completes::Directories});
    flags.add("parallelism", run.operation.parallelism, {.least = 0},
              {.value = "N", .help = "How many calls of providers go on at a time."});
    add_ignore_remote_version_flag(flags, ignore_remote_version);
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
  explicit ImportView(RunView& view) : view_(view) {}

  void on(const plans::Event& event) override {
    const auto* import = std::get_if<plans::ImportProgress>(&event);
    if (import == nullptr) return view_.on(event);
    if (import->step != plans::ImportStep::Preparing) return;
    const std::string address = import->subject.address.to_string();
    view_.message(fmt::format("{}: Importing from ID {:?}...", address, import->from.id));
    view_.message(fmt::format("{}: Import prepared!", address));
  }

 private:
  RunView& view_;
};

// What the arguments name. Nothing if and only if an error was added.
std::optional<engine::ImportTarget> target_of(const std::vector<std::string>& arguments,
                                              diag::SourceMap& sources, diag::Diagnostics& diags) {
  if (arguments.size() != 2) {
    diags.error("Two arguments are needed")
        .detail("Give the address of a resource instance and the ID of the object to import.");
    return std::nullopt;
  }
  auto address = read_address(arguments[0], addrs::parse_abs_resource_instance, sources, diags,
                              "<import-address>");
  if (!address) return std::nullopt;
  if (address->object.resource.mode != addrs::ResourceMode::Managed) {
    diags.error("Only managed resources can be imported")
        .detail(fmt::format("{} is not an object that could be managed.", address->to_string()));
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
  diags.error("The resource is not in the configuration")
      .detail(fmt::format("Before an object can be imported as {}, its resource has to be "
                          "declared. Write a block for it first.",
                          address.to_string()));
  return false;
}

bool check_not_managed(const addrs::AbsResourceInstance& address, const RunState& state,
                       diag::Diagnostics& diags) {
  if (!state.state || state.state->instance(address) == nullptr) return true;
  diags.error("The resource instance is managed already")
      .detail(fmt::format("The state has an object for {}. To manage another one, remove that "
                          "with \"tofu state rm\" first.",
                          address.to_string()));
  return false;
}

bool import(const ImportOptions& asked, RunView& view, World& world, diag::Diagnostics& diags) {
  auto target = target_of(asked.arguments, world.sources, diags);
  auto options = run_options(asked.run, world, diags);
  if (!target || !options) return false;
  const auto kind = base::file_kind(asked.config);
  if (!kind || *kind != base::FileKind::Directory) {
    diags.error("No configuration")
        .detail(fmt::format("-config={} does not name a directory.", asked.config));
    return false;
  }
  options->load.directory = asked.config;
  options->plan.targets = {target->address};
  options->plan.imports = {*target};
  const auto listening = world.interrupts.listen();
  const RunView::Stopping stopping(view, world.interrupts.token());

  if (!check_remote_version(asked.run.change.configuration, asked.ignore_remote_version, world,
                            diags)) {
    return false;
  }
  const auto run = prepare_run(*options, world, diags);
  if (!run || !check_declared(target->address, run->configuration().tree, diags)) return false;
  const Configuration& configuration = run->configuration();
  const auto backend = open_backend(options->files, configuration, world, diags);
  if (!backend) return false;
  auto state = open_run_state(*backend, configuration.workspace, "OperationTypeImport",
                              options->lock, world, diags);
  if (!state || !check_not_managed(target->address, *state, diags)) return false;

  ImportView events(view);
  engine::Planned planned = run->plan(*options, state->state.value_or(state::State()), events,
                                      world.interrupts.token(), diags);
  if (diags.has_errors()) return false;
  // What the plan begins with has the object; nothing of the plan itself is done.
  planned.prior.outputs = state->state ? state->state->outputs : decltype(planned.prior.outputs)();
  if (!state->store->write(planned.prior, diags)) return false;
  view.message("Import successful!\n\nThe object is in the state now and is managed from here on.");
  return true;
}

int run_import(const ImportOptions& options, World& world) {
  const auto view = RunView::open(options.run, world);
  if (view == nullptr) return kExitError;
  diag::Diagnostics diags;
  const bool good = import(options, *view, world, diags);
  view->problems(diags);
  return good ? kExitOk : kExitError;
}

}  // namespace

const Command kImportCommand = {
    "import",
    "Manage an object that exists already",
    "[options] ADDRESS ID",
    "Asks the provider for the object of that ID and puts it into the state as the resource "
    "instance of that address, which has to be declared. An import block in the configuration does "
    "the same as part of a plan.",
    action<ImportOptions, run_import>(),
};

}  // namespace tofu::commands
