// Events of a run.
//
// The engine emits them in the order in which things happen; views turn them
// into lines for people or messages for programs, and tests replay recorded
// lists. An event owns all it says: no event points into a plan or a state.
//
// Views decide which events to show: every event is emitted in every run.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "addrs/resource.h"
#include "diag/diagnostic.h"
#include "plans/action.h"
#include "plans/object_label.h"
#include "plans/plan.h"
#include "value/value.h"

namespace tofu::plans {

// The object that an event is about.
struct Subject {
  addrs::AbsResourceInstance address;
  std::string deposed = {};  // key; empty for the current object
};

struct RefreshStart {
  Subject subject;
  ObjectLabel label = {};
};
struct RefreshComplete {
  Subject subject;
  ObjectLabel label = {};
};

// One action on one object. A replacement is two: the old object's and the new one's.
struct ApplyStart {
  Subject subject;
  Action action = Action::NoOp;
  ObjectLabel label = {};  // of the object before, by label_or_name_of
};
struct ApplyProgress {  // every ten seconds or so
  Subject subject;
  Action action = Action::NoOp;
  ObjectLabel label = {};
  std::chrono::seconds elapsed{0};
};
struct ApplyComplete {
  Subject subject;
  Action action = Action::NoOp;
  ObjectLabel label = {};  // of the object after, by label_of
  std::chrono::seconds elapsed{0};
};
struct ApplyErrored {  // diagnostics follow at the end of the run
  Subject subject;
  Action action = Action::NoOp;
  std::chrono::seconds elapsed{0};
};

struct ProvisionStart {
  Subject subject;
  std::string provisioner;
};
struct ProvisionOutput {
  Subject subject;
  std::string provisioner;
  std::string text;  // as it came: any number of lines, or part of one
};
struct ProvisionComplete {
  Subject subject;
  std::string provisioner;
  bool errored = false;
};

enum class EphemeralStep : std::uint8_t { Open, Renew, Close };
struct EphemeralStart {
  Subject subject;
  EphemeralStep step = EphemeralStep::Open;
};
struct EphemeralProgress {
  Subject subject;
  EphemeralStep step = EphemeralStep::Open;
  std::chrono::seconds elapsed{0};
};
struct EphemeralComplete {
  Subject subject;
  EphemeralStep step = EphemeralStep::Open;
  std::chrono::seconds elapsed{0};
};

// It is opened when the plan is applied, because it depends on unknown values or pending changes.
enum class DeferReason : std::uint8_t { UnknownConfig, PendingDependencies };
struct EphemeralDeferred {
  Subject subject;
  DeferReason reason = DeferReason::UnknownConfig;
};

enum class ImportStep : std::uint8_t { Preparing, Importing, Complete };
struct ImportProgress {  // of an import block
  Subject subject;
  ImportStep step = ImportStep::Preparing;
  Importing from = {};
};

// A change that a plan has, without its values.
struct ChangeNotice {
  addrs::AbsResourceInstance address;
  std::optional<addrs::AbsResourceInstance> previous = std::nullopt;
  Action action = Action::NoOp;
  ActionReason reason = ActionReason::None;
  std::optional<Importing> importing = std::nullopt;
  std::string generated_config = {};
};
struct DriftFound {
  ChangeNotice change;
};
struct ChangePlanned {
  ChangeNotice change;
};

enum class Operation : std::uint8_t { Plan, Apply, Destroy };
struct ChangeSummary {
  Operation operation = Operation::Plan;
  ChangeCounts counts = {};
};

// Of a minimal refresh.
struct ReadsCounted {
  ObjectReads reads = {};
};

// What is left for a later run.
struct ResourcesDeferred {
  std::vector<Deferral> deferrals = {};
};

struct OutputPlanned {
  std::string name;
  Action action = Action::NoOp;
  bool sensitive = false;
};
struct OutputsPlanned {
  std::vector<OutputPlanned> outputs;
};
struct OutputSaved {
  std::string name;
  value::Value value = {};
  bool sensitive = false;
  std::string deprecated = {};  // the author's message; empty if it is not
};
struct OutputsSaved {
  std::vector<OutputSaved> outputs;
};

struct DiagnosticFound {
  diag::Diagnostic diagnostic;
};
struct Message {  // a sentence, such as that the run is being stopped
  std::string text;
};

using Event =
    std::variant<RefreshStart, RefreshComplete, ApplyStart, ApplyProgress, ApplyComplete,
                 ApplyErrored, ProvisionStart, ProvisionOutput, ProvisionComplete, EphemeralStart,
                 EphemeralProgress, EphemeralComplete, EphemeralDeferred, ImportProgress,
                 DriftFound, ChangePlanned, ChangeSummary, ReadsCounted, ResourcesDeferred,
                 OutputsPlanned, OutputsSaved, DiagnosticFound, Message>;

// The interface for events. Calls may come from several threads at once.
class EventSink {
 public:
  virtual ~EventSink() = default;
  virtual void on(const Event& event) = 0;
};

// The list of events for a plan: drift, changes, their counts and the outputs.
std::vector<Event> events_of(const Plan& plan);

}  // namespace tofu::plans
