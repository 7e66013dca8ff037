#include "backends/kube_access.h"

#include <fmt/format.h>
#include <utility>

#include "backends/remote.h"
#include "base/base64.h"
#include "base/json_writer.h"
#include "identity/cloud.h"
#include "net/json_fields.h"
#include "process/process.h"

namespace tofu::backends {

namespace {

constexpr std::chrono::milliseconds kPluginDeadline = std::chrono::minutes(2);

// The input of a plugin, in KUBERNETES_EXEC_INFO.
std::string plugin_request(const KubeCluster& cluster) {
  std::string text;
  base::JsonWriter writer(text);
  writer.begin_object();
  writer.field("kind", "ExecCredential");
  writer.field("apiVersion", cluster.plugin->api_version);
  writer.key("spec");
  writer.begin_object();
  if (cluster.plugin->wants_cluster) {
    writer.key("cluster");
    writer.begin_object();
    writer.field("server", cluster.server.to_string());
    if (cluster.tls.without_verification) writer.field("insecure-skip-tls-verify", true);
    if (!cluster.tls.authorities.empty()) {
      writer.field("certificate-authority-data", base::base64_encode(cluster.tls.authorities));
    }
    writer.end_object();
  }
  writer.field("interactive", false);
  writer.end_object();
  writer.end_object();
  return text;
}

}  // namespace

KubeAccess::KubeAccess(KubeCluster cluster, const BackendContext& context)
    : cluster_(std::move(cluster)), options_(backend_web_options(context)) {
  options_.retries = 4;
  options_.proxy = cluster_.proxy;
}

base::Result<void> KubeAccess::ask_plugin(net::TlsOptions& tls) {
  const KubePlugin& plugin = *cluster_.plugin;
  process::GuardedProcess process{{plugin.command}};
  process.arguments.insert(process.arguments.end(), plugin.arguments.begin(),
                           plugin.arguments.end());
  process.environment = plugin.environment;
  process.environment.emplace_back("KUBERNETES_EXEC_INFO", plugin_request(cluster_));
  process.output_limit = std::uint64_t{1} << 20;
  process.deadline = kPluginDeadline;
  process.stop = options_.request_stop();
  const auto failed = [&](const std::string& why) {
    return base::Error{fmt::format("the credential plugin {:?} {}{}{}", plugin.command, why,
                                   plugin.install_hint.empty() ? "" : ". ", plugin.install_hint)};
  };
  const auto ran = process::run_guarded(process);
  if (!ran) return failed(fmt::format("failed: {}", ran.error().what));
  if (ran->exit_status != 0) {
    return failed(fmt::format("failed with status {}", ran->exit_status));
  }
  const auto document = net::parse_json_object(ran->output);
  const value::Value* status = document ? net::object_at(*document, "status") : nullptr;
  if (status == nullptr || net::text_at(*document, "kind") != "ExecCredential" ||
      net::text_at(*document, "apiVersion") != plugin.api_version) {
    return failed(fmt::format("did not print an ExecCredential of {}", plugin.api_version));
  }
  std::string token = net::text_at(*status, "token");
  std::string certificate = net::text_at(*status, "clientCertificateData");
  std::string key = net::text_at(*status, "clientKeyData");
  if ((token.empty() && certificate.empty()) || certificate.empty() != key.empty()) {
    return failed("printed neither a token nor a certificate with its key");
  }
  if (!certificate.empty()) {
    tls.certificate = std::move(certificate);
    tls.private_key = std::move(key);
  }
  if (!token.empty()) {
    authorization_ = net::bearer_token(net::Secret(std::move(token), net::Origin(cluster_.server)));
  }
  return {};
}

base::Result<void> KubeAccess::prepare() {
  if (web_) return {};
  const net::Origin origin(cluster_.server);
  net::TlsOptions tls = cluster_.tls;
  authorization_ = {};
  if (!cluster_.token.empty()) {
    authorization_ = net::bearer_token(net::Secret(cluster_.token, origin));
  } else if (!cluster_.token_file.empty()) {
    auto token = identity::read_credentials_file(cluster_.token_file);
    if (!token) return std::move(token).error();
    authorization_ = net::bearer_token(net::Secret(std::move(*token), origin));
  } else if (!cluster_.user.empty()) {
    authorization_ = net::basic_login(cluster_.user, net::Secret(cluster_.password, origin));
  } else if (cluster_.plugin) {
    if (auto asked = ask_plugin(tls); !asked) return asked;
  }
  options_.tls = std::move(tls);
  web_ = std::make_unique<net::Web>(options_, no_cancellation());
  return {};
}

base::Result<net::WebReply> KubeAccess::ask(const KubeRequest& request) {
  base::Url url = cluster_.server;
  url.path += request.path;
  url.query = request.query;
  const net::Origin origin(url);
  net::WebRequest sent{.url = url.to_string(),
                       .method = request.method,
                       .headers = {{"Accept", request.accept}},
                       .limit = request.limit};
  for (const net::WebHeader& each : cluster_.impersonation) sent.headers.push_back(each);
  if (!request.body.empty()) {
    sent.headers.push_back({"Content-Type", "application/json"});
    sent.body = net::Secret(request.body, origin);
  }
  for (bool is_second = false;; is_second = true) {
    if (auto ready = prepare(); !ready) return ready.error();
    net::WebRequest authorized = sent;
    if (!authorization_.is_empty()) {
      authorized.private_headers.push_back({"Authorization", authorization_});
    }
    auto reply = web_->ask(authorized);
    const bool can_change = cluster_.plugin || !cluster_.token_file.empty();
    if (!reply || is_second || reply->status != 401 || !can_change) return reply;
    web_.reset();  // with the credentials that have expired
  }
}

base::Error kube_refusal(const net::WebReply& reply) {
  const auto status = net::parse_json_object(reply.body);
  std::string message = status ? net::text_at(*status, "message") : std::string();
  constexpr std::size_t kLongest = 500;
  if (message.size() > kLongest) message.resize(kLongest);
  return {fmt::format("the API server of Kubernetes {} (status {}{})",
                      reply.status == 401 || reply.status == 403 ? "refuses access" : "refuses it",
                      reply.status, message.empty() ? "" : fmt::format(": {:?}", message))};
}

}  // namespace tofu::backends
