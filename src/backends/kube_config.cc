#include "backends/kube_config.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/base64.h"
#include "base/file.h"
#include "functions/file_path.h"
#include "functions/yaml_decode.h"
#include "identity/cloud.h"
#include "net/json_fields.h"

namespace tofu::backends {

namespace {

using net::object_at;
using net::text_at;
using value::Value;

constexpr std::uint64_t kMaxFileSize = std::uint64_t{16} << 20;
constexpr std::string_view kPodFiles = "/var/run/secrets/kubernetes.io/serviceaccount";

bool flag_at(const Value& object, std::string_view name) {
  const Value* found =
      object.kind() == value::Kind::Object ? object.unmarked().find(name) : nullptr;
  return found != nullptr && found->kind() == value::Kind::Bool && found->unmarked().as_bool();
}

struct ConfigFile {
  std::string directory;
  Value document;
};

// An entry of a file: a cluster, a user or a context.
struct Entry {
  std::string directory;
  Value body;

  std::string path_at(std::string_view name) const {
    const std::string path = text_at(body, name);
    if (path.empty() || functions::is_absolute(path)) return path;
    return functions::join_paths(directory, path);
  }
};

class ConfigFiles {
 public:
  // Skips files that do not exist. False if one was refused.
  bool read(const std::vector<std::string>& paths, const Settings& settings);

  bool is_empty() const { return files_.empty(); }
  std::string current_context() const {
    for (const ConfigFile& file : files_) {
      if (std::string name = text_at(file.document, "current-context"); !name.empty()) return name;
    }
    return {};
  }
  // `list` and `body` as in "clusters" and "cluster".
  std::optional<Entry> find(std::string_view list, std::string_view body,
                            std::string_view name) const {
    for (const ConfigFile& file : files_) {
      for (const Value& item : net::list_at(file.document, list)) {
        if (text_at(item, "name") != name) continue;
        const Value* found = object_at(item, body);
        return Entry{file.directory, found == nullptr ? Value::object({}) : *found};
      }
    }
    return std::nullopt;
  }

