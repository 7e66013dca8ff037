#include "identity/google_subject.h"

#include <ctime>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/hashes.h"
#include "base/json_writer.h"
#include "base/url.h"
#include "identity/aws_credentials.h"
#include "net/json_fields.h"

namespace tofu::identity {

namespace {

using value::Value;

// The text of a subject token as the file says it is written: as it is, or in JSON.
base::Result<std::string> subject_in(const Value& source, std::string text) {
  const Value* format = net::object_at(source, "format");
  if (format == nullptr || net::text_at(*format, "type") != "json") return text;
  const auto document = net::parse_json_object(text);
  std::string token =
      document ? net::text_at(*document, net::text_at(*format, "subject_token_field_name")) : "";
  if (token.empty()) return base::Error{"the document with the subject token has no token"};
  return token;
}

base::Result<std::string> of_url(const Cloud& cloud, const Value& source,
                                 const std::string& address) {
  net::WebRequest request{.url = address};
  if (const Value* headers = net::object_at(source, "headers")) {
    const auto url = net::parse_web_url(address);
    if (!url) return url.error();
    const auto names = headers->type().attributes();
    for (const auto& name : names) {
      const std::string header(name.name);
      request.private_headers.push_back(
          {header, net::Secret(net::text_at(*headers, header), net::Origin(*url))});
    }
  }
  auto text = ask_service(cloud, request, "the service with the subject token");
  if (!text) return text;
  return subject_in(source, std::move(*text));
}

// {"success":true, "id_token":"…"} or "saml_response". A program is run only if the user allowed
// it, because the author of the file could run anything.
base::Result<std::string> of_program(const Cloud& cloud, const Value& program) {
  if (cloud.environment("GOOGLE_EXTERNAL_ACCOUNT_ALLOW_EXECUTABLES") != "1") {
    return base::Error{
        "its credential_source is a program, which is run only if "
        "GOOGLE_EXTERNAL_ACCOUNT_ALLOW_EXECUTABLES is 1"};
  }
  const auto printed = run_credentials_program(cloud, net::text_at(program, "command"));
  if (!printed) return printed.error();
  const auto document = net::parse_json_object(*printed);
  if (!document) return base::Error{"the credentials program did not print a JSON object"};
  for (const char* field : {"id_token", "saml_response"}) {
    std::string token = net::text_at(*document, field);
    if (!token.empty()) return token;
  }
  std::string why = net::text_at(*document, "message");
  while (why.ends_with('.')) why.pop_back();  // the message that quotes it ends the sentence
  return base::Error{
      fmt::format("the credentials program printed no token{}{}", why.empty() ? "" : ": ", why)};
}

struct Header {
  std::string name;  // lower case
  std::string text;
};

// Signature version 4 of a POST request without a body. `headers` are sorted by name.
std::string authorization(const AwsKeys& keys, const base::Url& url, const std::string& region,
                          const std::string& time, const std::vector<Header>& headers) {
  std::string lines, names;
  for (const Header& header : headers) {
    lines += fmt::format("{}:{}\n", header.name, header.text);
    names += (names.empty() ? "" : ";") + header.name;
  }
  const std::string request =
      fmt::format("POST\n{}\n{}\n{}\n{}\n{}", url.path.empty() ? "/" : url.path, url.query, lines,
                  names, base::hex_digest(base::Hash::Sha256, ""));
  const std::string date = time.substr(0, 8);
  const std::string scope = fmt::format("{}/{}/sts/aws4_request", date, region);
  const std::string to_sign = fmt::format("AWS4-HMAC-SHA256\n{}\n{}\n{}", time, scope,
                                          base::hex_digest(base::Hash::Sha256, request));
  std::string signature;
  static_cast<void>(keys.secret.derived([&](std::string_view secret) {
    std::string key = fmt::format("AWS4{}", secret);
    for (const std::string& part :
         {date, region, std::string("sts"), std::string("aws4_request")}) {
      key = base::hmac_sha256(key, part);
    }
    signature = base::to_hex(base::hmac_sha256(key, to_sign));
    return std::string();
  }));
  return fmt::format("AWS4-HMAC-SHA256 Credential={}/{}, SignedHeaders={}, Signature={}",
                     keys.key_id, scope, names, signature);
}

// The region of an EC2 instance: its zone without the letter at the end.
base::Result<std::string> region_of_machine(const Cloud& cloud, const std::string& address) {
  if (address.empty()) {
    return base::Error{"the region of AWS is not known; set AWS_REGION"};
  }
  auto zone = ask_service(cloud, machine_request(address), "the metadata service of AWS");
  if (zone && !zone->empty()) zone->pop_back();
  return zone;
}

base::Result<std::string> of_aws(const Cloud& cloud, const Value& source,
                                 const std::string& audience) {
  const auto identity = find_aws_identity(cloud, "");
  if (!identity) return identity.error();
  if (!identity->keys) return base::Error{"no AWS credentials to prove the identity of the caller"};
  std::string region = identity->region;
  if (region.empty()) {
    auto found = region_of_machine(cloud, net::text_at(source, "region_url"));
    if (!found) return found;
    region = std::move(*found);
  }
  std::string address = net::text_at(source, "regional_cred_verification_url");
  if (const auto at = address.find("{region}"); at != std::string::npos) {
    address.replace(at, std::string_view("{region}").size(), region);
  }
  const auto url = net::parse_web_url(address);
  if (!url)
    return base::Error{"its regional_cred_verification_url cannot be used: " + url.error().what};

  const AwsKeys& keys = *identity->keys;
  const std::string time = fmt::format("{:%Y%m%dT%H%M%SZ}", fmt::gmtime(std::time(nullptr)));
  std::vector<Header> headers = {{"host", url->authority()}, {"x-amz-date", time}};
  static_cast<void>(keys.session_token.derived([&](std::string_view token) {
    if (!token.empty()) headers.push_back({"x-amz-security-token", std::string(token)});
    return std::string();
  }));
  headers.push_back({"x-goog-cloud-target-resource", audience});
  headers.push_back({"authorization", authorization(keys, *url, region, time, headers)});

  std::string text;
  base::JsonWriter json(text);
  json.begin_object();
  json.field("url", url->to_string());
  json.field("method", "POST");
  json.key("headers");
  json.begin_array();
  for (const Header& header : headers) {
    json.begin_object();
    json.field("key", header.name);
    json.field("value", header.text);
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return base::escape_url(text);
}

}  // namespace

base::Result<std::string> google_subject_token(const Cloud& cloud, const Value& file) {
  const Value* source = net::object_at(file, "credential_source");
  if (source == nullptr) return base::Error{"it has no credential_source"};
  const std::string environment = net::text_at(*source, "environment_id");
  if (environment == "aws1") return of_aws(cloud, *source, net::text_at(file, "audience"));
  if (!environment.empty()) {
    return base::Error{
        fmt::format("the environment {:?} of its credential_source is not supported", environment)};
  }
  if (const Value* program = net::object_at(*source, "executable"))
    return of_program(cloud, *program);
  const std::string path = net::text_at(*source, "file");
  if (!path.empty()) {
    auto text = read_credentials_file(path);
    if (!text) return text;
    return subject_in(*source, std::move(*text));
  }
  const std::string address = net::text_at(*source, "url");
  if (address.empty()) {
    return base::Error{"its credential_source names no file, URL, program or environment"};
  }
  return of_url(cloud, *source, address);
}

}  // namespace tofu::identity
