#include "testing/suite.h"

#include <algorithm>
#include <set>
#include <string>

#include "testing/file_run.h"
#include "testing/run_programs.h"

namespace tofu::testing {

using plans::TestStatus;

std::vector<std::size_t> selected_files(const config::Tree& tree,
                                        const std::vector<std::string>& filter) {
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < tree.tests.size(); ++i) {
    if (filter.empty() || std::ranges::find(filter, tree.tests[i].name) != filter.end()) {
      chosen.push_back(i);
    }
  }
  std::ranges::sort(chosen, {}, [&](std::size_t i) { return tree.tests[i].name; });
  return chosen;
}

TestStatus run_tests(const TestEnvironment& environment) {
  const config::Tree& tree = environment.tree;
  const std::vector<std::size_t> files = selected_files(tree, environment.filter);
  plans::TestsFound found;
  std::size_t total = 0;
  for (const std::size_t file : files) {
    auto& listed = found.files.emplace_back();
    listed.path = tree.tests[file].name;
    for (const config::TestRun& run : tree.tests[file].runs) listed.runs.push_back(run.name);
    total += listed.runs.size();
  }
  environment.sink.on(found);

  RunPrograms programs(environment);
  plans::TestsEnded ended;
  std::size_t before = 0;
  for (const std::size_t file : files) {
    FileRun run(file, {before, total}, environment, programs);
    run.execute(ended.counts);
    run.clean_up();
    ended.status = std::max(ended.status, run.status());
    before += tree.tests[file].runs.size();
  }
  environment.sink.on(ended);
  return ended.status;
}

}  // namespace tofu::testing
