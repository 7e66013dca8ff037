#include "backends/dynamo_table.h"

#include <fmt/format.h>
#include <utility>

#include "base/json_writer.h"
#include "net/json_fields.h"

namespace tofu::backends {

namespace {

using net::WebReply;

// {"S": text}
void text_value(base::JsonWriter& writer, std::string_view name, std::string_view text) {
  writer.key(name);
  writer.begin_object();
  writer.field("S", text);
  writer.end_object();
}

std::string text_of(const value::Value& item, std::string_view name) {
  const value::Value* found = net::object_at(item, name);
  return found == nullptr ? std::string() : net::text_at(*found, "S");
}

// The name of an error, such as "ConditionalCheckFailedException".
std::string error_name(const WebReply& reply) {
  const auto document = net::parse_json_object(reply.body);
  const std::string type = document ? net::text_at(*document, "__type") : std::string();
  return type.substr(type.find('#') + 1);
}

base::Error refusal(const WebReply& reply, const std::string& table) {
  const std::string name = error_name(reply);
  if (name == "ResourceNotFoundException") {
    return {fmt::format("DynamoDB has no table {:?}", table)};
  }
  return {fmt::format("DynamoDB responded with status {}{}{}", reply.status,
                      name.empty() ? "" : ": ", name)};
}

template <class Fill>
std::string object(const std::string& table, const Fill& fill) {
  std::string body;
  base::JsonWriter writer(body);
  writer.begin_object();
  writer.field("TableName", table);
  fill(writer);
  writer.end_object();
  return body;
}

template <class Fill>
void part(base::JsonWriter& writer, std::string_view name, const Fill& fill) {
  writer.key(name);
  writer.begin_object();
  fill();
  writer.end_object();
}

}  // namespace

base::Result<WebReply> DynamoTable::ask(const char* operation, std::string body) {
  const AwsSettings& settings = access_.settings();
  const auto url = net::parse_web_url(
      settings.dynamodb_endpoint.empty()
          ? fmt::format("https://dynamodb{}.{}.{}/", settings.fips ? "-fips" : "", settings.region,
                        aws_domain(settings.region))
          : settings.dynamodb_endpoint + "/");
  if (!url) return url.error();
  net::WebRequest request{
      .url = url->to_string(),
      .method = "POST",
      .headers = {{"Content-Type", "application/x-amz-json-1.0"},
                  {"X-Amz-Target", fmt::format("DynamoDB_20120810.{}", operation)}},
      .body = net::Secret(std::move(body), net::Origin(*url)),
      .limit = kMaxLockRecordSize};
  return access_.ask(std::move(request), *url, "dynamodb");
}

base::Result<std::optional<value::Value>> DynamoTable::get(const std::string& key) {
  const auto reply = ask("GetItem", object(name(), [&](base::JsonWriter& writer) {
                           part(writer, "Key", [&] { text_value(writer, "LockID", key); });
                           writer.field("ConsistentRead", true);
                         }));
  if (!reply) return reply.error();
  if (reply->status != 200) return refusal(*reply, name());
  const auto document = net::parse_json_object(reply->body);
  if (!document) return base::Error{"the answer of DynamoDB is not a JSON object"};
  const value::Value* item = net::object_at(*document, "Item");
  return item == nullptr ? std::optional<value::Value>() : std::optional(*item);
}

base::Result<std::optional<std::string>> DynamoTable::lock_record(const std::string& key) {
  const auto item = get(key);
  if (!item) return item.error();
  if (!*item || net::object_at(**item, "Info") == nullptr) {
    return std::optional<std::string>();
  }
  return std::optional(text_of(**item, "Info"));
}

base::Result<bool> DynamoTable::add_lock(const std::string& key, const std::string& record) {
  const auto reply = ask("PutItem", object(name(), [&](base::JsonWriter& writer) {
                           part(writer, "Item", [&] {
                             text_value(writer, "LockID", key);
                             text_value(writer, "Info", record);
                           });
                           writer.field("ConditionExpression", "attribute_not_exists(LockID)");
                         }));
  if (!reply) return reply.error();
  if (reply->status == 200) return true;
  if (error_name(*reply) == "ConditionalCheckFailedException") return false;
  return refusal(*reply, name());
}

base::Result<void> DynamoTable::remove_lock(const std::string& key, const std::string& record) {
  const auto reply =
      ask("DeleteItem", object(name(), [&](base::JsonWriter& writer) {
            part(writer, "Key", [&] { text_value(writer, "LockID", key); });
            writer.field("ConditionExpression", "Info = :info");
            part(writer, "ExpressionAttributeValues", [&] { text_value(writer, ":info", record); });
          }));
  if (!reply) return reply.error();
  if (reply->status != 200) return refusal(*reply, name());
  return {};
}

base::Result<Digests> DynamoTable::digests(const std::string& key) {
  const auto item = get(key + "-md5");
  if (!item) return item.error();
  if (!*item) return Digests{};
  return Digests{text_of(**item, "Digest"), text_of(**item, "Noted")};
}

base::Result<void> DynamoTable::put_digests(const std::string& key, const Digests& digests) {
  const auto reply = ask("PutItem", object(name(), [&](base::JsonWriter& writer) {
                           part(writer, "Item", [&] {
                             text_value(writer, "LockID", key + "-md5");
                             text_value(writer, "Digest", digests.stored);
                             if (!digests.noted.empty()) {
                               text_value(writer, "Noted", digests.noted);
                             }
                           });
                         }));
  if (!reply) return reply.error();
  if (reply->status != 200) return refusal(*reply, name());
  return {};
}

base::Result<void> DynamoTable::remove_digest(const std::string& key) {
  const auto reply = ask("DeleteItem", object(name(), [&](base::JsonWriter& writer) {
                           part(writer, "Key", [&] { text_value(writer, "LockID", key + "-md5"); });
                         }));
  if (!reply) return reply.error();
  if (reply->status != 200) return refusal(*reply, name());
  return {};
}

}  // namespace tofu::backends
