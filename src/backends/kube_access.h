// Requests to the API server of a Kubernetes cluster.
//
// Credentials are found when the first request is made, and again when the server no longer
// takes them: tokens in files are replaced, and those of plugins expire.
#pragma once

#include <memory>
#include <string>

#include "backends/kinds.h"
#include "backends/kube_config.h"
#include "base/result.h"
#include "net/web.h"

namespace tofu::backends {

struct KubeRequest {
  std::string path;  // such as /api/v1/namespaces/default/secrets
  std::string method = std::string("GET");
  std::string query = {};
  std::string body = {};  // JSON
  std::string accept = std::string("application/json");
  std::uint64_t limit = std::uint64_t{32} << 20;  // bytes of the answer
};

class KubeAccess {
 public:
  KubeAccess(KubeCluster cluster, const BackendContext& context);
  KubeAccess(const KubeAccess&) = delete;
  KubeAccess& operator=(const KubeAccess&) = delete;

  const base::Url& server() const { return cluster_.server; }
  base::Result<net::WebReply> ask(const KubeRequest& request);

 private:
  base::Result<void> prepare();
  base::Result<void> ask_plugin(net::TlsOptions& tls);

  KubeCluster cluster_;
  net::WebOptions options_;
  std::unique_ptr<net::Web> web_;  // made with the certificate, once it is known
  net::Secret authorization_;      // empty: none
};

// Why the server refused a request.
base::Error kube_refusal(const net::WebReply& reply);

}  // namespace tofu::backends
