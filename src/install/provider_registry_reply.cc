#include "install/provider_registry_reply.h"

#include <fmt/format.h>
#include <utility>

#include "base/ascii.h"
#include "install/provider_versions.h"
#include "install/signing_metadata.h"
#include "net/json_fields.h"
#include "value/json.h"

namespace tofu::install {

namespace {

using net::object_at;
using net::text_at;
using value::Kind;
using value::Value;

base::Result<Value> parse_object(std::string_view body) {
  auto document = net::parse_json_object(body);
  if (!document) return base::Error{"its answer is not a JSON object"};
  return std::move(*document);
}

std::vector<std::string> texts_at(const Value& object, std::string_view name) {
  std::vector<std::string> texts;
  for (const Value& item : net::list_at(object, name)) {
    if (item.kind() == Kind::String) texts.emplace_back(item.unmarked().as_string());
  }
  return texts;
}

// Hashes have a scheme and a colon.
base::Result<std::vector<std::string>> hashes_at(const Value& object) {
  std::vector<std::string> hashes = texts_at(object, "hashes");
  for (const std::string& hash : hashes) {
    const std::size_t colon = hash.find(':');
    if (colon == 0 || colon == std::string::npos) {
      return base::Error{fmt::format("{:?} in its answer is not a hash", hash.substr(0, 100))};
    }
  }
  return hashes;
}

template <class Each>
base::Result<void> each_member(const Value& object, const Each& each) {
  const auto names = object.type().attributes();
  const auto items = object.unmarked().items();
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (auto done = each(std::string(names[i].name), items[i]); !done) return done;
  }
  return {};
}

}  // namespace

base::Result<OfferedVersions> provider_versions_in(std::string_view body) {
  const auto document = parse_object(body);
  if (!document) return document.error();
  OfferedVersions offered;
  offered.warnings = texts_at(*document, "warnings");
  for (const Value& entry : net::list_at(*document, "versions")) {
    const std::string text = text_at(entry, "version");
    auto version = addrs::Version::parse(text);
    if (!version || !version->is_strict()) {
      return base::Error{fmt::format("{:?} in its answer is not a version", text.substr(0, 100))};
    }
    offered.versions.push_back(std::move(*version));
  }
  return offered;
}

base::Result<RegistryPackage> provider_package_in(std::string_view body) {
  const auto document = parse_object(body);
  if (!document) return document.error();
  RegistryPackage package{.protocols = texts_at(*document, "protocols"),
                          .download_url = text_at(*document, "download_url"),
                          .checksums_url = text_at(*document, "shasums_url"),
                          .signature_url = text_at(*document, "shasums_signature_url"),
                          .evidence = {}};
  SigningMetadata& evidence = package.evidence;
  evidence.filename = text_at(*document, "filename");
  evidence.sha256 = text_at(*document, "shasum");
  if (!is_sha256(evidence.sha256)) return base::Error{"its answer has no SHA-256 checksum"};
  evidence.sha256 = base::ascii_lower(evidence.sha256);
  if (package.download_url.empty() || evidence.filename.empty()) {
    return base::Error{"its answer does not say where the package is"};
  }
  if (const Value* keys = object_at(*document, "signing_keys")) {
    for (const Value& key : net::list_at(*keys, "gpg_public_keys")) {
      evidence.keys.push_back(text_at(key, "ascii_armor"));
    }
  }
  if (const Value* packages = object_at(*document, "packages")) {
    const auto read =
        each_member(*packages, [&](std::string name, const Value& each) -> base::Result<void> {
          auto hashes = hashes_at(each);
          if (!hashes) return hashes.error();
          const Value* size =
              each.kind() == Kind::Object ? each.unmarked().find("package_size") : nullptr;
          const auto bytes = size != nullptr && size->kind() == Kind::Number
                                 ? size->unmarked().as_number().to_int64()
                                 : std::optional<std::int64_t>();
          evidence.packages[std::move(name)] = {std::move(*hashes), bytes.value_or(0)};
          return {};
        });
    if (!read) return read.error();
  }
  return package;
}

base::Result<OfferedVersions> mirror_versions_in(std::string_view body) {
  const auto document = parse_object(body);
  if (!document) return document.error();
  OfferedVersions offered;
  const Value* versions = object_at(*document, "versions");
  if (versions == nullptr) return offered;
  const auto read =
      each_member(*versions, [&](const std::string& text, const Value&) -> base::Result<void> {
        if (auto version = parse_provider_version(text)) {
          offered.versions.push_back(std::move(*version));
        }
        return {};
      });
  if (!read) return read.error();
  return offered;
}

base::Result<std::map<std::string, MirrorArchive, std::less<>>> mirror_archives_in(
    std::string_view body) {
  const auto document = parse_object(body);
  if (!document) return document.error();
  std::map<std::string, MirrorArchive, std::less<>> archives;
  const Value* listed = object_at(*document, "archives");
  if (listed == nullptr) return archives;
  const auto read =
      each_member(*listed, [&](std::string name, const Value& each) -> base::Result<void> {
        auto hashes = hashes_at(each);
        if (!hashes) return hashes.error();
        archives[std::move(name)] = {text_at(each, "url"), std::move(*hashes)};
        return {};
      });
  if (!read) return read.error();
  return archives;
}

}  // namespace tofu::install
