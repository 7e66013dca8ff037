// The moments at which a simulated process meets the rest of the world, and what can happen there.
//
// Everything that a process does to the world goes through Fates first: each operation on the disk,
// each request to a store, each call to a provider. There it can fail, the process can be killed,
// the machine can lose power, or another process can run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace tofu::simulation {

enum class Moment : std::uint8_t {
  Look,  // at a file or its attributes
  Open,
  Write,
  Sync,
  SyncDirectory,
  Name,     // a file is renamed or removed
  Request,  // to a store on the network
  Call,     // of a provider, which changes something
  Turn,     // work that was put off is done
};

struct Process {
  std::int64_t number = 0;
  bool is_alive = true;
  std::string printed = {};  // all that it has shown to its user
};

struct Verdict {
  int error = 0;           // an errno; 0: success
  bool is_partly = false;  // a write: only a part is written
};

class Fates {
 public:
  virtual ~Fates() = default;
  // Called before the operation. Afterwards the process may not be alive.
  virtual Verdict meet(Process& process, Moment moment) = 0;
};

}  // namespace tofu::simulation
