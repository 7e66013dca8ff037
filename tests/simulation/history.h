// A history: what people configure, change by hand and run, one after the other, and what goes
// wrong meanwhile.
//
// A history follows from a seed, and everything that happens in it follows from the history. One
// that fails is made shorter as long as it still fails.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tofu::simulation {

enum class IncidentKind : std::uint8_t {
  // At a moment, counted from the beginning of the step.
  Kill,
  PowerLoss,
  Stop,      // an interrupt
  Intruder,  // another process runs the same command; `length` moments later it is killed, if not 0
  // At an operation of their kind, counted in the same way.
  DiskError,   // any operation on the disk fails once
  DiskFull,    // this write and the next `length` ones fail
  ShortWrite,  // a write writes a part
  SyncError,
  // At a call of the provider that changes something.
  CallFailsBefore,
  CallFailsAfter,
  CallCrashesBefore,
  CallCrashesAfter,
  CallStaysUnknown,
  CallIsSlow,
  ProvisionerFails,  // counted among provisioners
  // At a request to the store.
  RequestLost,
  AnswerLost,
  RequestTwice,
  RequestRefused,
};
inline constexpr int kIncidentKinds = static_cast<int>(IncidentKind::RequestRefused) + 1;

struct Incident {
  IncidentKind kind = IncidentKind::Kill;
  unsigned at = 0;
  unsigned length = 0;
};

// A resource; absent ones have the count -1.
struct Declared {
  int count = -1;
  int zone = 0;
  int label = 0;
  bool creates_first = false;
  bool needs_previous = false;  // the resource before it
  bool is_provisioned = false;  // by a program, once it was created
};
inline constexpr std::size_t kResources = 3;
using Config = std::array<Declared, kResources>;

struct Step {
  Config config = {};
  bool destroys = false;
  bool meddles = false;  // a person changes and removes things before it
  std::uint64_t seed = 0;
  std::vector<Incident> incidents = {};
};

struct History {
  bool is_remote = false;
  std::vector<Step> steps = {};
};

History history_of(std::uint64_t seed);
std::string describe(const History& history);
// The shortest history that was found for which `fails` is true.
History shorten(History history, const std::function<bool(const History&)>& fails);

// The text of a configuration, apart from the values of its variables.
std::string text_of(const Config& config);

}  // namespace tofu::simulation
