// A pass that carries out a plan.
//
// Rows make and read, and further nodes destroy: see order.h for who waits for whom. For
// the applying*.cc files only; apply.h is the door.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/apply.h"
#include "engine/changing.h"
#include "engine/facts.h"
#include "engine/live_object.h"
#include "engine/order.h"
#include "engine/pass.h"
#include "engine/removed.h"
#include "engine/targets.h"
#include "plans/change.h"
#include "schema/marks.h"

namespace tofu::engine {

// The changes of one resource in one instance of its module.
struct ResourceChanges {
  std::map<addrs::InstanceKey, const plans::ResourceChange*> current;
  // The one for the current object of an instance. Null if there is none.
  const plans::ResourceChange* find(const addrs::InstanceKey& key) const;
};

class Applying final : public Pass {
 public:
  // Values are let go of in `spent`, which are the changes of `planned`. Null: they are kept.
  Applying(const RunInputs& inputs, const Planned& planned,
           std::vector<plans::ResourceChange>* spent, StateWriter& writer);

  void run_to_end(diag::Diagnostics& diags);

 private:
  // One instance that something is done about.
  struct Task {
    addrs::AbsResourceInstance address;
    std::string deposed_key = {};
    const config::Resource* config = nullptr;
    const schema::ResourceSchema* schema = nullptr;
    ConfiguredProvider* provider = nullptr;
    value::Value provider_meta = {};
    const plans::ResourceChange* change = nullptr;

    Operand operand() const { return {address, deposed_key, provider->address}; }
  };

  // The instances of a row: all, or those that have no step of their own.
  enum class Which : std::uint8_t { All, Rest };

  // A row that has work, from the time on when its instances are known.
  struct OpenRow {
    std::vector<addrs::ConfigResource> needs;
    std::vector<ResourceCell*> cells;  // by instance of the module; null after an error
  };

  // An instance of a declared resource.
  struct Place {
    eval::ObjectId row;
    eval::ModuleInstanceId module;
    ResourceCell* cell = nullptr;
    std::size_t position = 0;
    const ResourceChanges* changes = nullptr;  // null: there are none
    const std::vector<addrs::ConfigResource>* needs = nullptr;
  };

  // applying.cc
  const state::State& objects() const override { return planned_.prior; }
  Async<bool> resource(eval::ObjectId row, diag::Diagnostics& diags) override;
  void root_output(const config::Output& output, const value::Value& v) override;
  void choose_rows();
  void open_row(eval::ObjectId row, diag::Diagnostics& diags);
  Async<void> instances(eval::ObjectId row, Which which, diag::Diagnostics& diags);
  Async<void> instance(Place place, diag::Diagnostics& diags);
  void let_go_of_made(const Place& place, const plans::ResourceChange& change);
  Async<void> make_step(const plans::ResourceChange& change, diag::Diagnostics& diags);
  // Gives the task its provider. False if and only if an error was added; `provider` is null
  // then, too.
  bool set_provider(Task& task, ConfiguredProvider* provider, diag::Diagnostics& diags);
  std::vector<bool> find_work() const;
  std::vector<bool> without_work() const;
  bool is_value(const eval::Object& object) const;
  // Whether anything looks at the values of a row's instances once they are there.
  bool is_read(eval::ObjectId row) const { return referred_[row.index] || inputs_.inspect; }
  void show_stored(eval::ObjectId row, eval::ModuleInstanceId module);
  void show_what_exists(eval::ObjectId row, eval::ModuleInstanceId module, ResourceCell& cell);
  value::Value value_in_state(const Task& task);
  Async<std::optional<value::Value>> read(const Task& task, const eval::Names& scope,
                                          eval::ObjectId row, diag::Diagnostics& diags);
  void note_begun(eval::ObjectId row, eval::ModuleInstanceId module);
  void keep_begun();
  void forget_data();
  void end(bool failed);

  // applying_ephemeral.cc
  void choose_ephemerals();
  bool has_work(eval::ObjectId row) const;
  Async<void> ephemeral(const Task& task, const Place& place, eval::Standing standing,
                        diag::Diagnostics& diags);

