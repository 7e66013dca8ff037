#include <fmt/format.h>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/hashes.h"
#include "base/hex.h"
#include "base/uuid.h"
#include "cli/cancellation.h"
#include "cli/command.h"
#include "cli/credential_store.h"
#include "cli/flags.h"
#include "cli/option_groups.h"
#include "cli/progress.h"
#include "cli/prompt.h"
#include "cli/view_options.h"
#include "commands/login_callback.h"
#include "commands/login_host.h"
#include "commands/table.h"
#include "identity/json_web_token.h"
#include "install/discovery.h"
#include "install/login_service.h"
#include "net/json_fields.h"
#include "workdir/module_clients.h"
#include "workdir/options.h"

namespace tofu::commands {

namespace {

using Place = cli::CredentialStore::Place;

struct LoginOptions {
  cli::InputOptions input;
  cli::JsonOptions json;
  workdir::VariableOptions variables;  // accepted as OpenTofu does, but nothing here has variables
  std::vector<std::string> arguments;

  void declare(cli::FlagSet& flags) {
    flags.include(input);
    flags.include(json);
    flags.include(variables);
    flags.arguments(arguments);
  }
};

// What is sent first proves who sends the second: RFC 7636.
std::string challenge_of(const std::string& verifier) {
  const std::string hex = base::hex_digest(base::Hash::Sha256, verifier);
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes += static_cast<char>(base::hex_digit(hex[i]) * 16 + base::hex_digit(hex[i + 1]));
  }
  return identity::base64_url(bytes);
}

class Login {
 public:
  Login(const LoginOptions& options, cli::Session& session, cli::Progress& progress,
        diag::Diagnostics& diags)
      : options_(options),
        session_(session),
        progress_(progress),
        diags_(diags),
        listening_(session.cancellation.listen()),
        clients_(session.settings, session.cancellation.token()),
        store_(session.settings) {}

  void run();

 private:
  bool agrees(const std::string& host, std::string_view how);
  std::optional<std::string> ask(std::string_view question, cli::Typing typing);
  std::optional<std::string> by_browser(const std::string& host,
                                        const install::LoginService& service);
  std::optional<std::string> exchange(const install::LoginService& service,
                                      const base::UrlArguments& arguments);
  std::optional<std::string> by_typing(const std::string& host, const base::Url& service);
  std::nullopt_t fail(std::string summary, std::string detail) {
    diags_.error(std::move(summary)).detail(std::move(detail));
    return std::nullopt;
  }

