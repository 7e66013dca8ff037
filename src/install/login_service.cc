#include "install/login_service.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "net/json_fields.h"
#include "net/web_url.h"

namespace tofu::install {

namespace {

using net::text_at;
using value::Kind;
using value::Value;

const Value* tuple_at(const Value& object, std::string_view name) {
  const Value* found = object.unmarked().find(name);
  return found != nullptr && found->kind() == Kind::Tuple ? found : nullptr;
}

std::optional<std::uint16_t> port(const Value& value) {
  if (value.kind() != Kind::Number) return std::nullopt;
  const auto number = value.unmarked().as_number().to_int64();
  if (!number || *number < 1024 || *number > 65535) return std::nullopt;
  return static_cast<std::uint16_t>(*number);
}

}  // namespace

base::Result<LoginService> read_login_service(std::string_view description, const base::Url& at) {
  const auto document = net::parse_json_object(description);
  if (!document) return base::Error{"its description is not a JSON object"};
  auto authorization = net::resolve_web_url(at, text_at(*document, "authz"));
  auto token = net::resolve_web_url(at, text_at(*document, "token"));
  LoginService service{.client = text_at(*document, "client"), .authorization = {}, .token = {}};
  const Value* grants = tuple_at(*document, "grant_types");
  service.by_code = grants == nullptr;  // the usual one
  if (grants != nullptr) {
    for (const Value& each : grants->unmarked().items()) {
      if (each.kind() == Kind::String && each.unmarked().as_string() == "authz_code") {
        service.by_code = true;
      }
    }
  }
  if (service.client.empty()) return base::Error{"it does not name an OAuth client"};
  if (text_at(*document, "token").empty() || !token) {
    return base::Error{"it does not say where tokens are given out"};
  }
  if (service.by_code && (text_at(*document, "authz").empty() || !authorization)) {
    return base::Error{"it does not say where a login begins"};
  }
  if (authorization) service.authorization = std::move(*authorization);
  service.token = std::move(*token);
  if (const Value* ports = tuple_at(*document, "ports")) {
    const auto items = ports->unmarked().items();
    const auto first = items.size() == 2 ? port(items[0]) : std::nullopt;
    const auto last = items.size() == 2 ? port(items[1]) : std::nullopt;
    if (!first || !last || *last < *first) {
      return base::Error{"its ports are not two whole numbers between 1024 and 65535"};
    }
    service.first_port = *first;
    service.last_port = *last;
  }
  if (const Value* scopes = tuple_at(*document, "scopes")) {
    for (const Value& each : scopes->unmarked().items()) {
      if (each.kind() == Kind::String) service.scopes.emplace_back(each.unmarked().as_string());
    }
  }
  return service;
}

}  // namespace tofu::install
