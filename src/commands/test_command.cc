#include <fmt/format.h>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/uuid.h"
#include "commands/command.h"
#include "commands/configuration.h"
#include "commands/prepared_run.h"
#include "commands/run_providers.h"
#include "commands/test_view.h"
#include "commands/valid_program.h"
#include "state/state_file.h"
#include "testing/suite.h"

namespace tofu::commands {

namespace {

struct TestOptions {
  std::vector<std::string> filter;
  bool verbose = false;
  std::string junit_xml;
  TestFileOptions tests;
  JsonOptions json;
  ConfigurationOptions configuration;

  void declare(FlagSet& flags) {
    flags.add("filter", filter,
              {.value = "FILE",
               .help = "Run only this test file. The path is as tests are listed: relative to the "
                       "working directory. Can be given several times.",
               .completes = Completes::Files});
    flags.add("verbose", verbose,
              {.help = "Show the plan of each run that plans, and the state after each that "
                       "applies."});
    flags.add("junit-xml", junit_xml,
              {.value = "FILE",
               .help = "Also write what became of the tests to this file, in the format of JUnit.",
               .completes = Completes::Files});
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
  diags.warning("No tests were found")
      .detail(
          "-filter names no test file that there is. Paths are relative to the working "
          "directory, as in -filter=tests/main.tftest.hcl.");
}

// Runs the tests of a configuration that was loaded.
plans::TestStatus run_loaded(const TestOptions& options, const Configuration& loaded,
                             TestView& view, World& world) {
  const std::string plan_time = plan_time_now(world.environment);
  const functions::Table planning_functions(functions_of_run(world, plan_time, true));
  const functions::Table applying_functions(functions_of_run(world, plan_time, false));
  const eval::Facts planning{loaded.workspace, world.environment.working_directory};
  const eval::Facts applying{loaded.workspace, world.environment.working_directory, true};
  StateKeeper keeper;
  testing::Whereabouts whereabouts;
  const Interrupts::LastWords last_words(world.interrupts, [&] { view.on(whereabouts.now()); });
  const auto compile = [&](const config::Tree& tree,
                           diag::Diagnostics& diags) -> std::optional<testing::CompiledTree> {
    auto valid = compile_valid(tree, loaded.workspace, world, diags);
    if (!valid) return std::nullopt;
    testing::CompiledTree compiled{std::move(valid->program), std::move(valid->deprecations)};
    if (world.view.deprecation != eval::DeprecationLevel::None &&
        eval::has_deprecated(*compiled.program)) {
      compiled.warnings = std::make_shared<const eval::DeprecationWarnings>(
          *compiled.program, planning_functions, planning, world.view.deprecation);
    }
    return compiled;
  };
  const testing::Surroundings surroundings{
      .tree = loaded.tree,
      .variables = loaded.variables,
      .schemas = run_providers(world),
      .providers = run_providers(world),
      .planning_functions = planning_functions,
      .applying_functions = applying_functions,
      .planning = planning,
      .applying = applying,
      .plan_time = plan_time,
      .sink = view,
      .compile = compile,
      .keep = [&](const state::State& state) { return keeper.keep(state); },
      .whereabouts = whereabouts,
      .stop = world.interrupts.token(),
      .filter = options.filter,
      .verbose = options.verbose};
  return testing::run_tests(surroundings);
}

bool write_report(const std::string& path, const TestView& view, diag::Diagnostics& diags) {
  if (path.empty()) return true;
  const auto written = base::write_file(path, view.junit());
  if (written) return true;
  diags.error("Cannot write the report")
      .detail(fmt::format("Writing {} failed: {}.", path, written.error().what));
  return false;
}

// Nothing after errors; those that were not shown yet were added.
std::optional<plans::TestStatus> test(const TestOptions& options, TestView& view, World& world,
                                      diag::Diagnostics& diags) {
  auto load = load_options(options.configuration, world, diags);
  if (!load) return std::nullopt;
  load->equivalence = options.json.json ? config::Listing::Each : config::Listing::Together;
  load->test_directory = options.tests.directory;
  const std::shared_ptr<Configuration> loaded = load_configuration(*load, world, diags);
  if (!loaded) return std::nullopt;
  world.kept.push_back(loaded);
  if (!loaded->variables.collect_in(options.tests.directory, diags)) return std::nullopt;
  diag::Diagnostics missing;  // each run that needs a provider reports that it is not there
  (void)load_providers(loaded->tree, world, missing);
  warn_of_filter(options, loaded->tree, diags);
  view.problems(diags);
  diags.clear();
  view.set_tree(loaded->tree);

  const auto listening = world.interrupts.listen();
  const std::stop_callback told(world.interrupts.token(), [&] {
    view.message(
        "Interrupted: the run that is under way ends and is cleaned up, and no other begins. "
        "Interrupt again to end at once, with everything left as it is.");
  });
  const plans::TestStatus status = run_loaded(options, *loaded, view, world);
  if (!write_report(options.junit_xml, view, diags)) return std::nullopt;
  return status;
}

int run_test(const TestOptions& options, World& world) {
  const auto view = TestView::open(options.json, world);
  if (view == nullptr) return kExitError;
  diag::Diagnostics diags;
  const auto status = test(options, *view, world, diags);
  view->problems(diags);
  return status == plans::TestStatus::Pass ? kExitOk : kExitError;
}

}  // namespace

const Command kTestCommand = {
    "test",
    "Run the tests of a module",
    "[options]",
    "Runs the test files in this directory and in its test directory: *.tftest.hcl, "
    "*.tofutest.hcl and their JSON forms. Each of their run blocks is planned or applied, and "
    "its assertions are checked.\n\n"
    "Runs that apply make real objects, unless their providers are mocked. At the end of a file "
    "they are destroyed; what cannot be destroyed is listed, and its state is kept in "
    "errored_test.tfstate.",
    action<TestOptions, run_test>(),
};

}  // namespace tofu::commands
