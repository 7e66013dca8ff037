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
#include "transport/web.h"

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
  KubeAccess(KubeCluster cluster, const Surroundings& around);
  KubeAccess(const KubeAccess&) = delete;
  KubeAccess& operator=(const KubeAccess&) = delete;

  const base::Url& server() const { return cluster_.server; }
  base::Result<transport::WebReply> ask(const KubeRequest& request);

 private:
  base::Result<void> prepare();
  base::Result<void> ask_plugin(transport::TlsOptions& tls);

  KubeCluster cluster_;
  transport::WebOptions options_;
  std::unique_ptr<transport::Web> web_;  // made with the certificate, once it is known
  transport::Secret authorization_;      // empty: none
};

// Why the server did not do what it was asked to.
base::Error kube_refusal(const transport::WebReply& reply);

}  // namespace tofu::backends
