// A run that the service makes: ordered, watched, approved, ended.
//
// The messages of the run go to a sink, line by line; the caller cleans it for the terminal. An
// interrupt stops the watching, and on confirmation also the run itself.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "cloud/service.h"
#include "diag/diagnostic.h"

namespace tofu::cloud {

struct RunOrder {
  enum class Goal : std::uint8_t { Plan, Apply };
  Goal goal = Goal::Plan;
  bool is_destroy = false;
  bool is_refresh_only = false;
  bool refreshes = true;
  bool is_approved = false;  // no prompt
  bool is_saved = false;     // the plan is applied later
  bool generates_config = false;
  bool may_ask = true;
  std::vector<std::string> targets = {};
  std::vector<std::string> replaced = {};
  std::vector<std::pair<std::string, std::string>> variables = {};  // names and expressions
  std::string directory = {};  // of the configuration, absolute; empty: there is none
  std::chrono::milliseconds lock_timeout{0};  // 0: wait for other runs as long as they take
};

// Receives the messages of a run and answers its questions.
class RunSink {
 public:
  virtual ~RunSink() = default;
  // A line of the run's own output. It is not trusted.
  virtual void line(std::string_view text) = 0;
  // Something about the run: its queue position, its web address, its cost.
  virtual void note(std::string_view text) = 0;
  virtual void heading(std::string_view text) = 0;
  virtual void warning(std::string_view text) = 0;
  // The plan that the run made, where its log has only messages for programs: a document of
  // plan_document.h, or why there is none.
  virtual void plan(const base::Result<std::string>& json) = 0;
  // The user's input; nothing if the stop comes first.
  virtual std::optional<std::string> ask(const std::string& question, const std::string& explain,
                                         const std::stop_token& stop) = 0;
};

enum class RunEnd : std::uint8_t { Planned, Applied, NotApplied, Failed };

struct RunResult {
  RunEnd end = RunEnd::Failed;
  std::string id = {};  // empty: there was no run
  bool has_changes = false;
  std::string plan = {};  // the ID of its plan
};

// The context shared by all parts of a run. Everything outlives it.
struct RunContext {
  Service& service;
  const Workspace& workspace;
  const RunOrder& order;
  RunSink& sink;
  std::stop_token stop;
  diag::Diagnostics& diags;
};

// Plans, and applies if that is the goal. Adds an error when the end is RunEnd::Failed.
RunResult make_run(const RunContext& context);
// Applies a plan that was made before, by the ID of its run.
RunResult apply_saved_run(const RunContext& context, const std::string& id);

// The plan as JSON without secrets, if it has generated configuration for imports; nothing if it
// has none. Errors are clauses for a message.
base::Result<std::optional<std::string>> plan_with_configuration(const RunContext& context,
                                                                 const RunResult& result);

// The web address of a run.
std::string run_page(const RunContext& context, const std::string& id);

}  // namespace tofu::cloud
