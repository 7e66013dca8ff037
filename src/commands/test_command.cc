#include <fmt/format.h>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/uuid.h"
#include "cli/cancellation.h"
#include "cli/command.h"
#include "cli/flags.h"
#include "cli/option_groups.h"
#include "commands/context.h"
#include "commands/table.h"
#include "commands/test_view.h"
#include "runs/prepared_run.h"
#include "runs/run_providers.h"
#include "runs/valid_program.h"
#include "state/state_file.h"
#include "testing/suite.h"
#include "workdir/configuration.h"
#include "workdir/options.h"

namespace tofu::commands {

namespace {

struct TestOptions {
  std::vector<std::string> filter;
  bool verbose = false;
  std::string junit_xml;
  workdir::TestFileOptions tests;
  cli::JsonOptions json;
  workdir::ConfigurationOptions configuration;

  void declare(cli::FlagSet& flags) {
    flags.add("filter", filter,
              {.value = "FILE",
               .help = "Run only this test file. Paths are relative to the working directory. Can "
                       "be repeated.",
               .completes = cli::Completes::Files});
    flags.add("verbose", verbose, {.help = "Show the plan or state of each run."});
    flags.add("junit-xml", junit_xml,
              {.value = "FILE",
               .help = "Also write the test results to this file, in JUnit XML format.",
               .completes = cli::Completes::Files});
    flags.include(tests);
    flags.include(json);
    flags.include(configuration);
    flags.ignore_arguments();
  }
};

constexpr std::string_view kStateFile = "errored_test.tfstate";

// Keeps states that could not be cleaned up. OpenTofu writes one over the other; what is
// still there must not be forgotten because something else is, too.
class StateKeeper {
 public:
  base::Result<std::string> keep(state::State state) {
    std::string path(kStateFile);
    if (kept_ > 0) path = fmt::format("errored_test.{}.tfstate", kept_ + 1);
    ++kept_;
    state.serial = 1;
    auto lineage = base::random_uuid();
    if (!lineage) return lineage.error();
    state.lineage = std::move(*lineage);
    auto written =
        base::write_private_file(path, state::state_text(state, state::Layout::Indented));
    if (!written) return written.error();
    return path;
  }

 private:
  std::size_t kept_ = 0;
};

void warn_of_filter(const TestOptions& options, const config::Tree& tree,
                    diag::Diagnostics& diags) {
  if (options.filter.empty() || !testing::selected_files(tree, options.filter).empty()) return;
  diags.warning("Test file not found")
      .detail(
          "No test file matches -filter. Paths are relative to the working directory, as in "
          "-filter=tests/main.tftest.hcl.");
}

// Runs the tests of a configuration that was loaded.
plans::TestStatus run_loaded(const TestOptions& options, const workdir::Configuration& loaded,
                             TestView& view, Context& context) {
  const std::string plan_time = runs::plan_time_now(context.environment());
  const functions::Table planning_functions(runs::functions_of_run(context.load, plan_time, true));
  const functions::Table applying_functions(runs::functions_of_run(context.load, plan_time, false));
  const eval::RunInfo planning{loaded.workspace, context.environment().working_directory};
  const eval::RunInfo applying{loaded.workspace, context.environment().working_directory, true};
  StateKeeper keeper;
  testing::TestProgress test_progress;
  const cli::Cancellation::ForcedExitHook last_words(context.cancellation,
                                                     [&] { view.on(test_progress.now()); });
  const auto compile = [&](const config::Tree& tree,
                           diag::Diagnostics& diags) -> std::optional<testing::CompiledTree> {
    auto valid = runs::compile_valid(tree, loaded.workspace, context.load, context.providers,
                                     context.keep_alive, diags);
    if (!valid) return std::nullopt;
    testing::CompiledTree compiled{std::move(valid->program), std::move(valid->deprecations)};
    if (context.terminal.view.deprecation != eval::DeprecationLevel::None &&
        eval::has_deprecated(*compiled.program)) {
      compiled.warnings = std::make_shared<const eval::DeprecationWarnings>(
          *compiled.program, planning_functions, planning, context.terminal.view.deprecation);
    }
    return compiled;
  };
  const testing::TestEnvironment environment{
      .tree = loaded.tree,
      .variables = loaded.variables,
      .schemas = context.providers,
      .providers = context.providers,
      .planning_functions = planning_functions,
      .applying_functions = applying_functions,
      .planning = planning,
      .applying = applying,
      .plan_time = plan_time,
      .sink = view,
      .compile = compile,
      .keep = [&](const state::State& state) { return keeper.keep(state); },
      .test_progress = test_progress,
      .stop = context.cancellation.token(),
      .filter = options.filter,
      .verbose = options.verbose,
      .deprecation = context.terminal.view.deprecation};
  return testing::run_tests(environment);
}

bool write_report(const std::string& path, const TestView& view, diag::Diagnostics& diags) {
  if (path.empty()) return true;
  const auto written = base::write_file(path, view.junit());
  if (written) return true;
  diags.error("Cannot write the test report")
      .detail(fmt::format("Writing {} failed: {}.", path, written.error().what));
  return false;
}

// Nothing after errors; those that were not shown yet were added.
std::optional<plans::TestStatus> test(const TestOptions& options, TestView& view, Context& context,
                                      diag::Diagnostics& diags) {
  auto load = workdir::load_options(options.configuration, context.load, diags);
  if (!load) return std::nullopt;
  load->test_directory = options.tests.directory;
  const std::shared_ptr<workdir::Configuration> loaded =
      workdir::load_configuration(*load, context.load, diags);
  if (!loaded) return std::nullopt;
  context.keep_alive.add(loaded);
  if (!loaded->variables.collect_in(options.tests.directory, diags)) return std::nullopt;
  if (context.terminal.view.deprecation != eval::DeprecationLevel::None) {
    loaded->variables.warn_of_deprecation(*loaded->tree.root().module, diags);
  }
  diag::Diagnostics missing;  // each run that needs a provider reports that it is not there
  (void)runs::load_providers(loaded->tree, context.providers, missing);
  warn_of_filter(options, loaded->tree, diags);
  view.problems(diags);
  diags.clear();
  view.set_tree(loaded->tree);

  const auto listening = context.cancellation.listen();
  const std::stop_callback told(context.cancellation.token(), [&] {
    view.message(
        "Interrupted: the current run finishes and is cleaned up; no other runs start. Interrupt "
        "again to exit immediately without cleanup.");
  });
  const plans::TestStatus status = run_loaded(options, *loaded, view, context);
  if (!write_report(options.junit_xml, view, diags)) return std::nullopt;
  return status;
}

int run_test(const TestOptions& options, cli::Session& session) {
  Context context(session, options);
  const auto view = TestView::open(options.json, context);
  if (view == nullptr) return cli::kExitError;
  diag::Diagnostics diags;
  const auto status = test(options, *view, context, diags);
  view->problems(diags);
  return status == plans::TestStatus::Pass ? cli::kExitOk : cli::kExitError;
}

}  // namespace

const cli::Command kTestCommand = {
    "test",
    "Run the tests of a module",
    "[options]",
    "Runs the test files in the working directory and in its test directory: *.tftest.hcl, "
    "*.tofutest.hcl and their JSON variants. Each run block is planned or applied, and its "
    "assertions are checked.\n\nRuns that apply create real objects, unless their providers are "
    "mocked. The objects are destroyed at the end of each file. Objects that cannot be destroyed "
    "are listed, and their state is saved in errored_test.tfstate.",
    cli::action<TestOptions, run_test>(),
};

}  // namespace tofu::commands
