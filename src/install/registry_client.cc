#include "install/registry_client.h"

#include <fmt/format.h>
#include <utility>

namespace tofu::install {

namespace {

constexpr std::uint64_t kMaxReplySize = 16 << 20;

}  // namespace

base::Result<RegistryAnswer> RegistryClient::ask(const base::Hostname& host,
                                                 std::string_view question,
                                                 std::string_view about) {
  const auto service = discovery_.find(host, service_);
  if (!service) return service.error();
  auto url = net::resolve_web_url(service->url, question);
  if (!url) return std::move(url).error();
  net::WebRequest request{.url = url->to_string(), .limit = kMaxReplySize};
  if (!program_version_.empty()) {
    request.headers.push_back({"X-Terraform-Version", program_version_});
  }
  if (service->takes_token) request.private_headers = discovery_.authorization(host, *url);
  const bool had_token = !request.private_headers.empty();
  auto reply = web_.ask(request);
  if (!reply) {
    return base::Error{fmt::format("request to the registry at {} about {} failed: {}",
                                   host.for_display(), about, reply.error().what)};
  }
  return RegistryAnswer{std::move(*url), std::move(*reply), had_token};
}

namespace {

// The names of what registries answer for reasons of their own; caches of providers that are
// registries to us say by 423 that they are not ready, and their clients look for the name.
std::string_view status_name(int status) {
  switch (status) {
    case 400: return " (Bad Request)";
    case 409: return " (Conflict)";
    case 410: return " (Gone)";
    case 423: return " (Locked)";
    default: return "";
  }
}

}  // namespace

base::Error refusal(const base::Hostname& host, std::string_view about,
                    const RegistryAnswer& answer) {
  const std::string name = host.for_display();
  const int status = answer.reply.status;
  if (status == 404) {
    return {fmt::format("the registry at {} has no {} (not found)", name, about)};
  }
  if (status == 401 || status == 403) {
    return {fmt::format(
        "the registry at {} refuses access to {} with status {}; {}", name, about, status,
        answer.had_token ? "the token that is known for it is not good for this"
                         : "no token is known for it: a credentials block of the CLI "
                           "configuration or a TF_TOKEN_ variable gives one")};
  }
  if (status == 429 || status >= 500) {
    return {fmt::format("the registry at {} cannot answer about {} now (status {})", name, about,
                        status)};
  }
  return {fmt::format("the registry at {} answers about {} with status {}{}", name, about, status,
                      status_name(status))};
}

}  // namespace tofu::install
