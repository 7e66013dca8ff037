// A store on the network: it keeps the states and locks of workspaces, and the way to it loses,
// repeats and refuses requests.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "backends/remote.h"
#include "tests/simulation/fates.h"

namespace tofu::simulation {

enum class RequestFate : std::uint8_t { Well, Lost, AnswerLost, Twice, Refused };

struct Network {
  std::optional<std::string> state = {};
  std::optional<backends::LockInfo> lock = {};
};

// What the world wants to know of the requests of a process.
class RequestWatch {
 public:
  virtual ~RequestWatch() = default;
  virtual RequestFate on_request(Process& process) = 0;
  virtual void on_stored(Process& process, const std::string& state) = 0;
};

// Everything outlives it.
std::unique_ptr<backends::RemoteStorage> make_storage(Network& network, Process& process,
                                                      RequestWatch& watch);

}  // namespace tofu::simulation
