// The end of a login in a browser: the host redirects to a port of this machine.
//
// A small server on loopback that waits for one request with the right state and takes the
// authorization code out of it. Whatever else arrives gets status 400.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/descriptor.h"
#include "base/result.h"

namespace tofu::commands {

class LoginCallback {
 public:
  // Listens on the first free port of the range.
  static base::Result<LoginCallback> listen(std::uint16_t first, std::uint16_t last);

  // Where the host has to redirect to.
  std::string url() const;

  // Waits for the code. An error when a stop is requested.
  base::Result<std::string> wait(std::string_view state, const std::stop_token& stop);

 private:
  LoginCallback(base::Descriptor socket, std::uint16_t port)
      : socket_(std::move(socket)), port_(port) {}

  base::Descriptor socket_;
  std::uint16_t port_;
};

}  // namespace tofu::commands
