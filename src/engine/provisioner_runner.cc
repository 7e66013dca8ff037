#include "engine/provisioner_runner.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <utility>

#include "base/task.h"
#include "base/thread.h"
#include "provisioners/provisioner.h"
#include "provisioners/provisioner_parts.h"
#include "schema/decode.h"
#include "schema/provisioners.h"
#include "syntax/ast.h"
#include "syntax/function.h"
#include "value/operations.h"

namespace tofu::engine {

namespace {

using config::Provisioner;
using config::ProvisionerWhen;
using value::Value;

// The end of what a provisioner printed, for the diagnostic if it fails: by then its
// lines may have scrolled far away.
class Tail {
 public:
  void add(std::string_view line) {
    text_ += line;
    text_ += '\n';
    if (text_.size() > 2 * kKept) text_.erase(0, text_.size() - kKept);
  }
  std::string_view text() const {
    const std::string_view all = text_;
    return all.size() > kKept ? all.substr(all.size() - kKept) : all;
  }

 private:
  static constexpr std::size_t kKept = 8192;
  std::string text_;
};

// Nothing of what a provisioner prints is shown if it was given something secret.
std::string_view reason_to_hide(const Value& config) {
  const value::Marks marks = config.deep_marks();
  if (marks.is_ephemeral()) return "(output suppressed due to ephemeral value in config)";
  if (marks.is_sensitive()) return "(output suppressed due to sensitive value in config)";
  return {};
}

// A source below the home directory, as pathexpand() has it.
std::string home_directory(const functions::Table& functions) {
  const syntax::Function* expand = functions.find("pathexpand");
  if (expand == nullptr) return {};
  const Value home[] = {Value::string("~")};
  const auto path = syntax::call(*expand, home);
  return path ? std::string(path->plain().as_string()) : std::string();
}

// What is evaluated when an object is destroyed: everything else may be gone already.
eval::InstanceScope scope_at_end(config::ModuleId module, const addrs::InstanceKey& key,
                                 const config::Resource* config, const Value& object) {
  eval::InstanceScope instance_scope(module, {0});
  if (key.number() != nullptr) instance_scope.count_index = key.value();
  if (key.text() != nullptr) instance_scope.each_key = key.value();
  instance_scope.self = config;
  instance_scope.self_value = object;
  return instance_scope;
}

bool any_at(const std::vector<Provisioner>& all, ProvisionerWhen when) {
  return std::ranges::any_of(all, [&](const Provisioner& each) { return each.when == when; });
}

}  // namespace

tasks::Async<bool> ProvisionerRunner::run_one(const Operation& operation, const InstanceTask& task,
                                              const Provisioning& what, diag::Diagnostics& diags) {
  const Provisioner& provisioner = what.provisioner;
  const std::string address = task.address.to_string();
  if (!what.config.wholly_known() || !what.connection.wholly_known()) {
    diags.error("Provisioner has unknown values")
        .detail(
            fmt::format("The provisioner {} of {} uses unknown values.", provisioner.type, address))
        .at(provisioner.range)
        .about(address);
    co_return false;
  }
  const plans::Subject subject{task.address};
  const std::string_view hidden = reason_to_hide(what.config);
  Tail tail;
  base::Task guard;
  provisioners::ProvisionerRun run;
  run.type = provisioner.type;
  run.config = what.config.deep_unmarked();
  run.connection = what.connection.deep_unmarked();
  run.home_directory = home_directory(run_.inputs.functions);
  run.stop = run_.inputs.stop;
  run.notice = [&](std::string_view line) {
    run_.events.on(plans::ProvisionOutput{subject, provisioner.type,
                                          std::string(hidden.empty() ? line : hidden)});
  };
  run.output = [&](std::string_view line) {
    if (hidden.empty()) tail.add(line);
    run.notice(line);
  };
  bool has_begun = false;
  base::Thread thread;  // of its own, because it waits for what others do
  const auto result =
      co_await run_.calls.ask<base::Result<void>>(operation.place(), [&](auto done) {
        if (run_.cancellation.is_requested()) return done(base::Error{"the run was interrupted"});
        has_begun = true;
        run_.events.on(plans::ProvisionStart{subject, provisioner.type});
        thread = run_.inputs.runtime.start_or_run(
            syntax::kTaskStack, [this, &run, &guard, done = std::move(done)]() mutable {
              base::Result<void> ended = base::Error{"it was interrupted"};
              guard.run([&] { ended = run_.inputs.provision(run); });
              done(std::move(ended));
            });
      });
  if (!has_begun) {
    diags.error("Provisioner not started")
        .detail(fmt::format("The run was interrupted before the provisioner {} of {} started. The "
                            "next apply runs it.",
                            provisioner.type, address))
        .at(provisioner.range)
        .about(address);
    co_return false;
  }
  thread.join();
  guard.check();
  run_.events.on(plans::ProvisionComplete{subject, provisioner.type, !result});
  if (result || provisioner.on_failure == config::ProvisionerOnFailure::Continue) co_return true;
  std::string detail = fmt::format("The provisioner {} of {} failed: {}.", provisioner.type,
                                   address, result.error().what);
  const std::string command = provisioner.type == "local-exec"
                                  ? provisioners::text_argument(run.config, "command")
                                  : std::string();
  if (!hidden.empty()) {
    detail += " The output is suppressed because the arguments contain sensitive values.";
  } else if (!command.empty()) {
    // Tests of providers look for this sentence as OpenTofu has it.
    detail = fmt::format("Error running command '{}': {}. Output: {}", command, result.error().what,
                         tail.text());
  } else if (!tail.text().empty()) {
    detail += fmt::format(" The end of its output:\n\n{}", tail.text());
  }
  diags.error(fmt::format("{} provisioner error", provisioner.type))
      .detail(std::move(detail))
      .at(provisioner.range)
      .about(address);
  co_return false;
}

// Those that stand in the resource's own block.
tasks::Async<bool> ProvisionerRunner::run_declared(const Operation& operation,
                                                   const InstanceTask& task, ProvisionerWhen when,
                                                   const eval::ModuleScope& scope,
                                                   diag::Diagnostics& diags) {
  const auto& prepared = run_.program.row(*task.row).provisioners;
  const std::vector<Provisioner>& written = task.config->provisioners;
  for (std::size_t i = 0; i < written.size(); ++i) {
    if (written[i].when != when || !prepared[i]) continue;
    diag::Diagnostics own;
    Value config = prepared[i]->config.evaluate(scope, own);
    Value connection;
    if (prepared[i]->connection) connection = prepared[i]->connection->evaluate(scope, own);
    const bool is_wrong = own.has_errors();
    diags.take(std::move(own));
    if (is_wrong) co_return false;
    const Provisioning what{written[i], std::move(config), std::move(connection)};
    const bool ok = co_await run_one(operation, task, what, diags);
    if (!ok) co_return false;
  }
  co_return true;
}

ApplyJournal::Next ProvisionerRunner::next_of_new(const InstanceTask& task,
                                                  const LiveObject& object) const {
  const bool has_any = any_at(task.config->provisioners, ProvisionerWhen::Create);
  return has_any && !object.tainted ? ApplyJournal::Next::Provisioners
                                    : ApplyJournal::Next::Nothing;
}

tasks::Async<bool> ProvisionerRunner::run_for_new(const Operation& operation,
                                                  const InstanceTask& task,
                                                  const eval::ModuleScope& scope,
                                                  LiveObject& object, diag::Diagnostics& diags) {
  if (next_of_new(task, object) == ApplyJournal::Next::Nothing) co_return true;
  eval::InstanceScope at_object = scope.instance_scope();
  at_object.self = task.config;
  at_object.self_value = object.value;
  const eval::ModuleScope own_scope = run_.scope(std::move(at_object));
  const bool ok = co_await run_declared(operation, task, ProvisionerWhen::Create, own_scope, diags);
  if (ok) co_return co_await journal_.end_provisioning_of_new(task, object, diags);
  object.tainted = true;
  // The instance has failed, whether or not that it is tainted could be recorded.
  (void)co_await journal_.finish(task, object, ApplyJournal::Next::Nothing, diags);
  co_return false;
}

tasks::Async<bool> ProvisionerRunner::run_removed(const Operation& operation,
                                                  const InstanceTask& task,
                                                  const LiveObject& object,
                                                  diag::Diagnostics& diags) {
  const auto removal = apply_.removed.find(addrs::config_of(task.address));
  if (!removal) co_return true;
  const eval::ModuleScope scope = run_.scope(
      scope_at_end(removal->provisioners_in->id, task.address.object.key, nullptr, object.value));
  for (const Provisioner& provisioner : *removal->provisioners) {
    const schema::Block* schema = schema::provisioner_schema(provisioner.type);
    if (schema == nullptr || provisioner.when != ProvisionerWhen::Destroy) continue;
    diag::Diagnostics own;
    Value config = schema::decode(provisioner.config, *schema, scope, own);
    Value connection;
    if (provisioner.connection) {
      connection =
          schema::decode(provisioner.connection->config, schema::connection_schema(), scope, own);
    }
    const bool is_wrong = own.has_errors();
    diags.take(std::move(own));
    if (is_wrong) co_return false;
    const Provisioning what{provisioner, std::move(config), std::move(connection)};
    const bool ok = co_await run_one(operation, task, what, diags);
    if (!ok) co_return false;
  }
  co_return true;
}

// Neither a tainted object nor a deposed one was ever in use.
bool ProvisionerRunner::has_any_for_destroy(const InstanceTask& task,
                                            const LiveObject& object) const {
  if (object.tainted || !task.deposed_key.empty()) return false;
  if (task.config != nullptr) {
    return any_at(task.config->provisioners, ProvisionerWhen::Destroy);
  }
  const auto removal = apply_.removed.find(addrs::config_of(task.address));
  return removal && any_at(*removal->provisioners, ProvisionerWhen::Destroy);
}

tasks::Async<bool> ProvisionerRunner::run_before_destroy(const Operation& operation,
                                                         const InstanceTask& task,
                                                         const LiveObject& object,
                                                         diag::Diagnostics& diags) {
  if (!has_any_for_destroy(task, object)) co_return true;
  const bool may_begin = co_await journal_.begin_provisioning(task, diags);
  if (!may_begin) co_return false;
  const bool ok = co_await run_for_destroy(operation, task, object, diags);
  journal_.end_provisioning(task);
  co_return ok;
}

tasks::Async<bool> ProvisionerRunner::run_for_destroy(const Operation& operation,
                                                      const InstanceTask& task,
                                                      const LiveObject& object,
                                                      diag::Diagnostics& diags) {
  if (task.config == nullptr) co_return co_await run_removed(operation, task, object, diags);
  const eval::ModuleScope scope = run_.scope(scope_at_end(
      run_.program.object(*task.row).module, task.address.object.key, task.config, object.value));
  co_return co_await run_declared(operation, task, ProvisionerWhen::Destroy, scope, diags);
}

}  // namespace tofu::engine