  const LoginOptions& options_;
  cli::Session& session_;
  cli::Progress& progress_;
  diag::Diagnostics& diags_;
  cli::Cancellation::Listening listening_;
  workdir::ModuleClients clients_;
  cli::CredentialStore store_;
};

std::optional<std::string> Login::ask(std::string_view question, cli::Typing typing) {
  return cli::ask_person(
      fmt::format("\n  {}", cli::colored(session_.terminal.view, cli::Color::None, question)),
      typing, session_.terminal, session_.cancellation);
}

bool Login::agrees(const std::string& host, std::string_view how) {
  progress_.line(fmt::format("OpenTofu will request an API token for {} using {}.", host, how));
  progress_.blank_line();
  progress_.line(
      store_.place_of(*base::parse_hostname(host)) == Place::Helper
          ? std::string("If login is successful, the token will be stored by the credentials "
                        "helper.")
          : fmt::format("If login is successful, the token will be stored in plain text in the "
                        "following file for use by subsequent commands:\n    {}",
                        store_.file()));
  progress_.blank_line();
  progress_.line("Do you want to proceed?\n  Only 'yes' will be accepted to confirm.");
  if (ask("Enter a value: ", cli::Typing::Shown) == "yes") return true;
  fail("Login cancelled", "The login was not confirmed with \"yes\". No token was requested.");
  return false;
}

std::optional<std::string> Login::exchange(const install::LoginService& service,
                                           const base::UrlArguments& arguments) {
  const net::Origin origin(service.token);
  const auto reply =
      clients_.web.ask({.url = service.token.to_string(),
                        .method = "POST",
                        .headers = {{"Content-Type", "application/x-www-form-urlencoded"},
                                    {"Accept", "application/json"}},
                        .body = net::Secret(base::format_url_query(arguments), origin),
                        .retries = 0});
  if (!reply) return fail("Failed to obtain a token", reply.error().what + ".");
  const auto document = net::parse_json_object(reply->body);
  std::string token = document ? net::text_at(*document, "access_token") : std::string();
  if (reply->status == 200 && !token.empty()) return token;
  return fail("Failed to obtain a token",
              fmt::format("{} responded with status {}, without a token.",
                          service.token.authority(), reply->status));
}

std::optional<std::string> Login::by_browser(const std::string& host,
                                             const install::LoginService& service) {
  if (!agrees(host, "your browser")) return std::nullopt;
  auto callback = LoginCallback::listen(service.first_port, service.last_port);
  if (!callback) {
    return fail("Cannot listen for the login response",
                fmt::format("The host sends the login response to a port of this machine, but {}.",
                            callback.error().what));
  }
  const auto state = base::random_uuid();
  const auto first = base::random_uuid();
  const auto second = base::random_uuid();
  if (!state || !first || !second) {
    return fail("Cannot start login", "Cannot read random bytes.");
  }
  const std::string verifier = *first + "." + *second;
  base::UrlArguments arguments = base::parse_url_query(service.authorization.query);
  arguments.insert(arguments.end(), {{"client_id", service.client},
                                     {"code_challenge", challenge_of(verifier)},
                                     {"code_challenge_method", "S256"},
                                     {"redirect_uri", callback->url()},
                                     {"response_type", "code"},
                                     {"state", *state}});
  if (!service.scopes.empty()) {
    arguments.emplace_back("scope", fmt::format("{}", fmt::join(service.scopes, " ")));
  }
  base::Url page = service.authorization;
  page.query = base::format_url_query(std::move(arguments));
  progress_.line(fmt::format("Open the following URL to access the login page for {}:\n    {}",
                             host, page.to_string()));
  progress_.blank_line();
  progress_.line("OpenTofu will now wait for the host to signal that login was successful.");
  const auto code = callback->wait(*state, session_.cancellation.token());
  if (!code) return fail("Login cancelled", code.error().what + ".");
  return exchange(service, {{"client_id", service.client},
                            {"code", *code},
                            {"code_verifier", verifier},
                            {"grant_type", "authorization_code"},
                            {"redirect_uri", callback->url()}});
}

std::optional<std::string> Login::by_typing(const std::string& host, const base::Url& service) {
  if (!agrees(host, "a page of the host where you can create a token")) return std::nullopt;
  progress_.line(
      fmt::format("Open the following URL to access the tokens page for {}:\n    "
                  "{}://{}/app/settings/tokens?source=terraform-login",
                  host, service.scheme, service.authority()));
  auto token = ask(fmt::format("Token for {}: ", host), cli::Typing::Hidden);
  if (token && !token->empty()) return token;
  return fail("Token required", "No token was entered, so none was stored.");
}

void Login::run() {
  const auto host = login_host(options_.arguments, diags_);
  if (!host) return;
  if (!cli::may_ask(options_.input, options_.json, session_.settings.environment)) {
    fail("Input is disabled",
         "Login requires confirmation at a terminal. Without one, set the token in a credentials "
         "block of the CLI configuration or in a TF_TOKEN_ variable.");
    return;
  }
  const std::string name = host->for_display();
  if (store_.place_of(*host) == Place::Elsewhere) {
    return report_credentials_elsewhere(name, "login", diags_);
  }
  install::Discovery discovery(clients_.web, clients_.credentials);
  const auto description = discovery.describe(*host, "login.v1");
  if (!description) {
    fail("Service discovery failed for " + name, description.error().what + ".");
    return;
  }
  std::optional<std::string> token;
  if (*description) {
    const auto service = install::read_login_service((*description)->text, (*description)->at);
    if (!service || !service->by_code) {
      fail("Host does not support login",
           fmt::format("Invalid login service configuration of {}: {}.", name,
                       service ? "the host offers no supported grant type" : service.error().what));
      return;
    }
    token = by_browser(name, *service);
  } else {
    const auto service = discovery.find(*host, "tfe.v2");
    if (!service) {
      fail("Host does not support login", fmt::format("{}.", service.error().what));
      return;
    }
    token = by_typing(name, service->url);
  }
  if (!token) return;
  if (const auto stored = store_.store(*host, *token); !stored) {
    fail("Failed to save the token",
         fmt::format("The token was obtained, but storing it failed: {}.", stored.error().what));
    return;
  }
  progress_.blank_line();
  progress_.success(
      fmt::format("Success! OpenTofu has obtained and saved an API token for {}.", name));
}

int run_login(const LoginOptions& options, cli::Session& session) {
  return cli::run_with_progress(options.json, session.terminal, session.settings.environment,
                                [&](cli::Progress& progress, diag::Diagnostics& diags) {
                                  Login(options, session, progress, diags).run();
                                });
}

}  // namespace

const cli::Command kLoginCommand = {
    "login",
    "Obtain and save credentials for a remote host",
    "[options] [hostname]",
    "Requests an API token from a host and stores it in credentials.tfrc.json in the CLI "
    "configuration directory, or with the configured credentials helper.",
    cli::action<LoginOptions, run_login>(),
};

}  // namespace tofu::commands
