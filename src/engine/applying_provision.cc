#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "base/task.h"
#include "engine/applying.h"
#include "engine/program_rows.h"
#include "engine/provisioner.h"
#include "schema/decode.h"
#include "schema/provisioners.h"
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
eval::Standing standing_at_end(config::ModuleId module, const addrs::InstanceKey& key,
                               const config::Resource* config, const Value& object) {
  eval::Standing standing(module, {0});
  if (key.number() != nullptr) standing.count_index = key.value();
  if (key.text() != nullptr) standing.each_key = key.value();
  standing.self = config;
  standing.self_value = object;
  return standing;
}

bool any_at(const std::vector<Provisioner>& all, ProvisionerWhen when) {
  return std::ranges::any_of(all, [&](const Provisioner& each) { return each.when == when; });
}

}  // namespace

Async<bool> Applying::provision_with(const Task& task, const Provisioning& what,
                                     diag::Diagnostics& diags) {
  const Provisioner& provisioner = what.provisioner;
  const std::string address = task.address.to_string();
  if (!what.config.wholly_known() || !what.connection.wholly_known()) {
    diags.error("Provisioner has unknown values")
        .detail(fmt::format("Something that the provisioner {} of {} uses is not known.",
                            provisioner.type, address))
        .at(provisioner.range)
        .about(address);
    co_return false;
  }
  const plans::Subject subject{task.address};
  const std::string_view hidden = reason_to_hide(what.config);
  Tail tail;
  base::Task guard;
  ProvisionerRun run;
  run.type = provisioner.type;
  run.config = what.config.deep_unmarked();
  run.connection = what.connection.deep_unmarked();
  run.home_directory = home_directory(inputs_.functions);
  run.stop = inputs_.stop;
  run.notice = [&](std::string_view line) {
    inputs_.events.on(plans::ProvisionOutput{subject, provisioner.type,
                                             std::string(hidden.empty() ? line : hidden)});
  };
  run.output = [&](std::string_view line) {
    if (hidden.empty()) tail.add(line);
    run.notice(line);
  };
  inputs_.events.on(plans::ProvisionStart{subject, provisioner.type});
  std::jthread thread;  // of its own, because it waits for what others do
  const auto result = co_await ask<base::Result<void>>([&](auto done) {
    thread = std::jthread([&run, &guard, done = std::move(done)]() mutable {
      base::Result<void> ended = base::Error{"it broke off"};
      guard.run([&] { ended = run_provisioner(run); });
      done(std::move(ended));
    });
  });
  thread.join();
  guard.check();
  inputs_.events.on(plans::ProvisionComplete{subject, provisioner.type, !result});
  if (result || provisioner.on_failure == config::ProvisionerOnFailure::Continue) co_return true;
  std::string detail = fmt::format("The provisioner {} of {} failed: {}.", provisioner.type,
                                   address, result.error().what);
  if (!hidden.empty()) {
    detail += " What it printed is not shown, because something sensitive is in its arguments.";
  } else if (!tail.text().empty()) {
    detail += fmt::format(" The end of what it printed:\n\n{}", tail.text());
  }
  diags.error(fmt::format("{} provisioner error", provisioner.type))
      .detail(std::move(detail))
      .at(provisioner.range)
      .about(address);
  co_return false;
}

// Those that stand in the resource's own block.
Async<bool> Applying::provision_as_declared(const Task& task, ProvisionerWhen when,
                                            const eval::Names& scope, diag::Diagnostics& diags) {
  const auto row = resource_row(program(), addrs::config_of(task.address));
  if (!row) co_return true;
  const auto& prepared = program().row(*row).provisioners;
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
    const bool went_well = co_await provision_with(task, what, diags);
    if (!went_well) co_return false;
  }
  co_return true;
}

Async<bool> Applying::provision(const Task& task, const eval::Names& scope,
                                const LiveObject& object, diag::Diagnostics& diags) {
  if (object.tainted || !any_at(task.config->provisioners, ProvisionerWhen::Create)) {
    co_return true;
  }
  eval::Standing standing = scope.standing();
  standing.self = task.config;
  standing.self_value = object.value;
  const eval::Names at_object = names_at(std::move(standing));
  co_return co_await provision_as_declared(task, ProvisionerWhen::Create, at_object, diags);
}

Async<bool> Applying::provision_removed(const Task& task, const LiveObject& object,
                                        diag::Diagnostics& diags) {
  const auto removal = removed_.find(addrs::config_of(task.address));
  if (!removal || !any_at(*removal->provisioners, ProvisionerWhen::Destroy)) co_return true;
  const auto index = removal->provisioners_in - program().tree->nodes.data();
  const eval::Names scope = names_at(standing_at_end(
      {static_cast<std::uint32_t>(index)}, task.address.object.key, nullptr, object.value));
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
    const bool went_well = co_await provision_with(task, what, diags);
    if (!went_well) co_return false;
  }
  co_return true;
}

// Neither a tainted object nor a deposed one was ever in use.
Async<bool> Applying::provision_destroy(const Task& task, const LiveObject& object,
                                        diag::Diagnostics& diags) {
  if (object.tainted || !task.deposed_key.empty()) co_return true;
  if (task.config == nullptr) co_return co_await provision_removed(task, object, diags);
  if (!any_at(task.config->provisioners, ProvisionerWhen::Destroy)) co_return true;
  const auto row = resource_row(program(), addrs::config_of(task.address));
  if (!row) co_return true;
  const eval::Names scope = names_at(standing_at_end(
      program().object(*row).module, task.address.object.key, task.config, object.value));
  co_return co_await provision_as_declared(task, ProvisionerWhen::Destroy, scope, diags);
}

}  // namespace tofu::engine
