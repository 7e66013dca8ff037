// What exists outside, and the provider through which processes change it.
//
// A thing has the name that its configuration gives it, which is its address, and an ID that is
// never used again. The cloud knows nothing of states: it is the judge of what they say.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "providers/provider.h"
#include "schema/provider.h"
#include "tests/simulation/fates.h"
#include "tests/simulation/loop.h"
#include "value/value.h"

namespace tofu::simulation {

struct Thing {
  value::Value object;
  std::string name;
  bool is_half_made =
      false;  // creating it failed after it came to be, or its provisioner did not run
};

// How a call that changes something goes.
enum class CallFate : std::uint8_t {
  Well,
  FailsBefore,    // an error, and nothing happened
  FailsAfter,     // an error, and it happened
  CrashesBefore,  // no answer, and nothing happened
  CrashesAfter,   // no answer, and it happened
  StaysUnknown,   // it happened; the answer has an unknown value
  IsSlow,         // it takes half a minute
};

struct Cloud {
  std::map<std::string, Thing> things = {};  // by ID
  std::uint64_t last_id = 0;
};

// What the world wants to know of the calls of a process.
class CallWatch {
 public:
  virtual ~CallWatch() = default;
  // Before a call; it says how the call goes.
  virtual CallFate on_call(Process& process) = 0;
  // The call takes effect now.
  // Whether something is left to do before a new thing is whole.
  virtual bool on_create(Process& process, const std::string& name) = 0;
  virtual void on_destroy(Process& process, const std::string& id) = 0;
  virtual void on_update(Process& process, const std::string& id) = 0;
  // Whether an effect of a process that was killed meanwhile comes nevertheless.
  virtual bool comes_late(Process& process) = 0;
};

const schema::ProviderSchemas& schemas();

// Everything outlives it.
std::unique_ptr<providers::Provider> make_provider(Cloud& cloud, Process& process, Loop& loop,
                                                   CallWatch& watch);

value::Value with(const value::Value& object, std::string_view name, value::Value item);
std::string text_of(const value::Value& object, std::string_view name);

}  // namespace tofu::simulation
