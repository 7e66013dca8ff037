#include "install/registry_reply.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <utility>
#include <variant>

#include "base/ascii.h"
#include "value/json.h"

namespace tofu::install {

namespace {

using value::Kind;
using value::Value;

const Value* field(const Value& object, std::string_view name) {
  return object.kind() == Kind::Object ? object.plain().find(name) : nullptr;
}

std::string text_field(const Value& object, std::string_view name) {
  const Value* found = field(object, name);
  return found != nullptr && found->kind() == Kind::String ? std::string(found->plain().as_string())
                                                           : "";
}

// A source as it may stand in a module call, or an address relative to `asked`.
base::Result<ModuleLocation> indirect(std::string_view text, const base::Url& asked) {
  if (text.empty()) return base::Error{"it does not say where the package is"};
  if (text.size() > net::kMaxUrlLength) return base::Error{"the location it names is too long"};
  std::string source(text);
  if (text.starts_with('/') || text.starts_with("./") || text.starts_with("../")) {
    auto resolved = net::resolve_web_url(asked, text);
    if (!resolved) {
      return base::Error{
          fmt::format("the location it names cannot be used: {}", resolved.error().what)};
    }
    source = resolved->to_string();
  }
  const auto parsed = addrs::parse_module_source(source);
  if (!parsed) {
    return base::Error{
        fmt::format("the location it names cannot be used: {}", parsed.error().what)};
  }
  const auto* remote = std::get_if<addrs::RemoteSource>(&*parsed);
  const bool local = remote != nullptr && (addrs::kind_of(*remote) == addrs::RemoteKind::File ||
                                           remote->package.find("file://") != std::string::npos);
  if (remote == nullptr || local) {
    return base::Error{"the location it names is not the address of a package elsewhere"};
  }
  return ModuleLocation{*remote};
}

// An archive that the registry serves itself.
base::Result<ModuleLocation> direct(std::string_view text, const base::Url& asked,
                                    bool with_token) {
  if (text.empty()) return base::Error{"it does not say where the package is"};
  if (text.find('#') != std::string_view::npos) {
    return base::Error{"the location it names has a fragment"};
  }
  auto url = net::resolve_web_url(asked, text);
  if (!url) {
    return base::Error{fmt::format("the location it names cannot be used: {}", url.error().what)};
  }
  // The token must be sent encrypted.
  const bool safe = url->scheme == "https" || net::Origin(*url) == net::Origin(asked);
  return ModuleLocation{{url->to_string()}, true, with_token && safe};
}

}  // namespace

std::string media_type(std::string_view text) {
  text = text.substr(0, text.find(';'));
  while (text.ends_with(' ')) text.remove_suffix(1);
  return base::ascii_lower(text);
}

base::Result<net::HostServices> services_in(const net::WebReply& reply) {
  const std::string type = media_type(reply.header("Content-Type"));
  if (type != "application/json") {
    return base::Error{
        fmt::format("its document is of type {:?}, not application/json", type.substr(0, 60))};
  }
  const auto document = value::parse_json(reply.body);
  if (!document || document->kind() != Kind::Object) {
    return base::Error{"its document is not a JSON object"};
  }
  net::HostServices services;
  const auto names = document->type().attributes();
  const auto items = document->plain().items();
  for (std::size_t i = 0; i < items.size(); ++i) {
    const bool is_url = items[i].kind() == Kind::String;
    services.emplace(names[i].name,
                     is_url ? std::string(items[i].plain().as_string()) : std::string());
  }
  return services;
}

base::Result<std::vector<addrs::Version>> versions_in(std::string_view body) {
  const auto document = value::parse_json(body);
  if (!document) return base::Error{"its answer is not JSON"};
  const Value* modules = field(*document, "modules");
  if (modules == nullptr || modules->kind() != Kind::Tuple || modules->plain().items().empty()) {
    return base::Error{"its answer has no list of modules"};
  }
  std::vector<addrs::Version> versions;
  const Value* list = field(modules->plain().items().front(), "versions");
  if (list == nullptr || list->kind() != Kind::Tuple) return versions;
  for (const Value& each : list->plain().items()) {
    auto version = addrs::Version::parse(text_field(each, "version"));
    if (version) versions.push_back(std::move(*version));
  }
  std::ranges::stable_sort(versions, std::greater<>());
  return versions;
}

base::Result<ModuleLocation> location_in(const net::WebReply& reply, const base::Url& asked) {
  const std::string_view header = reply.header("X-Terraform-Get");
  if (reply.status == 204) return indirect(header, asked);
  const auto document = value::parse_json(reply.body);
  if (!document || document->kind() != Kind::Object) {
    return base::Error{"its answer is not a JSON object"};
  }
  const std::string location = text_field(*document, "location");
  const Value* own = field(*document, "use_registry_credentials");
  if (own == nullptr) return indirect(location.empty() ? header : location, asked);
  if (own->kind() != Kind::Bool) {
    return base::Error{"its \"use_registry_credentials\" is neither true nor false"};
  }
  return direct(location, asked, own->plain().as_bool());
}

}  // namespace tofu::install
