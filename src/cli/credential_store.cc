#include "cli/credential_store.h"

#include <filesystem>
#include <fmt/format.h>
#include <optional>
#include <utility>

#include "base/file.h"
#include "base/json_layout.h"
#include "base/json_writer.h"
#include "cli/settings.h"
#include "process/process.h"
#include "value/json.h"

namespace tofu::cli {

namespace {

using value::Kind;
using value::Value;

constexpr std::uint64_t kMaxFileSize = 1 << 20;

bool is_host(std::string_view text, const base::Hostname& host) {
  const auto parsed = base::parse_hostname(text);
  return parsed && *parsed == host;
}

// The file as a value. Nothing if there is no file, or an empty one.
base::Result<std::optional<Value>> read(const std::string& path) {
  const auto kind = base::file_kind(path);
  if (kind && *kind == base::FileKind::Missing) return std::optional<Value>();
  const auto text = base::read_file(path, kMaxFileSize);
  if (!text) return text.error();
  if (text->empty()) return std::optional<Value>();
  auto document = value::parse_json(*text);
  if (!document || document->kind() != Kind::Object) return base::Error{"it is not a JSON object"};
  return std::optional<Value>(std::move(*document));
}

template <class Each>
void each_member(const Value& object, const Each& each) {
  const auto names = object.type().attributes();
  const auto items = object.unmarked().items();
  for (std::size_t i = 0; i < items.size(); ++i) each(names[i].name, items[i]);
}

void write_member(base::JsonWriter& json, std::string_view name, const Value& member) {
  const auto text = value::to_json(member);
  if (!text) return;  // what was read can be written
  json.key(name);
  json.raw(*text);
}

}  // namespace

CredentialStore::CredentialStore(const Settings& settings)
    : settings_(settings), file_(settings.cli_config.directory + "/credentials.tfrc.json") {}

bool CredentialStore::has_in_file(const base::Hostname& host) const {
  const auto document = read(file_);
  if (!document || !*document) return false;
  const Value* known = (*document)->unmarked().find("credentials");
  if (known == nullptr || known->kind() != Kind::Object) return false;
  bool found = false;
  each_member(*known,
              [&](std::string_view name, const Value&) { found = found || is_host(name, host); });
  return found;
}

CredentialStore::Place CredentialStore::place_of(const base::Hostname& host) const {
  if (has_in_file(host)) return Place::File;
  const auto& sources = settings_.cli_config.credentials;
  if (sources.tokens.contains(host)) return Place::Elsewhere;
  return sources.helper ? Place::Helper : Place::Nowhere;
}

base::Result<void> CredentialStore::store(const base::Hostname& host, const std::string& token) {
  if (place_of(host) != Place::Helper) return rewrite(host, &token);
  std::string input;
  base::JsonWriter json(input);
  json.begin_object();
  json.field("token", token);
  json.end_object();
  return run_helper("store", host, std::move(input));
}

base::Result<void> CredentialStore::forget(const base::Hostname& host) {
  return place_of(host) == Place::Helper ? run_helper("forget", host, {}) : rewrite(host, nullptr);
}

base::Result<void> CredentialStore::run_helper(std::string_view verb, const base::Hostname& host,
                                               std::string input) const {
  const net::TokenHelper& helper = *settings_.cli_config.credentials.helper;
  process::GuardedProcess process{{helper.program}};
  process.arguments.insert(process.arguments.end(), helper.arguments.begin(),
                           helper.arguments.end());
  process.arguments.insert(process.arguments.end(), {std::string(verb), host.for_display()});
  process.input = std::move(input);
  const auto ran = process::run_guarded(process);
  if (!ran) return ran.error();
  if (ran->exit_status == 0) return {};
  return base::Error{fmt::format("the credentials helper {} exited with status {}", helper.program,
                                 ran->exit_status)};
}

base::Result<void> CredentialStore::rewrite(const base::Hostname& host,
                                            const std::string* token) const {
  const auto before = read(file_);
  if (!before) return before.error();
  std::string compact;
  base::JsonWriter json(compact);
  json.begin_object();
  json.key("credentials");
  json.begin_object();
  const Value* known = *before ? (*before)->unmarked().find("credentials") : nullptr;
  if (known != nullptr && known->kind() != Kind::Object) {
    return base::Error{"its \"credentials\" is not a JSON object"};
  }
  if (known != nullptr) {
    each_member(*known, [&](std::string_view name, const Value& member) {
      if (!is_host(name, host)) write_member(json, name, member);
    });
  }
  if (token != nullptr) {
    json.key(host.for_display());
    json.begin_object();
    json.field("token", *token);
    json.end_object();
  }
  json.end_object();
  if (*before) {
    each_member(**before, [&](std::string_view name, const Value& member) {
      if (name != "credentials") write_member(json, name, member);
    });
  }
  json.end_object();
  std::string text;
  base::JsonIndenter(text, "  ").append(compact);
  std::error_code failed;
  std::filesystem::create_directories(settings_.cli_config.directory, failed);
  if (failed) return base::Error{failed.message()};
  return base::write_private_file(file_, text);
}

}  // namespace tofu::cli
