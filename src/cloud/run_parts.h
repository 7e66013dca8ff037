// The parts of a run: waiting, logs, checks and questions.
//
// For run.cc alone, which says in which order they come. Each reports to the sink and ends when
// interrupted.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "cloud/json_api.h"
#include "cloud/run.h"

namespace tofu::cloud {

// How a part ended. Stopped means that the user has interrupted; after Failed an error was added.
enum class Step : std::uint8_t { Done, Stopped, Failed };

// How long to wait before looking again: longer each time, to spare the service.
class Pauses {
 public:
  Pauses(std::chrono::milliseconds first, std::chrono::milliseconds longest)
      : next_(first), longest_(longest) {}
  // False if the stop came first.
  bool wait(const std::stop_token& stop);

 private:
  std::chrono::milliseconds next_;
  std::chrono::milliseconds longest_;
};

// Adds an error about a request that failed.
Step refuse(const RunContext& context, std::string_view doing, const Refusal& refusal);
// Reads the run again.
Step reload(const RunContext& context, Resource& run);

// Whether the log of a plan has messages for programs, so that the plan itself is requested.
bool shows_plan_apart(const RunContext& context);

// Until the service has begun with the plan or the apply; reports the reason for waiting.
Step wait_to_start(const RunContext& context, std::string_view what, Resource& run);
// Everything that a plan ("plans") or an apply ("applies") prints, while it does.
Step follow_log(const RunContext& context, std::string_view kind, const std::string& id);

// Tells what others say of a plan: tasks of a stage, costs, policies.
Step show_stage(const RunContext& context, Resource& run, std::string_view stage);
Step show_costs(const RunContext& context, const Resource& run);
Step show_policies(const RunContext& context, Resource& run);

// Prompts for an answer, while the run may also be decided in the web interface.
enum class Decision : std::uint8_t { Given, Elsewhere, Refused, Stopped, Failed };
struct Question {
  std::string text;
  std::string explain;
  std::string word;  // that says yes
  // Whether the run still waits for an answer.
  std::function<bool(const Resource& run)> is_open;
};
Decision decide(const RunContext& context, Resource& run, const Question& question);

}  // namespace tofu::cloud
