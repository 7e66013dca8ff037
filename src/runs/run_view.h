// What a run tells: its events, the plan, problems, and how it ended.
//
// People read standard output; -json turns that into a stream of messages, and
// -json-into writes the same stream to a file beside it. The counts of what was done
// are kept here, since they are counts of events.
//
// Threads: on() from any; the rest from the one that runs the command.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "cli/environment.h"
#include "cli/json_log.h"
#include "cli/output.h"
#include "cli/terminal.h"
#include "diag/diagnostic.h"
#include "plans/events.h"
#include "plans/plan.h"
#include "runs/live_block.h"
#include "runs/run_options.h"
#include "schema/provider.h"
#include "state/state.h"

namespace tofu::runs {

class RunView final : public plans::EventSink {
 public:
  // Null after an error, which was printed.
  static std::unique_ptr<RunView> open(const RunFlags& flags, cli::Terminal& terminal,
                                       const cli::Environment& environment);
  RunView(cli::Terminal& terminal, const cli::Environment& environment, const RunFlags& flags);
  ~RunView() override;
  RunView(const RunView&) = delete;
  RunView& operator=(const RunView&) = delete;

  // While one of these lives, a message appears when the run is asked to stop.
  class Stopping {
   public:
    Stopping(RunView& view, std::stop_token stop) : reported_(std::move(stop), Tell{view}) {}

   private:
    static constexpr std::string_view kText =
        "Interrupted. Stopping: operations in progress will finish and no new operations will "
        "start. Provisioner commands are interrupted and have 10 seconds to exit. Interrupt again "
        "to exit immediately.";
    struct Tell {
      RunView& view;
      void operator()() const { view.message(kText); }
    };
    std::stop_callback<Tell> reported_;
  };

  // While one of these lives, a plan is carried out: on a terminal a block shows how far
  // it is, in the place of lines for each action.
  class Live {
   public:
    Live(RunView& view, const plans::Plan& plan);
    Live(const Live&) = delete;
    Live& operator=(const Live&) = delete;
    ~Live();

   private:
    RunView& view_;
  };

  // The deferred resources are planned now. Changes are counted anew.
  void next_round();

  void on(const plans::Event& event) override;

  // A plan that was just made; people see all of it.
  // `meanwhile` may be done in another thread, but is over when this returns.
  void plan(const plans::Plan& plan, const schema::ProviderSchemas& schemas, bool in_automation,
            const std::function<void()>& meanwhile = {});
  // A plan that is applied as it was saved: programs get its changes.
  void saved_plan(const plans::Plan& plan);
  void problems(const diag::Diagnostics& diags);
  void rule();                          // a line across, for people
  void note(std::string_view text);     // several sentences for people
  void message(std::string_view text);  // a sentence for people and programs

  // How an apply ended.
  void summary(plans::Operation operation, const plans::Plan& plan);
  void outputs(const state::State& state);

 private:
  // What events said, until it is written.
  struct Lines {
    std::string for_people;
    std::string for_programs;

    std::size_t size() const { return for_people.size() + for_programs.size(); }
  };

  // Writes the lines there are. `lock` is let go meanwhile, so that no thread waits for the
  // write of another: a thread that comes during a write leaves its lines to the writer.
  void write_lines(std::unique_lock<std::mutex>& lock);
  // The mutex, when no thread writes.
  std::unique_lock<std::mutex> lock_when_written();

  cli::Terminal& terminal_;
  const cli::Environment& environment_;
  bool for_people_;
  bool show_sensitive_;
  std::unique_ptr<cli::PrivateFile> file_;
  std::vector<cli::Output*> streams_;  // of messages

  std::mutex mutex_;  // for everything below
  std::condition_variable written_;
  Lines lines_;
  bool is_writing_ = false;
  plans::ChangeCounts done_;
  std::unique_ptr<LiveBlock> block_;  // null: lines are written
};

}  // namespace tofu::runs