  // applying_make.cc
  Async<std::optional<value::Value>> make(const Task& task, const eval::Names& scope,
                                          const Place& place, diag::Diagnostics& diags);
  std::optional<value::Value> final_arguments(const Task& task, const eval::Names& scope,
                                              eval::ObjectId row, diag::Diagnostics& diags) const;
  Async<bool> validate(const Task& task, const value::Value& arguments, diag::Diagnostics& diags);
  Async<std::optional<Change>> final_change(const Task& task, const Wanted& wanted,
                                            diag::Diagnostics& diags);
  Async<std::optional<LiveObject>> carry_out(const Task& task, const Wanted& wanted,
                                             const Change& change, const Place& place,
                                             diag::Diagnostics& diags);
  std::optional<std::string> depose(const Task& task, diag::Diagnostics& diags);
  bool is_as_planned(const Task& task, const Change& now, diag::Diagnostics& diags) const;
  // What the provider made of it, with all that is wrong with it reported. Nothing: the
  // object is gone.
  std::optional<LiveObject> accept(const Task& task, const LiveObject* prior, const Change& change,
                                   providers::ApplyAnswer answer, diag::Diagnostics& diags);
  bool is_only_recorded(const Task& task) const;
  Async<bool> begin(const Task& task, plans::Action action, const std::string& private_data,
                    diag::Diagnostics& diags);
  Async<void> finish(const Task& task, const std::optional<LiveObject>& object,
                     diag::Diagnostics& diags);

  // applying_destroy.cc
  const eval::Waits& graph() const override { return order_.waits; }
  Async<bool> other_node(std::uint32_t node, diag::Diagnostics& diags) override;
  Walk::Turn turn_of(std::uint32_t node) const override;
  Async<void> destroy_object(const plans::ResourceChange& change, diag::Diagnostics& diags);
  plans::ResourceChange* spent(const plans::ResourceChange& change) const;
  std::optional<LiveObject> stored(const Task& task) const;

  // applying_provision.cc
  Async<bool> provision(const Task& task, const eval::Names& scope, const LiveObject& object,
                        diag::Diagnostics& diags);
  Async<bool> provision_destroy(const Task& task, const LiveObject& object,
                                diag::Diagnostics& diags);
  Async<bool> provision_as_declared(const Task& task, config::ProvisionerWhen when,
                                    const eval::Names& scope, diag::Diagnostics& diags);
  Async<bool> provision_removed(const Task& task, const LiveObject& object,
                                diag::Diagnostics& diags);
  struct Provisioning {
    const config::Provisioner& provisioner;
    value::Value config;
    value::Value connection;  // null: there is none
  };
  // False if the object cannot be used as it is now.
  Async<bool> provision_with(const Task& task, const Provisioning& what, diag::Diagnostics& diags);

  const ResourceChanges* changes_of(const addrs::AbsResource& address) const;

  const Planned& planned_;
  std::vector<plans::ResourceChange>* const spent_;  // see the constructor
  StateWriter& writer_;
  std::vector<bool> referred_;  // by row: see referred_rows()
  std::vector<bool> works_;     // by row: see find_work()
  std::vector<bool> expanded_;  // by row: see AppliedRows
  ResourceFacts facts_;
  RemovedBlocks removed_;
  ExecutionOrder order_;
  std::unordered_map<std::string, ResourceChanges> changes_;  // by the resource's address
  std::vector<std::optional<OpenRow>> open_rows_;             // by row
  std::vector<bool> needed_;  // by row: ephemeral resources that are opened; set before the run
  std::atomic<bool> journal_failed_ = false;
  std::atomic<std::size_t> stored_bytes_ = 0;  // since memory was given back: see let_go_of_made()

  std::mutex mutex_;  // for everything below
  std::map<std::string, value::Value> outputs_;
  std::map<addrs::AbsResourceInstance, std::string> deposed_;  // by replacements: their keys
  // Resources that were begun with nothing, and those of which nothing is left, or was made.
  std::map<addrs::AbsResource, addrs::AbsProviderConfig> begun_;
  std::set<addrs::AbsResource> left_empty_;
};

}  // namespace tofu::engine
