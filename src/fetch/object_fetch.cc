#include "fetch/object_fetch.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <functional>
#include <set>
#include <utility>
#include <vector>

#include "archive/folded_name.h"
#include "archive/temporary_file.h"
#include "base/unicode.h"
#include "fetch/archive_source.h"
#include "fetch/object_listing.h"
#include "identity/aws_credentials.h"
#include "identity/google_credentials.h"
#include "net/web_url.h"

namespace tofu::fetch {

namespace {

constexpr std::uint64_t kMaxPageSize = 16 << 20;
constexpr std::size_t kMaxNameLength = 4096;
constexpr std::string_view kUsualRegion = "us-east-1";

// How one kind of store is asked: for an object by its name, and for a page of names.
struct ObjectStore {
  std::string shown;  // "the bucket x", for people
  std::function<net::WebRequest(const std::string& name)> object;
  std::function<net::WebRequest(const std::string& prefix, const std::string& next)> page;
  std::function<base::Result<ObjectPage>(std::string_view body)> read_page;
};

base::Error refusal(const ObjectStore& store, const std::string& name, int status) {
  const char* why = status == 404                    ? ": it does not exist"
                    : status == 401 || status == 403 ? ": access is denied, or it does not exist"
                                                     : "";
  return {fmt::format("{} answered the request for {:?} with status {}{}", store.shown, name,
                      status, why)};
}

base::Result<std::uint64_t> download(const Fetching& fetching, const ObjectStore& store,
                                     const std::string& name, const std::string& file,
                                     std::uint64_t limit, std::uint32_t mode = 0600) {
  net::WebRequest request = store.object(name);
  request.limit = limit;
  request.file_mode = mode;
  const auto reply = fetching.web.download(request, file);
  if (!reply) return reply.error();
  if (reply->status != 200) return refusal(store, name, reply->status);
  std::error_code error;
  const std::uint64_t size = std::filesystem::file_size(file, error);
  if (error) return base::Error{error.message()};
  return size;
}

// The parts of a name below the prefix; an error if it cannot be a file there.
base::Result<std::filesystem::path> file_of(std::string_view name) {
  const auto refused = [&](const char* why) {
    return base::Error{fmt::format("the object {:?} cannot be a file: {}",
                                   base::to_valid_utf8(std::string(name.substr(0, 300))), why)};
  };
  if (name.size() > kMaxNameLength) return refused("its name is too long");
  if (name.find_first_of(std::string_view("\\\0", 2)) != std::string_view::npos) {
    return refused("its name has a backslash or a zero byte in it");
  }
  std::filesystem::path path;
  while (!name.empty()) {
    const std::size_t slash = std::min(name.find('/'), name.size());
    const std::string_view part = name.substr(0, slash);
    name.remove_prefix(std::min(slash + 1, name.size()));
    if (part.empty() || part == "." || part == "..") {
      return refused("a part of its name is empty or leads elsewhere");
    }
    if (part.size() > 255) return refused("its name is too long");
    path /= part;
  }
  return path;
}

base::Result<std::vector<std::string>> list(const Fetching& fetching, const ObjectStore& store,
                                            const std::string& prefix) {
  std::vector<std::string> names;
  std::string next;
  do {
    net::WebRequest request = store.page(prefix, next);
    request.limit = kMaxPageSize;
    const auto reply = fetching.web.ask(request);
    if (!reply) return reply.error();
    if (reply->status != 200) return refusal(store, prefix, reply->status);
    auto page = store.read_page(reply->body);
    if (!page) {
      return base::Error{fmt::format("{} is not understood: {}", store.shown, page.error().what)};
    }
    // A page without names that goes on could do so for ever.
    if (page->names.empty() && !page->next.empty()) {
      return base::Error{fmt::format("{} sends an empty page of its list", store.shown)};
    }
    std::ranges::move(page->names, std::back_inserter(names));
    next = std::move(page->next);
    if (names.size() > fetching.limits.files) {
      return base::Error{
          fmt::format("more than {} objects exist below {:?}", fetching.limits.files, prefix)};
    }
  } while (!next.empty());
  return names;
}

base::Result<FetchedPackage> fetch_directory(const Fetching& fetching, const FetchRequest& request,
                                             const ObjectStore& store, std::string prefix) {
  if (!prefix.empty() && !prefix.ends_with('/')) prefix += '/';
  const auto names = list(fetching, store, prefix);
  if (!names) return names.error();
  const std::filesystem::path into = request.into;
  std::error_code error;
  std::filesystem::create_directory(into, error);
  if (error) return base::Error{error.message()};
  std::set<std::string, std::less<>> seen;
  std::uint64_t room = std::min(fetching.limits.download_bytes, fetching.limits.unpacked_bytes);
  for (const std::string& name : *names) {
    if (!name.starts_with(prefix) || name.ends_with('/')) continue;  // a marker of a directory
    const auto file = file_of(std::string_view(name).substr(prefix.size()));
    if (!file) return file.error();
    if (!seen.insert(archive::folded_name(file->native())).second) {
      return base::Error{fmt::format(
          "the object {:?} differs from another only by case or by the form of its letters", name)};
    }
    std::filesystem::create_directories((into / *file).parent_path(), error);
    if (error) return base::Error{fmt::format("the object {:?}: {}", name, error.message())};
    const auto size = download(fetching, store, name, into / *file, room, 0644);
    if (!size) return size.error();
    room -= *size;
  }
  if (seen.empty()) {
    return base::Error{fmt::format("{} has nothing below {:?}", store.shown, prefix)};
  }
  return FetchedPackage{};
}

base::Result<FetchedPackage> fetch_objects(const Fetching& fetching, const FetchRequest& request,
                                           const ObjectStore& store, const std::string& name,
                                           const ArchiveSource& archive, const base::Url& url) {
  if (!archive.kind) {
    if (archive.checksum.empty()) return fetch_directory(fetching, request, store, name);
    return base::Error{"a checksum needs an archive, and this is not a supported archive"};
  }
  const archive::TemporaryFile file(request.into + ".archive");
  const auto size = download(fetching, store, name, file.path(), fetching.limits.download_bytes);
  if (!size) return size.error();
  return unpack_fetched(fetching, request, archive, url, file.path());
}

// "bucket" and "key/of/it" of "/bucket/key/of/it".
bool split_bucket(std::string_view path, S3Place& place) {
  if (path.starts_with('/')) path.remove_prefix(1);
  const std::size_t slash = path.find('/');
  if (slash == std::string_view::npos || slash == 0) return false;
  place.bucket = path.substr(0, slash);
  place.key = path.substr(slash + 1);
  return true;
}

// "eu-west-1" of "s3-eu-west-1", nothing of "s3".
std::string region_in(std::string_view label) {
  if (label.starts_with("s3-")) return std::string(label.substr(3));
  return label == "s3" ? std::string() : std::string(label);
}

std::vector<std::string> split_dots(std::string_view text) {
  std::vector<std::string> labels;
  while (!text.empty()) {
    const std::size_t dot = std::min(text.find('.'), text.size());
    labels.emplace_back(text.substr(0, dot));
    text.remove_prefix(std::min(dot + 1, text.size()));
  }
  return labels;
}

// Keys of the address, or those that the environment and the machine have; nothing for
// anonymous requests.
base::Result<std::optional<identity::AwsKeys>> take_aws_keys(const Fetching& fetching,
                                                             base::Url& url) {
  identity::AwsKeys given{.key_id = take_argument(url, "aws_access_key_id"),
                          .secret = net::Secret(take_argument(url, "aws_access_key_secret")),
                          .session_token = net::Secret(take_argument(url, "aws_access_token"))};
  const std::string profile = take_argument(url, "aws_profile");
  if (profile.empty() && !given.key_id.empty()) return std::optional(std::move(given));
  auto identity =
      identity::find_aws_identity({fetching.web, fetching.environment, fetching.stop}, profile);
  if (!identity) return std::move(identity).error();
  return std::move(identity->keys);
}

// The header with an access token; nothing for anonymous requests.
base::Result<std::vector<net::SecretHeader>> google_authorization(const Fetching& fetching,
                                                                  const base::Url& endpoint) {
  constexpr const char* kScope = "https://www.googleapis.com/auth/devstorage.read_only";
  // An emulator has no users.
  const bool emulated = !fetching.environment("STORAGE_EMULATOR_HOST").empty();
  if (emulated && fetching.environment("GOOGLE_OAUTH_ACCESS_TOKEN").empty()) {
    return std::vector<net::SecretHeader>();
  }
  const auto token = identity::find_google_token(
      {fetching.web, fetching.environment, fetching.stop}, net::Origin(endpoint), kScope);
  if (!token) return token.error();
  if (!*token) return std::vector<net::SecretHeader>();
  return std::vector<net::SecretHeader>{{"Authorization", net::bearer_token(**token)}};
}

}  // namespace

base::Result<S3Place> take_s3_place(base::Url& url) {
  const base::Error wrong{
      "the address is not that of an object, as in "
      "s3::https://s3-REGION.amazonaws.com/BUCKET/PATH"};
  S3Place place{.region = take_argument(url, "region")};
  const std::string path = url.decoded_path();
  std::string_view suffix;
  for (const std::string_view each : {".amazonaws.com", ".amazonaws.com.cn"}) {
    if (url.host.ends_with(each)) suffix = each;
  }
  if (suffix.empty()) {
    if (!split_bucket(path, place)) return wrong;
    if (place.region.empty()) place.region = kUsualRegion;
    place.endpoint = fmt::format("{}://{}", url.scheme, url.authority());
    return place;
  }
  // s3-REGION, s3.REGION, BUCKET.s3-REGION or BUCKET.s3.REGION
  const auto labels =
      split_dots(std::string_view(url.host).substr(0, url.host.size() - suffix.size()));
  const bool bucket_in_path =
      !labels.empty() && (labels[0] == "s3" || labels[0].starts_with("s3-"));
  if (labels.empty() || labels.size() > (bucket_in_path ? 2U : 3U)) return wrong;
  place.region = region_in(labels.back());
  if (place.region.empty()) place.region = kUsualRegion;
  if (bucket_in_path) {
    if (!split_bucket(path, place)) return wrong;
  } else {
    if (labels.size() < 2 || !path.starts_with('/')) return wrong;
    place.bucket = labels[0];
    place.key = path.substr(1);
  }
  place.endpoint = fmt::format("https://s3.{}{}", place.region, suffix);
  return place;
}

base::Result<FetchedPackage> fetch_s3(const Fetching& fetching, const FetchRequest& request) {
  auto url = parse_package_url(request.address);
  if (!url) return std::move(url).error();
  const auto archive = take_archive_source(*url);
  if (!archive) return archive.error();
  const auto keys = take_aws_keys(fetching, *url);
  if (!keys) return keys.error();
  auto place = take_s3_place(*url);
  if (!place) return std::move(place).error();
  for (const char* variable : {"AWS_S3_ENDPOINT", "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3"}) {
    const std::string_view other = fetching.environment(variable);
    if (!other.empty() && url->host.find(".amazonaws.com") != std::string::npos) {
      place->endpoint = other.substr(0, other.find_last_not_of('/') + 1);
    }
  }
  const auto endpoint = net::parse_web_url(place->endpoint);
  if (!endpoint) return endpoint.error();
  std::optional<net::AwsSignature> signature;
  if (*keys) signature = (*keys)->signature(*endpoint, place->region, "s3");
  const std::string version = take_argument(*url, "version");
  const std::string bucket = fmt::format("{}/{}", place->endpoint, base::escape_url(place->bucket));
  const ObjectStore store{
      .shown = fmt::format("the bucket {:?}", place->bucket),
      .object =
          [&](const std::string& name) {
            std::string address = fmt::format("{}/{}", bucket, base::escape_url(name, "/"));
            if (!version.empty() && archive->kind) {
              address += "?versionId=" + base::escape_url(version);
            }
            return net::WebRequest{.url = std::move(address), .signature = signature};
          },
      .page =
          [&](const std::string& prefix, const std::string& next) {
            // In the order that a signature needs.
            std::string query =
                next.empty() ? "" : "continuation-token=" + base::escape_url(next) + "&";
            query += "encoding-type=url&list-type=2&prefix=" + base::escape_url(prefix);
            return net::WebRequest{.url = fmt::format("{}?{}", bucket, query),
                                   .signature = signature};
          },
      .read_page = read_s3_page};
  return fetch_objects(fetching, request, store, place->key, *archive, *url);
}

base::Result<FetchedPackage> fetch_gcs(const Fetching& fetching, const FetchRequest& request) {
  auto url = parse_package_url(request.address);
  if (!url) return std::move(url).error();
  const auto archive = take_archive_source(*url);
  if (!archive) return archive.error();
  // /storage/v1/BUCKET/PATH
  S3Place place;
  std::string path = url->decoded_path();
  for (int i = 0; i < 2; ++i) path.erase(0, std::min(path.find('/', 1), path.size()));
  const bool google = url->host.ends_with(".googleapis.com") && split_dots(url->host).size() == 3;
  if (!google || !split_bucket(path, place)) {
    return base::Error{
        "the address is not that of an object, as in "
        "gcs::https://www.googleapis.com/storage/v1/BUCKET/PATH"};
  }
  std::string endpoint = "https://storage.googleapis.com";
  const std::string_view emulator = fetching.environment("STORAGE_EMULATOR_HOST");
  if (!emulator.empty()) {
    const bool whole = emulator.starts_with("http://") || emulator.starts_with("https://");
    endpoint = fmt::format("{}{}", whole ? "" : "http://", emulator);
  }
  const std::string bucket =
      fmt::format("{}/storage/v1/b/{}/o", endpoint, base::escape_url(place.bucket));
  const std::size_t mark = request.address.rfind('#');
  const std::string generation =
      mark == std::string::npos ? std::string() : request.address.substr(mark + 1);
  const auto endpoint_url = net::parse_web_url(endpoint);
  if (!endpoint_url) return endpoint_url.error();
  const auto secret = google_authorization(fetching, *endpoint_url);
  if (!secret) return secret.error();
  const ObjectStore store{
      .shown = fmt::format("the bucket {:?}", place.bucket),
      .object =
          [&](const std::string& name) {
            std::string address = fmt::format("{}/{}?alt=media", bucket, base::escape_url(name));
            if (!generation.empty() && archive->kind) {
              address += "&generation=" + base::escape_url(generation);
            }
            return net::WebRequest{.url = std::move(address), .private_headers = *secret};
          },
      .page =
          [&](const std::string& prefix, const std::string& next) {
            std::string query = "prefix=" + base::escape_url(prefix);
            if (!next.empty()) query += "&pageToken=" + base::escape_url(next);
            return net::WebRequest{.url = fmt::format("{}?{}", bucket, query),
                                   .private_headers = *secret};
          },
      .read_page = read_gcs_page};
  return fetch_objects(fetching, request, store, place.key, *archive, *url);
}

}  // namespace tofu::fetch
