#include "install/oci_mirror.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>
#include <vector>

#include "diag/diagnostic.h"
#include "diag/source.h"
#include "fetch/oci_manifest.h"
#include "install/provider_versions.h"
#include "net/json_fields.h"
#include "syntax/eval.h"
#include "syntax/map_scope.h"
#include "syntax/parser.h"

namespace tofu::install {

namespace {

using net::text_at;
using value::Value;
using Kind = MethodProblem::Kind;

constexpr std::string_view kIndexArtifact = "application/vnd.opentofu.provider";
constexpr std::string_view kPackageArtifact = "application/vnd.opentofu.provider-target";
constexpr std::uint64_t kMaxListSize = 4 << 20;
constexpr int kMaxPages = 1000;

// "tags/list?n=100&last=x" of `</v2/NAME/tags/list?n=100&last=x>; rel="next"`; empty if there
// is no next page.
std::string next_page(std::string_view link) {
  const std::size_t question = link.find('?');
  const std::size_t end = link.find('>');
  if (!link.starts_with('<') || link.find("rel=\"next\"") == std::string_view::npos ||
      question == std::string_view::npos || end == std::string_view::npos || end < question) {
    return {};
  }
  return fmt::format("tags/list{}", link.substr(question, end - question));
}

// The manifest for a platform in an index.
base::Result<std::optional<fetch::OciDigest>> manifest_in(std::string_view index,
                                                          const Platform& platform) {
  const auto document = net::parse_json_object(index);
  if (!document || text_at(*document, "mediaType") != fetch::kOciIndexType) {
    return base::Error{"its tag does not name an index of manifests"};
  }
  if (const std::string type = text_at(*document, "artifactType"); type != kIndexArtifact) {
    return base::Error{fmt::format("its artifact type is {:?} instead of {:?}", type.substr(0, 100),
                                   kIndexArtifact)};
  }
  for (const Value& entry : net::list_at(*document, "manifests")) {
    const Value* made_for = net::object_at(entry, "platform");
    if (made_for == nullptr || text_at(entry, "artifactType") != kPackageArtifact ||
        text_at(*made_for, "os") != platform.os ||
        text_at(*made_for, "architecture") != platform.arch) {
      continue;
    }
    auto digest = fetch::OciDigest::parse(text_at(entry, "digest"));
    if (!digest) return std::move(digest).error();
    return std::optional(std::move(*digest));
  }
  return std::optional<fetch::OciDigest>();
}

}  // namespace

base::Result<fetch::OciRepository> oci_repository(std::string_view repository_template,
                                                  const addrs::Provider& provider) {
  diag::SourceMap sources;
  diag::Diagnostics diags;
  const diag::FileId id = sources.add("repository_template", std::string(repository_template));
  const auto file = syntax::parse_template(sources, id, diags);
  const syntax::MapScope scope({{"hostname", Value::string(provider.host.for_display())},
                                {"namespace", Value::string(provider.space)},
                                {"type", Value::string(provider.type)}});
  const auto value =
      diags.has_errors() ? std::nullopt : syntax::evaluate(*file->expr, &scope, diags);
  if (!value || value->kind() != value::Kind::String) {
    return base::Error{fmt::format(
        "the template {:?} does not give the address of a repository: {}", repository_template,
        diags.has_errors() ? diags.items().front().detail : "its result is not text")};
  }
  const std::string address(value->unmarked().as_string());
  const std::size_t slash = address.find('/');
  if (slash == std::string::npos) {
    return base::Error{fmt::format("{:?} is not a registry and a repository", address)};
  }
  if (auto right = net::check_oci_place(address); !right) return right.error();
  return fetch::OciRepository{.registry = address.substr(0, slash),
                              .name = address.substr(slash + 1)};
}

base::Result<std::string> oci_template_of_uri(std::string_view uri_template) {
  constexpr std::string_view kNames[] = {"hostname", "namespace", "type"};
  std::string out;
  while (!uri_template.empty()) {
    const std::size_t special = uri_template.find_first_of("{}$%");
    out += uri_template.substr(0, special);
    if (special == std::string_view::npos) break;
    if (uri_template[special] != '{') {
      return base::Error{
          fmt::format("{:?} is not allowed outside of a name in braces", uri_template[special])};
    }
    uri_template.remove_prefix(special + 1);
    const std::size_t end = uri_template.find('}');
    if (end == std::string_view::npos) return base::Error{"a closing brace is missing"};
    const std::string_view name = uri_template.substr(0, end);
    if (std::ranges::find(kNames, name) == std::end(kNames)) {
      return base::Error{
          fmt::format("{{{}}} is not one of {{hostname}}, {{namespace}} and {{type}}", name)};
    }
    out += fmt::format("${{{}}}", name);
    uri_template.remove_prefix(end + 1);
  }
  return out;
}

OciMirror::OciMirror(net::Web& web, const net::Credentials& credentials,
                     net::EnvironmentVariable environment, const std::stop_token& stop,
                     std::string repository_template)
    : web_(web),
      credentials_(credentials),
      environment_(std::move(environment)),
      stop_(stop),
      template_(std::move(repository_template)) {}

std::string OciMirror::for_display(const addrs::Provider& provider) const {
  const auto repository = oci_repository(template_, provider);
  return repository
             ? fmt::format("the OCI repository {}/{}", repository->registry, repository->name)
             : std::string("an OCI registry");
}

base::Result<OfferedVersions, MethodProblem> OciMirror::versions(const addrs::Provider& provider) {
  const auto failed = [](std::string what) { return MethodProblem{Kind::Failed, std::move(what)}; };
  const auto repository = oci_repository(template_, provider);
  if (!repository) return failed(repository.error().what);
  const fetch::Fetching from = fetching();
  fetch::OciSession session(from, *repository);
  OfferedVersions offered;
  std::string page = "tags/list";
  for (int pages = 0; !page.empty(); ++pages) {
    if (pages == kMaxPages) return failed("the registry's list of tags does not end");
    const auto reply = session.get(page, {}, kMaxListSize);
    if (!reply) return failed(reply.error().what);
    if (reply->status == 404) return MethodProblem{Kind::NotFound};
    if (reply->status != 200) {
      return failed(fetch::oci_refusal(*reply, *repository, "its tags").what);
    }
    const auto document = net::parse_json_object(reply->body);
    if (!document) return failed("the registry's list of tags is not a JSON object");
    for (const Value& tag : net::list_at(*document, "tags")) {
      if (tag.kind() != value::Kind::String) continue;
      std::string text(tag.unmarked().as_string());
      std::ranges::replace(text, '_', '+');
      if (auto version = parse_provider_version(text)) {
        offered.versions.push_back(std::move(*version));
      }
    }
    page = next_page(reply->header("Link"));
  }
  if (offered.versions.empty()) return MethodProblem{Kind::NotFound};
  return offered;
}

base::Result<PackageOffer, MethodProblem> OciMirror::package(const addrs::Provider& provider,
                                                             const addrs::Version& version,
                                                             const Platform& platform) {
  const auto failed = [](std::string what) { return MethodProblem{Kind::Failed, std::move(what)}; };
  const auto repository = oci_repository(template_, provider);
  if (!repository) return failed(repository.error().what);
  std::string tag = version.to_string();
  std::ranges::replace(tag, '+', '_');
  const fetch::Fetching from = fetching();
  fetch::OciSession session(from, *repository);
  const auto index =
      fetch::get_oci_manifest(session, *repository, tag, std::nullopt, fetch::kOciIndexType);
  if (!index) return failed(index.error().what);
  const auto digest = manifest_in(index->text, platform);
  if (!digest) return failed(digest.error().what);
  if (!*digest) return MethodProblem{Kind::NoPackage};
  const auto manifest =
      fetch::get_oci_manifest(session, *repository, (*digest)->to_string(), *digest);
  if (!manifest) return failed(manifest.error().what);
  const auto layer = fetch::archive_layer_in(manifest->text, kPackageArtifact);
  if (!layer) return failed(layer.error().what);
  if (layer->digest.kind != fetch::DigestKind::Sha256) {
    return failed("its archive has a digest other than sha256, which cannot be locked");
  }
  return PackageOffer{.location = PackageBlob{*repository, layer->digest, layer->size},
                      .hashes = {"zh:" + layer->digest.hex}};
}

}  // namespace tofu::install
