// Which Kubernetes cluster a backend uses, and as whom: its settings, kubeconfig files and
// what a pod finds around itself.
//
// Files are YAML as kubectl has them. Of several the first that has an entry counts; paths
// in a file are relative to it. Settings of the block count before what files say.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "backends/settings.h"
#include "base/url.h"
#include "net/web.h"

namespace tofu::backends {

// A program that gives out credentials (client.authentication.k8s.io).
struct KubePlugin {
  std::string api_version;
  std::string command;
  std::vector<std::string> arguments = {};
  std::vector<std::pair<std::string, std::string>> environment = {};
  bool wants_cluster = false;  // whether it gets information about the cluster
  std::string install_hint = {};
};

struct KubeCluster {
  base::Url server;
  net::TlsOptions tls;  // with the certificate of this client, if it has one
  net::ProxyOptions proxy;
  // As whom, one of these.
  std::string token = {};
  std::string token_file = {};  // read again whenever the token is refused
  std::string user = {};
  std::string password = {};
  std::optional<KubePlugin> plugin = {};
  // The user to impersonate.
  std::vector<net::WebHeader> impersonation = {};
};

std::vector<SettingSchema> kube_setting_schemas();
// Reports what cannot be used to `settings`; then the answer means nothing.
KubeCluster read_kube_settings(const Settings& settings);

}  // namespace tofu::backends
