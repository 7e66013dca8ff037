#include "encryption/key_service.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "base/base64.h"
#include "base/json_layout.h"
#include "base/json_writer.h"
#include "encryption/kinds.h"
#include "state/json_fields.h"
#include "value/json.h"

namespace tofu::encryption {

namespace {

using value::Value;

constexpr std::uint64_t kMaxAnswerSize = std::uint64_t{1} << 20;
constexpr std::size_t kMaxReasonLength = 500;

const Value* member(const Value& v, std::string_view name) {
  return v.kind() == value::Kind::Object ? v.unmarked().find(name) : nullptr;
}

std::string text_of(const Value* v) {
  const bool is_text = v != nullptr && v->kind() == value::Kind::String;
  return is_text ? std::string(v->unmarked().as_string()) : std::string();
}

// The reason in a service's error response: AWS has a message, Google and Azure an error with one,
// OpenBao a list of errors.
std::string reason_in(std::string_view body) {
  const auto document = value::parse_json(body);
  if (!document) return {};
  std::string reason;
  for (const char* name : {"message", "Message"}) {
    if (reason.empty()) reason = text_of(member(*document, name));
  }
  if (const Value* error = member(*document, "error"); error != nullptr && reason.empty()) {
    reason = text_of(member(*error, "message"));
  }
  const Value* errors = member(*document, "errors");
  const bool is_list = errors != nullptr && errors->kind() == value::Kind::Tuple;
  if (is_list && reason.empty() && errors->unmarked().size() > 0) {
    reason = text_of(&errors->unmarked().items()[0]);
  }
  const std::string type = text_of(member(*document, "__type"));
  if (!type.empty()) reason = reason.empty() ? type : fmt::format("{}: {}", type, reason);
  std::ranges::replace_if(
      reason, [](char c) { return c == '\n' || c == '\r'; }, ' ');
  while (reason.ends_with('.')) reason.pop_back();  // the message that quotes it ends the sentence
  return reason.substr(0, kMaxReasonLength);
}

// The alphabet and the padding that base64 has, whichever of the two it was.
std::string standard_base64(std::string text) {
  std::ranges::replace(text, '-', '+');
  std::ranges::replace(text, '_', '/');
  while (text.size() % 4 != 0) text += '=';
  return text;
}

}  // namespace

Overlay::Overlay(const net::EnvironmentVariable& below, Values values)
    : values_(std::move(values)), variables_([this, &below](std::string_view name) {
        const auto found = values_.find(name);
        return found == values_.end() ? below(name) : std::string_view(found->second);
      }) {}

void set_variable(Overlay::Values& values, std::string name, std::string setting) {
  if (!setting.empty()) values.insert_or_assign(std::move(name), std::move(setting));
}

KeyService::KeyService(const KeyProviderContext& context, net::WebOptions web,
                       Overlay::Values values)
    : stop_(context.stop),
      overlay_(context.environment, std::move(values)),
      web_(std::move(web), context.stop) {}

base::Result<std::string> KeyService::ask(const net::WebRequest& request, std::string_view what) {
  net::WebRequest limited = request;
  limited.limit = kMaxAnswerSize;
  auto reply = web_.ask(limited);
  if (!reply) return base::Error{fmt::format("asking {} failed: {}", what, reply.error().what)};
  if (reply->status >= 200 && reply->status < 300) return std::move(reply->body);
  const std::string reason = reason_in(reply->body);
  return base::Error{fmt::format("{} responded with status {}{}{}", what, reply->status,
                                 reason.empty() ? "" : ": ", reason)};
}

base::Result<std::string> answer_bytes(std::string_view body,
                                       std::initializer_list<std::string_view> path) {
  const base::Error unfit{fmt::format("the answer has no {:?}", *(path.end() - 1))};
  const auto document = value::parse_json(body);
  if (!document) return base::Error{"the answer is not JSON"};
  const Value* found = &*document;
  for (const std::string_view name : path) {
    found = member(*found, name);
    if (found == nullptr) return unfit;
  }
  if (found->kind() != value::Kind::String) return unfit;
  std::string text = standard_base64(std::string(found->unmarked().as_string()));
  auto bytes = base::base64_decode(text);
  wipe(text);
  if (!bytes) return base::Error{fmt::format("{:?} is not in base64", *(path.end() - 1))};
  return std::move(*bytes);
}

base::Result<Key> answer_key(std::string_view body, std::initializer_list<std::string_view> path) {
  auto bytes = answer_bytes(body, path);
  if (!bytes) return bytes.error();
  Key key(*bytes);
  wipe(*bytes);
  if (key.is_empty()) return base::Error{"the answer has an empty key"};
  return key;
}

std::string bytes_metadata(std::string_view name, std::string_view bytes) {
  std::string text;
  base::JsonWriter json(text);
  json.begin_object();
  json.field(name, base::base64_encode(bytes));
  json.end_object();
  return text;
}

base::Result<std::string> read_bytes_metadata(std::string_view metadata, std::string_view wanted) {
  std::string compact;
  if (!base::append_compact_json(compact, metadata)) {
    return base::Error{"its metadata is not valid JSON"};
  }
  std::string text;
  state::JsonFields fields(compact);
  fields.members("metadata", [&](std::string_view name) {
    if (state::is_field(name, wanted)) return fields.text(wanted, text);
    fields.skip();
  });
  if (!fields.fault().empty()) return base::Error{"in its metadata, " + fields.fault()};
  auto bytes = base::base64_decode(text);
  if (!bytes) return base::Error{"its metadata is not in base64"};
  return std::move(*bytes);
}

value::Value read_metadata_member(std::string_view metadata, std::string_view member) {
  const auto document = value::parse_json(metadata);
  if (!document || document->kind() != value::Kind::Object) return value::Value::null();
  const value::Value* found = document->unmarked().find(member);
  return found == nullptr ? value::Value::null() : *found;
}

}  // namespace tofu::encryption
