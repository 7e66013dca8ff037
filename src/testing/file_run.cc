#include "testing/file_run.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <set>
#include <utility>

#include "addrs/module_source.h"
#include "base/task.h"
#include "base/thread.h"
#include "syntax/analysis.h"
#include "syntax/ast.h"

namespace tofu::testing {

namespace {

using plans::TestStatus;
using value::Value;

// The names of runs that an expression speaks of.
void add_named_runs(const std::vector<config::TestVariable>& variables,
                    std::set<std::string_view>& out) {
  for (const config::TestVariable& variable : variables) {
    for (const syntax::Traversal* traversal : syntax::variables(*variable.expr)) {
      if (traversal->root != "run" || traversal->steps.empty()) continue;
      out.insert(traversal->steps.front().name);
    }
  }
}

std::vector<plans::LeftObject> objects_left(const state::State& state) {
  std::vector<plans::LeftObject> left;
  for (const state::Resource* resource : state.resources_by_address()) {
    if (resource->address().object.mode != addrs::ResourceMode::Managed) continue;
    resource->for_each([&](const state::Instance& instance) {
      const auto address = addrs::instance_of(resource->address(), instance.key());
      if (instance.current() != nullptr) left.push_back({address, {}});
      for (const auto& [key, object] : instance.deposed()) left.push_back({address, key});
    });
  }
  return left;
}

}  // namespace

FileRun::FileRun(std::size_t file, Position position, const TestEnvironment& environment,
                 RunPrograms& programs)
    : index_(file),
      position_(position),
      environment_(environment),
      programs_(programs),
      file_(environment.tree.tests[file]),
      ended_(file_.runs.size()),
      named_(file_.runs.size()) {
  for (Ended& each : ended_) each.outcome.status = TestStatus::Skip;
  for (std::size_t i = 0; i < file_.runs.size(); ++i) {
    modules_.emplace(run(i).name, tree_of(i).root().module.get());
  }
}

const config::Tree& FileRun::tree_of(std::size_t run) const {
  for (const config::TestTree& test : environment_.tree.test_trees) {
    if (test.file == index_ && test.run == run) return *test.tree;
  }
  return environment_.tree;
}

std::string FileRun::state_key(std::size_t run) const {
  const config::TestRun& it = file_.runs[run];
  if (it.state_key) return "key:" + *it.state_key;
  if (!it.module || !it.module->source) return {};
  return "module:" + addrs::to_string(*it.module->source);
}

Value FileRun::outputs() const {
  std::vector<value::Attr> runs;
  for (const auto& [key, kept] : states_) {
    if (!kept.last) continue;
    std::vector<value::Attr> outputs;
    for (const auto& [name, output] : kept.state.outputs) {
      outputs.push_back({name, output.value});
    }
    runs.push_back({run(*kept.last).name, Value::object(std::move(outputs))});
  }
  return Value::object(std::move(runs));
}

void FileRun::progress(std::size_t run, plans::TestStep step) const {
  environment_.sink.on(plans::TestProgress{
      {file_.name, file_.runs[run].name}, step, position_.before + run, position_.total});
}

// The runs that can be made side by side, beginning with `first`: those that ask for it, have
// states of their own and speak of none of the others.
std::vector<std::size_t> FileRun::next_batch(std::size_t first) const {
  std::vector<std::size_t> batch{first};
  if (!run(first).parallel) return batch;
  std::set<std::string> keys{state_key(first)};
  std::set<std::string_view> names{run(first).name};
  for (std::size_t i = first + 1; i < file_.runs.size(); ++i) {
    const config::TestRun& next = run(i);
    std::set<std::string_view> named;
    add_named_runs(next.variables, named);
    add_named_runs(file_.variables, named);
    const bool speaks_of_others =
        std::ranges::any_of(named, [&](std::string_view name) { return names.contains(name); });
    if (!next.parallel || speaks_of_others || !keys.insert(state_key(i)).second) break;
    names.insert(next.name);
    batch.push_back(i);
  }
  return batch;
}

void FileRun::execute_batch(const std::vector<std::size_t>& runs) {
  const auto execute_one = [&](std::size_t index) {
    const auto start = std::chrono::steady_clock::now();
    const auto kept = states_.find(state_key(index));
    const state::State before = kept == states_.end() ? state::State() : kept->second.state;
    const RunSubject about = subject(index);
    ended_[index].outcome = testing::execute(about, before, environment_, programs_);
    ended_[index].took = std::chrono::duration_cast<std::chrono::milliseconds>(
        std::chrono::steady_clock::now() - start);
  };
  if (runs.size() == 1) return execute_one(runs.front());
  base::Task task;
  {
    std::vector<base::Thread> threads;  // joined at the end
    for (const std::size_t index : runs) {
      threads.emplace_back(syntax::kTaskStack,
                           [&, index] { task.run([&] { execute_one(index); }); });
    }
  }
  task.check();
}

void FileRun::keep(std::size_t index) {
  const RunOutcome& outcome = ended_[index].outcome;
  status_ = std::max(status_, outcome.status);
  if (!outcome.state) return;
  Kept& kept = states_[state_key(index)];
  kept.state = *outcome.state;
  kept.last = index;
  const bool is_main = state_key(index).empty();
  environment_.test_progress.keep(is_main ? "" : run(index).name, objects_left(kept.state));
}

void FileRun::execute(plans::TestCounts& counts) {
  environment_.test_progress.begin_file(file_.name);
  for (std::size_t i = 0; i < file_.runs.size();) {
    if (status_ == TestStatus::Error || environment_.stop.stop_requested()) break;
    const std::vector<std::size_t> batch = next_batch(i);
    for (const std::size_t index : batch) named_[index] = outputs();
    progress(i, plans::TestStep::Run);
    execute_batch(batch);
    for (const std::size_t index : batch) keep(index);
    i += batch.size();
  }
  tell(counts);
}

void FileRun::tell(plans::TestCounts& counts) {
  environment_.sink.on(plans::TestFileEnded{file_.name, status_});
  for (std::size_t i = 0; i < ended_.size(); ++i) {
    RunOutcome& outcome = ended_[i].outcome;
    counts.count(outcome.status);
    plans::TestRunEnded event{{file_.name, run(i).name},
                              outcome.status,
                              std::move(outcome.problems),
                              ended_[i].took,
                              outcome.plan,
                              nullptr};
    if (outcome.plan != nullptr && outcome.state) {
      event.state = std::make_shared<const state::State>(*outcome.state);
    }
    environment_.sink.on(event);
  }
}

void FileRun::clean_up(const Kept& kept) {
  const std::size_t last = *kept.last;
  progress(last, plans::TestStep::CleanUp);
  plans::TestCleanedUp event;
  event.place = {file_.name, run(last).name};
  state::State after = kept.state;
  if (run(last).skip_cleanup) {
    event.problems.warning("State is kept")
        .detail("The run sets skip_cleanup, so its objects were not destroyed.")
        .at(run(last).range);
  } else if (!kept.state.is_empty()) {
    const RunSubject about = subject(last);
    after = testing::clean_up(about, kept.state, environment_, programs_, event.problems);
  }
  event.left = objects_left(after);
  if (!event.left.empty()) {
    auto path = environment_.keep(after);
    if (path) {
      event.kept_in = std::move(*path);
    } else {
      event.problems.error("State cannot be kept")
          .detail("Objects that could not be destroyed must be found manually: " +
                  path.error().what + ".");
    }
  }
  environment_.sink.on(event);
}

void FileRun::clean_up() {
  std::vector<const Kept*> all;
  for (const auto& [key, kept] : states_) {
    if (kept.last) all.push_back(&kept);
  }
  std::ranges::sort(all, std::greater<>(), [](const Kept* kept) { return *kept->last; });
  for (const Kept* kept : all) clean_up(*kept);
}

}  // namespace tofu::testing
