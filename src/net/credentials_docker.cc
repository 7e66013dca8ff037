#include "net/credentials_docker.h"

#include <fmt/format.h>
#include <utility>

#include "base/ascii.h"
#include "base/base64.h"
#include "base/file.h"
#include "base/quotation.h"
#include "net/json_fields.h"
#include "process/process.h"

namespace tofu::net {

namespace {

using value::Kind;
using value::Value;

constexpr std::uint64_t kMaxFileSize = 16 << 20;

// Calls `each` with the names and values of the object at `name`, if there is one.
template <class Each>
void each_in(const Value& document, std::string_view name, const Each& each) {
  const Value* object = object_at(document, name);
  if (object == nullptr) return;
  const auto attributes = object->type().attributes();
  const auto items = object->unmarked().items();
  for (std::size_t i = 0; i < items.size(); ++i) each(std::string(attributes[i].name), items[i]);
}

// Where a login command uses a helper program, it leaves an entry without `auth`.
std::optional<OciLogin> login_of(const Value& entry) {
  if (entry.kind() != Kind::Object) return std::nullopt;
  const auto pair = base::base64_decode(text_at(entry, "auth"));
  if (!pair) return std::nullopt;
  const std::size_t colon = pair->find(':');
  if (colon == std::string::npos) return std::nullopt;
  return OciLogin{pair->substr(0, colon), Secret(pair->substr(colon + 1))};
}

// The message of helpers without a login, which every client compares with.
constexpr std::string_view kNotFound = "credentials not found in native keychain";

}  // namespace

base::Result<std::vector<OciRule>> read_docker_file(const std::string& path) {
  const auto text = base::read_file(path, kMaxFileSize);
  if (!text) return text.error();
  const auto document = value::parse_json(*text);
  if (!document) return base::Error{"it is not JSON: " + document.error().what};
  if (document->kind() != Kind::Object) return base::Error{"it is not a JSON object"};
  std::vector<OciRule> rules;
  each_in(*document, "auths", [&](std::string place, const Value& entry) {
    auto login = login_of(entry);
    if (login && !place.empty()) rules.push_back({std::move(place), std::move(*login)});
  });
  each_in(*document, "credHelpers", [&](std::string place, const Value& name) {
    if (name.kind() != Kind::String || place.empty()) return;
    std::string helper(name.unmarked().as_string());
    if (is_helper_name(helper)) rules.push_back({std::move(place), {}, std::move(helper)});
  });
  std::string store = text_at(*document, "credsStore");
  if (is_helper_name(store)) rules.push_back({{}, {}, std::move(store)});
  return rules;
}

base::Result<std::optional<OciLogin>> ask_docker_helper(std::string_view name,
                                                        std::string_view registry,
                                                        const std::stop_token& stop) {
  const std::string program = fmt::format("docker-credential-{}", name);
  process::GuardedProcess process{{program, "get"}};
  process.input = fmt::format("https://{}", registry);
  process.output_limit = kMaxAnswerLength;
  process.deadline = kHelperDeadline;
  process.stop = stop;
  const auto ran = process::run_guarded(process);
  if (!ran) {
    return base::Error{
        fmt::format("the credentials helper {} failed: {}", program, ran.error().what)};
  }
  if (ran->exit_status != 0) {
    const std::string_view said = base::trimmed(ran->output);
    if (said == kNotFound) return std::optional<OciLogin>();
    const std::string_view why = base::without_full_stop(said.empty() ? ran->errors : said);
    return base::Error{fmt::format("the credentials helper {} failed: {}", program,
                                   why.empty() ? "without a message" : why)};
  }
  const auto answer = value::parse_json(ran->output);
  if (!answer || answer->kind() != Kind::Object) {
    return base::Error{fmt::format("the credentials helper {} did not print JSON", program)};
  }
  OciLogin login{text_at(*answer, "Username"), Secret(text_at(*answer, "Secret"))};
  if (login.username == "<token>") {
    return base::Error{
        fmt::format("the credentials helper {} has a token for {}, but only a name and a password "
                    "can be used",
                    program, registry)};
  }
  return std::optional(std::move(login));
}

bool is_helper_name(std::string_view name) {
  return !name.empty() &&
         name.find_first_of(std::string_view("/\\\0", 3)) == std::string_view::npos;
}

}  // namespace tofu::net