 private:
  std::vector<ConfigFile> files_;
};

bool ConfigFiles::read(const std::vector<std::string>& paths, const Settings& settings) {
  for (const std::string& written : paths) {
    const auto path = functions::expand_home(written, settings.variable("HOME"));
    if (!path) {
      settings.refuse("config_path", path.error().what);
      return false;
    }
    const auto kind = base::file_kind(*path);
    if (kind && *kind == base::FileKind::Missing) continue;
    const auto text = base::read_file(*path, kMaxFileSize);
    if (!text) {
      settings.refuse("config_path",
                      fmt::format("reading {:?} failed: {}", *path, text.error().what));
      return false;
    }
    auto document = functions::parse_yaml(*text);
    if (document && document->is_null()) continue;  // an empty file
    if (!document || document->kind() != value::Kind::Object) {
      settings.refuse("config_path", fmt::format("{:?} is not a kubeconfig file", *path));
      return false;
    }
    files_.push_back({functions::directory_name(*path), std::move(*document)});
  }
  return true;
}

// A value that a file contains in base64, or that is in another file.
bool read_data(const Entry& entry, const std::string& name, const Settings& settings,
               std::string& into) {
  const auto refuse = [&](const std::string& why) {
    settings.refuse("config_path", fmt::format("{:?} in the kubeconfig {}", name, why));
    return false;
  };
  if (const std::string data = text_at(entry.body, name + "-data"); !data.empty()) {
    auto bytes = base::base64_decode(data);
    if (!bytes) return refuse("is not base64");
    into = std::move(*bytes);
    return true;
  }
  const std::string path = entry.path_at(name);
  if (path.empty()) return true;
  auto text = base::read_file(path, kMaxFileSize);
  if (!text) return refuse(fmt::format("cannot be read: {}", text.error().what));
  into = std::move(*text);
  return true;
}

KubePlugin plugin_of(const Value& exec, const std::string& directory) {
  KubePlugin plugin{text_at(exec, "apiVersion"), text_at(exec, "command")};
  if (plugin.command.find('/') != std::string::npos && !functions::is_absolute(plugin.command)) {
    plugin.command = functions::join_paths(directory, plugin.command);
  }
  for (const Value& each : net::list_at(exec, "args")) {
    if (each.kind() == value::Kind::String)
      plugin.arguments.emplace_back(each.unmarked().as_string());
  }
  for (const Value& each : net::list_at(exec, "env")) {
    plugin.environment.emplace_back(text_at(each, "name"), text_at(each, "value"));
  }
  plugin.wants_cluster = flag_at(exec, "provideClusterInfo");
  plugin.install_hint = text_at(exec, "installHint");
  return plugin;
}

void read_user(const Entry& entry, const Settings& settings, KubeCluster& cluster) {
  cluster.token = text_at(entry.body, "token");
  cluster.token_file = entry.path_at("tokenFile");
  cluster.user = text_at(entry.body, "username");
  cluster.password = text_at(entry.body, "password");
  if (!read_data(entry, "client-certificate", settings, cluster.tls.certificate) ||
      !read_data(entry, "client-key", settings, cluster.tls.private_key)) {
    return;
  }
  if (const Value* exec = object_at(entry.body, "exec")) {
    cluster.plugin = plugin_of(*exec, entry.directory);
    if (text_at(*exec, "interactiveMode") == "Always") {
      settings.refuse("config_path",
                      "the user's credential plugin is interactive, which is not supported here");
    }
  }
  if (object_at(entry.body, "auth-provider") != nullptr && cluster.token.empty()) {
    settings.refuse("config_path",
                    "its user has an auth-provider, which Kubernetes has given up; use \"exec\"");
  }
  const auto act_as = [&](const char* header, std::string text) {
    if (!text.empty()) cluster.impersonation.push_back({header, std::move(text)});
  };
  act_as("Impersonate-User", text_at(entry.body, "as"));
  act_as("Impersonate-Uid", text_at(entry.body, "as-uid"));
  for (const Value& group : net::list_at(entry.body, "as-groups")) {
    if (group.kind() == value::Kind::String) {
      act_as("Impersonate-Group", std::string(group.unmarked().as_string()));
    }
  }
}

// The server as it is written, perhaps without a scheme.
std::string read_cluster(const Entry& entry, const Settings& settings, KubeCluster& cluster) {
  cluster.tls.without_verification = flag_at(entry.body, "insecure-skip-tls-verify");
  if (!read_data(entry, "certificate-authority", settings, cluster.tls.authorities)) return {};
  if (!text_at(entry.body, "tls-server-name").empty()) {
    settings.refuse("config_path", "its cluster has a \"tls-server-name\", which is not supported");
  }
  cluster.proxy.http = cluster.proxy.https = text_at(entry.body, "proxy-url");
  return text_at(entry.body, "server");
}

bool is_secure(const std::string& server, const net::TlsOptions& tls) {
  if (server.find("://") != std::string::npos) return server.starts_with("https://");
  return tls.without_verification || !tls.authorities.empty() || !tls.certificate.empty();
}

// The settings of the current context. The server may stay empty.
std::string read_context(const ConfigFiles& files, const Settings& settings, KubeCluster& cluster) {
  const std::string chosen = settings.text("config_context", {"KUBE_CTX"});
  const std::string name = chosen.empty() ? files.current_context() : chosen;
  std::string cluster_name = settings.text("config_context_cluster", {"KUBE_CTX_CLUSTER"});
  std::string user_name = settings.text("config_context_auth_info", {"KUBE_CTX_AUTH_INFO"});
  if (!name.empty()) {
    const auto context = files.find("contexts", "context", name);
    if (!context) {
      settings.refuse("config_context", fmt::format("the context {:?} does not exist", name));
      return {};
    }
    if (cluster_name.empty()) cluster_name = text_at(context->body, "cluster");
    if (user_name.empty()) user_name = text_at(context->body, "user");
  }
  std::string server;
  if (const auto entry = files.find("clusters", "cluster", cluster_name)) {
    server = read_cluster(*entry, settings, cluster);
  } else if (!cluster_name.empty()) {
    settings.refuse("config_context_cluster",
                    fmt::format("the cluster {:?} does not exist", cluster_name));
  }
  if (const auto entry = files.find("users", "user", user_name)) {
    // Like kubectl: a user's credentials are not sent unencrypted.
    if (is_secure(server, cluster.tls)) read_user(*entry, settings, cluster);
  } else if (!user_name.empty()) {
    settings.refuse("config_context_auth_info",
                    fmt::format("the user {:?} does not exist", user_name));
  }
  return server;
}

// The configuration inside a pod.
std::string read_pod(const Settings& settings, KubeCluster& cluster) {
  std::string host = settings.variable("KUBERNETES_SERVICE_HOST");
  const std::string port = settings.variable("KUBERNETES_SERVICE_PORT");
  if (host.empty() || port.empty()) {
    settings.refuse("in_cluster_config",
                    "this does not run in a pod: KUBERNETES_SERVICE_HOST and "
                    "KUBERNETES_SERVICE_PORT are not set");
    return {};
  }
  cluster.token_file = fmt::format("{}/token", kPodFiles);
  auto authorities = base::read_file(fmt::format("{}/ca.crt", kPodFiles), kMaxFileSize);
  if (authorities) cluster.tls.authorities = std::move(*authorities);
  if (host.find(':') != std::string::npos) host = fmt::format("[{}]", host);
  return fmt::format("https://{}:{}", host, port);
}

std::vector<std::string> config_paths(const Settings& settings) {
  if (const std::string path = settings.text("config_path", {"KUBE_CONFIG_PATH"}); !path.empty()) {
    return {path};
  }
  if (auto paths = settings.list("config_paths"); !paths.empty()) return paths;
  std::vector<std::string> paths;
  const std::string list = settings.variable("KUBE_CONFIG_PATHS");
  for (std::string_view rest = list; !rest.empty();) {
    const std::size_t colon = std::min(rest.find(':'), rest.size());
    if (colon > 0) paths.emplace_back(rest.substr(0, colon));
    rest.remove_prefix(std::min(colon + 1, rest.size()));
  }
  return paths;
}

std::optional<KubePlugin> plugin_setting(const Settings& settings) {
  const auto exec = settings.inside("exec");
  if (!exec) return std::nullopt;
  KubePlugin plugin{exec->needed_text("api_version"), exec->needed_text("command")};
  plugin.arguments = exec->list("args");
  plugin.environment = exec->pairs("env");
  return plugin;
}

void read_overrides(const Settings& settings, KubeCluster& cluster, std::string& server) {
  const auto set = [&](std::string_view name, std::string_view variable, std::string& into) {
    if (std::string text = settings.text(name, {variable}); !text.empty()) into = std::move(text);
  };
  set("host", "KUBE_HOST", server);
  set("username", "KUBE_USER", cluster.user);
  set("password", "KUBE_PASSWORD", cluster.password);
  set("cluster_ca_certificate", "KUBE_CLUSTER_CA_CERT_DATA", cluster.tls.authorities);
  set("client_certificate", "KUBE_CLIENT_CERT_DATA", cluster.tls.certificate);
  set("client_key", "KUBE_CLIENT_KEY_DATA", cluster.tls.private_key);
  if (std::string token = settings.text("token", {"KUBE_TOKEN"}); !token.empty()) {
    cluster.token = std::move(token);
    cluster.token_file.clear();
  }
  if (settings.flag("insecure", {"KUBE_INSECURE"})) cluster.tls.without_verification = true;
  if (auto plugin = plugin_setting(settings)) cluster.plugin = std::move(plugin);
}

void set_server(std::string text, const Settings& settings, KubeCluster& cluster) {
  if (text.empty()) {
    return settings.refuse(
        "host",
        "no cluster was named: set it, or \"config_path\" (KUBE_CONFIG_PATH) to a kubeconfig "
        "file with a current context, or \"in_cluster_config\" in a pod");
  }
  if (text.find("://") == std::string::npos) {
    text = fmt::format("{}://{}", is_secure(text, cluster.tls) ? "https" : "http", text);
  }
  auto url = net::parse_web_url(text);
  if (!url) return settings.refuse("host", url.error().what);
  while (url->path.ends_with('/')) url->path.pop_back();
  url->query.clear();
  cluster.server = std::move(*url);
}

}  // namespace

std::vector<SettingSchema> kube_setting_schemas() {
  using value::Type;
  const Type flag = Type::boolean();
  const Type texts = Type::list(Type::string());
  return {
      {.name = "in_cluster_config",
       .type = flag,
       .about = "Whether the service account of this pod is used."},
      {.name = "load_config_file", .type = flag, .about = "Deprecated; has no effect."},
      {.name = "host", .about = "The address of the API server."},
      {.name = "username", .about = "A user for basic authentication."},
      {.name = "password", .about = "Its password.", .sensitive = true},
      {.name = "insecure", .type = flag, .about = "Whether any certificate is accepted."},
      {.name = "client_certificate", .about = "The certificate of this client, in PEM."},
      {.name = "client_key", .about = "Its private key, in PEM.", .sensitive = true},
      {.name = "cluster_ca_certificate", .about = "Authorities to trust, in PEM."},
      {.name = "config_path", .about = "A kubeconfig file."},
      {.name = "config_paths", .type = texts, .about = "Several kubeconfig files."},
      {.name = "config_context", .about = "The context to use."},
      {.name = "config_context_auth_info", .about = "The user to use instead of the context's."},
      {.name = "config_context_cluster", .about = "The cluster to use instead of the context's."},
      {.name = "token", .about = "A token of a service account.", .sensitive = true},
      {.name = "exec",
       .about = "A program that gives out credentials.",
       .inside = {{.name = "api_version", .about = "Of client.authentication.k8s.io."},
                  {.name = "command", .about = "The program."},
                  {.name = "args", .type = texts, .about = "Its arguments."},
                  {.name = "env",
                   .type = Type::map(Type::string()),
                   .about = "Its environment variables."}},
       .block = schema::Nesting::List},
  };
}

KubeCluster read_kube_settings(const Settings& settings) {
  KubeCluster cluster;
  std::string server;
  if (settings.flag("in_cluster_config", {"KUBE_IN_CLUSTER_CONFIG"})) {
    server = read_pod(settings, cluster);
  } else {
    ConfigFiles files;
    if (!files.read(config_paths(settings), settings)) return cluster;
    if (!files.is_empty()) {
      server = read_context(files, settings, cluster);
    } else if (settings.text("host", {"KUBE_HOST"}).empty() &&
               !settings.variable("KUBERNETES_SERVICE_HOST").empty()) {
      server = read_pod(settings, cluster);
    }
  }
  if (!settings.ok()) return cluster;
  read_overrides(settings, cluster, server);
  if (cluster.tls.certificate.empty() != cluster.tls.private_key.empty()) {
    settings.refuse("client_certificate", "a certificate and its private key are given together");
  }
  if (cluster.plugin && cluster.plugin->api_version != "client.authentication.k8s.io/v1" &&
      cluster.plugin->api_version != "client.authentication.k8s.io/v1beta1") {
    settings.refuse("exec", fmt::format("the plugin's API version {:?} is not supported; expected "
                                        "client.authentication.k8s.io/v1 or v1beta1",
                                        cluster.plugin->api_version));
  }
  set_server(std::move(server), settings, cluster);
  return cluster;
}

}  // namespace tofu::backends
