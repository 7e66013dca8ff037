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

#include "commands/command.h"
#include "commands/json_log.h"
#include "commands/live_block.h"
#include "commands/run_options.h"
#include "diag/diagnostic.h"
#include "plans/events.h"
#include "plans/plan.h"
#include "schema/provider.h"
#include "state/state.h"

namespace tofu::commands {

class RunView final : public plans::EventSink {
 public:
  // Null after an error, which was printed.
  static std::unique_ptr<RunView> open(const RunFlags& flags, World& world);
  RunView(World& world, const RunFlags& flags)
      : world_(world), for_people_(!flags.json.json), show_sensitive_(flags.show_sensitive) {}

  // While one of these lives, people are told when the run is asked to stop.
  class Stopping {
   public:
    Stopping(RunView& view, std::stop_token stop) : told_(std::move(stop), Tell{view}) {}

   private:
    static constexpr std::string_view kText =
        "Interrupted: what is running is waited for, and nothing new begins. Interrupt again to "
        "end at once.";
    struct Tell {
      RunView& view;
      void operator()() const { view.message(kText); }
    };
    std::stop_callback<Tell> told_;
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

  void on(const plans::Event& event) override;

  // A plan that was just made; people see all of it.
  // `meanwhile` may be done in another thread, but is over when this returns.
  void plan(const plans::Plan& plan, const schema::ProviderSchemas& schemas, bool in_automation,
            const std::function<void()>& meanwhile = {});
  // A plan that is applied as it was saved: programs are told what it changes.
  void saved_plan(const plans::Plan& plan);
  void problems(const diag::Diagnostics& diags);
  void rule();                          // a line across, for people
  void note(std::string_view text);     // several sentences for people
  void message(std::string_view text);  // a sentence for everybody

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

  // Writes the lines there are. `lock` is let go meanwhile, so that nobody waits for another
  // one's write: who comes while there is a writer leaves the lines to it.
  void write_lines(std::unique_lock<std::mutex>& lock);
  // The mutex, when nobody writes.
  std::unique_lock<std::mutex> lock_when_written();

  World& world_;
  bool for_people_;
  bool show_sensitive_;
  std::unique_ptr<PrivateFile> file_;
  std::vector<Output*> streams_;  // of messages

  std::mutex mutex_;  // for everything below
  std::condition_variable written_;
  Lines lines_;
  bool is_writing_ = false;
  plans::ChangeCounts done_;
  std::unique_ptr<LiveBlock> block_;  // null: lines are written
};

}  // namespace tofu::commands
