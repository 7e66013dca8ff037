// What servers send, read: registries of modules and providers, mirrors, discovery, OCI
// challenges, lists of objects.
// The first byte chooses the reader. No answer leads to a file of this machine, and
// an address that was accepted means the same when it is read again.
#include "install/registry_reply.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "fetch/object_listing.h"
#include "fetch/oci_digest.h"
#include "fetch/oci_session.h"
#include "install/login_service.h"
#include "install/provider_registry_reply.h"
#include "install/signing_metadata.h"
#include "net/web_url.h"

namespace {

using tofu::install::ModuleLocation;
using tofu::net::WebReply;

void check_location(const tofu::base::Result<ModuleLocation>& location) {
  if (!location) return;
  TOFU_CHECK(tofu::addrs::kind_of(location->source) != tofu::addrs::RemoteKind::File,
             "a registry never leads to a file of this machine");
  TOFU_CHECK(!location->with_token || location->direct, "a token goes to a direct package only");
}

void read_url(std::string_view text) {
  const auto base = tofu::net::parse_web_url("https://example.com/a/b?c");
  TOFU_CHECK(base.ok(), "a plain address can be read");
  for (const auto& url : {tofu::net::parse_web_url(text), tofu::net::resolve_web_url(*base, text),
                          tofu::net::redirect_url(*base, text)}) {
    if (!url) continue;
    const auto again = tofu::net::parse_web_url(url->to_string());
    TOFU_CHECK(again && tofu::net::Origin(*again) == tofu::net::Origin(*url),
               "an address keeps its origin");
  }
}

// Whatever is in it, nothing is vouched for without a signature.
void read_provider_package(std::string_view text) {
  auto package = tofu::install::provider_package_in(text);
  if (!package) return;
  package->evidence.checksums = package->evidence.sha256 + "  " + package->evidence.filename;
  package->evidence.keys.clear();
  const tofu::addrs::Provider provider{{"example.com"}, "space", "type"};
  TOFU_CHECK(!tofu::install::check_evidence(package->evidence, provider, {"linux", "amd64"}, {}),
             "a package of another registry has to be signed");
}

void read_login(std::string_view text) {
  const auto at = tofu::net::parse_web_url("https://example.com/a");
  TOFU_CHECK(at.ok(), "a plain address can be read");
  const auto service = tofu::install::read_login_service(text, *at);
  TOFU_CHECK(!service || service->first_port >= 1024, "ports are those of people");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 13) {
    case 0:
      (void)tofu::install::services_in(
          {200, "https://x/", {{"Content-Type", "application/json"}}, std::string(text)});
      break;
    case 1: (void)tofu::install::versions_in(text); break;
    case 2:
    case 3: {
      const auto asked = tofu::net::parse_web_url("https://example.com/v1/a/b/c/1.0.0/download");
      TOFU_CHECK(asked.ok(), "a plain address can be read");
      WebReply reply{data[0] % 13 == 2 ? 200 : 204, asked->to_string(), {}, std::string(text)};
      reply.headers.push_back({"X-Terraform-Get", std::string(text)});
      check_location(tofu::install::location_in(reply, *asked));
      break;
    }
    case 4: (void)tofu::fetch::parse_challenge(text); break;
    case 5: (void)tofu::fetch::read_s3_page(text); break;
    case 6: (void)tofu::fetch::read_gcs_page(text); break;
    case 7: (void)tofu::install::provider_versions_in(text); break;
    case 8: read_provider_package(text); break;
    case 9: (void)tofu::install::mirror_versions_in(text); break;
    case 10: (void)tofu::install::mirror_archives_in(text); break;
    case 11: read_login(text); break;
    default: read_url(text); (void)tofu::fetch::OciDigest::parse(text);
  }
  return 0;
}
