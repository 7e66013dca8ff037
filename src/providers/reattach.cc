#include "providers/reattach.h"

#include <fmt/format.h>
#include <optional>
#include <utility>

#include "value/json.h"
#include "value/value.h"

namespace tofu::providers {

namespace {

using value::Kind;
using value::Value;

const Value* member(const Value& of, std::string_view name) {
  return of.kind() == Kind::Object ? of.plain().find(name) : nullptr;
}

std::string text_of(const Value& of, std::string_view name) {
  const Value* found = member(of, name);
  if (found == nullptr || found->kind() != Kind::String) return {};
  return std::string(found->plain().as_string());
}

// Old ones do not say, and are 5.
std::optional<int> protocol_of(const Value& of) {
  const Value* found = member(of, "ProtocolVersion");
  if (found == nullptr || raw_equal(*found, Value::integer(5)) ||
      raw_equal(*found, Value::integer(0))) {
    return 5;
  }
  if (raw_equal(*found, Value::integer(6))) return 6;
  return std::nullopt;
}

}  // namespace

base::Result<std::map<addrs::Provider, Reattach>> parse_reattach(std::string_view json) {
  std::map<addrs::Provider, Reattach> all;
  const auto parsed = value::parse_json(json);
  if (!parsed) return parsed.error();
  if (parsed->kind() != Kind::Object) return base::Error{"a JSON object is required"};
  std::string wrong;
  value::for_each_element(parsed->plain(), [&](const Value& key, const Value& item) {
    const std::string_view name = key.plain().as_string();
    diag::Diagnostics ignored;
    const auto provider = addrs::parse_provider_source(name, std::nullopt, ignored);
    const auto protocol = protocol_of(item);
    const Value* address = member(item, "Addr");
    if (!provider) {
      wrong = fmt::format("{:?} is not the address of a provider", name);
    } else if (text_of(item, "Protocol") != "grpc" || !protocol) {
      wrong = fmt::format("{} does not speak grpc, protocol 5 or 6", name);
    } else if (address == nullptr || text_of(*address, "String").empty()) {
      wrong = fmt::format("it has no address for {}", name);
    } else {
      const std::string network = text_of(*address, "Network");
      if (network != "unix" && network != "tcp") {
        wrong = fmt::format("{} listens on the unknown network {:?}", name, network);
      }
      all.emplace(*provider, Reattach{*protocol, {network, text_of(*address, "String")}});
    }
  });
  if (!wrong.empty()) return base::Error{std::move(wrong)};
  return all;
}

}  // namespace tofu::providers
