// Logins for OCI registries as Docker, Podman and similar tools store them.
//
// A file of theirs comes in and rules go out; invalid entries are ignored,
// since other programs write these files. Helper programs
// (docker-credential-NAME) are run without a shell.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "net/credentials.h"

namespace tofu::net {

// For programs that keep secrets: their output is one line, but a person may have to unlock a key
// first.
inline constexpr std::uint64_t kMaxAnswerLength = 64 * 1024;
inline constexpr std::chrono::milliseconds kHelperDeadline = std::chrono::minutes(2);

// The rules of a file: `auths`, `credHelpers` and `credsStore`. A file that is not
// there, or is not JSON, is an error.
base::Result<std::vector<OciRule>> read_docker_file(const std::string& path);

// The credentials that the program returns for a registry. Nothing if it says that it has no login.
base::Result<std::optional<OciLogin>> ask_docker_helper(std::string_view name,
                                                        std::string_view registry,
                                                        const std::stop_token& stop);

// Whether docker-credential-NAME can be the name of a program.
bool is_helper_name(std::string_view name);

}  // namespace tofu::net
