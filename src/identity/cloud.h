// The environment of a search for cloud credentials.
//
// Credentials of AWS, Google and Azure are found where their own tools keep them: environment
// variables, files of the user, programs, and services of the machine. For module sources and
// backends alike. Nothing is cached: a process needs them seldom, and they expire.
#pragma once

#include <chrono>
#include <stop_token>
#include <string>

#include "base/result.h"
#include "net/environment.h"
#include "net/web.h"

namespace tofu::identity {

struct Cloud {
  net::Web& web;
  const net::EnvironmentVariable& environment;
  std::stop_token stop;
};

inline constexpr std::uint64_t kMaxCredentialsFileSize = std::uint64_t{1} << 20;

// The directory `below` in the user's home; empty if HOME is not set.
std::string in_home(const net::EnvironmentVariable& environment, std::string_view below);

// The first of these variables that is set; empty if none is.
std::string first_variable(const net::EnvironmentVariable& environment,
                           std::initializer_list<std::string_view> names);

// The text of a file of credentials, without the line break at its end. Errors name it.
base::Result<std::string> read_credentials_file(const std::string& path);

// The output of a program, run by the shell as users write it in their configuration. Errors
// contain nothing of its standard output.
base::Result<std::string> run_credentials_program(const Cloud& cloud, const std::string& command);

// The body of a successful reply; `what` names the service in errors, which hold nothing
// of the request.
base::Result<std::string> ask_service(const Cloud& cloud, const net::WebRequest& request,
                                      std::string_view what);

// A service of the machine itself, which is not there on most machines: one attempt with a short
// timeout and without a proxy.
net::WebRequest machine_request(std::string url);

}  // namespace tofu::identity
