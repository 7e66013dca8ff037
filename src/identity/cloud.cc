#include "identity/cloud.h"

#include <fmt/format.h>
#include <utility>

#include "base/file.h"
#include "base/quotation.h"
#include "net/redaction.h"
#include "process/process.h"

namespace tofu::identity {

namespace {

constexpr std::uint64_t kMaxReplySize = std::uint64_t{1} << 20;
constexpr std::chrono::milliseconds kProgramDeadline = std::chrono::minutes(2);
constexpr std::chrono::milliseconds kMachineDeadline = std::chrono::seconds(1);

}  // namespace

std::string in_home(const net::EnvironmentVariable& environment, std::string_view below) {
  const std::string_view home = environment("HOME");
  return home.empty() ? std::string() : fmt::format("{}/{}", home, below);
}

std::string first_variable(const net::EnvironmentVariable& environment,
                           std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    const std::string_view value = environment(name);
    if (!value.empty()) return std::string(value);
  }
  return {};
}

base::Result<std::string> read_credentials_file(const std::string& path) {
  auto text = base::read_file(path, kMaxCredentialsFileSize);
  if (!text) {
    return base::Error{fmt::format("the file {:?} cannot be read: {}", path, text.error().what)};
  }
  while (!text->empty() && (text->back() == '\n' || text->back() == '\r')) text->pop_back();
  return text;
}

base::Result<std::string> run_credentials_program(const Cloud& cloud, const std::string& command) {
  process::GuardedProcess process{{"/bin/sh", "-c", command}};
  process.output_limit = kMaxReplySize;
  process.deadline = kProgramDeadline;
  process.stop = cloud.stop;
  auto ran = process::run_guarded(process);
  if (!ran) {
    return base::Error{fmt::format("the credentials program failed: {}", ran.error().what)};
  }
  if (ran->exit_status != 0) {
    return base::Error{fmt::format("the credentials program failed with status {}: {}",
                                   ran->exit_status,
                                   base::without_full_stop(net::redact(ran->errors, {})))};
  }
  return std::move(ran->output);
}

base::Result<std::string> ask_service(const Cloud& cloud, const net::WebRequest& request,
                                      std::string_view what) {
  auto reply = cloud.web.ask(request);
  if (!reply) return base::Error{fmt::format("asking {} failed: {}", what, reply.error().what)};
  if (reply->status < 200 || reply->status >= 300) {
    return base::Error{fmt::format("{} responded with status {}", what, reply->status)};
  }
  return std::move(reply->body);
}

net::WebRequest machine_request(std::string url) {
  net::WebRequest request;
  request.url = std::move(url);
  request.limit = kMaxReplySize;
  request.deadline = kMachineDeadline;
  return request;
}

}  // namespace tofu::identity
