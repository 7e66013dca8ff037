#include "identity/json_web_token.h"

#include <algorithm>
#include <ctime>
#include <fmt/format.h>

#include "base/base64.h"
#include "base/json_writer.h"
#include "identity/signing.h"

namespace tofu::identity {

namespace {

constexpr std::time_t kLifetime = 3600;

void add_texts(base::JsonWriter& json, const JsonTexts& texts) {
  for (const auto& [name, text] : texts) json.field(name, text);
}

}  // namespace

std::string base64_url(std::string_view bytes) {
  std::string text = base::base64_encode(bytes);
  std::ranges::replace(text, '+', '-');
  std::ranges::replace(text, '/', '_');
  while (text.ends_with('=')) text.pop_back();
  return text;
}

base::Result<net::Secret> signed_token(const JsonTexts& header, const JsonTexts& claims,
                                       std::string_view private_key, const net::Origin& origin) {
  std::string head;
  base::JsonWriter head_json(head);
  head_json.begin_object();
  add_texts(head_json, {{"alg", "RS256"}, {"typ", "JWT"}});
  add_texts(head_json, header);
  head_json.end_object();
  std::string body;
  base::JsonWriter body_json(body);
  body_json.begin_object();
  add_texts(body_json, claims);
  const std::time_t now = std::time(nullptr);
  body_json.field("iat", now);
  body_json.field("exp", now + kLifetime);
  body_json.end_object();
  const std::string text = base64_url(head) + "." + base64_url(body);
  const auto signature = sign_rs256(private_key, text);
  if (!signature) return signature.error();
  return net::Secret(text + "." + base64_url(*signature), origin);
}

}  // namespace tofu::identity
