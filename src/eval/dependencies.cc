#include <fmt/format.h>

#include "base/suggest.h"
#include "eval/program.h"
#include "schema/provisioners.h"

namespace tofu::eval {

void check_provisioners(const config::Tree& tree, diag::Diagnostics& diags) {
  for (const config::TreeNode& node : tree.nodes) {
    for (const config::Resource& resource : node.module->managed_resources) {
      for (const config::Provisioner& provisioner : resource.provisioners) {
        if (schema::provisioner_schema(provisioner.type) != nullptr) continue;
        constexpr std::string_view kTypes[] = {"file", "local-exec", "remote-exec"};
        diags.error("Missing required provisioner plugin")
            .detail(fmt::format("No provisioner is named {:?}.{} The available provisioners are "
                                "\"file\", \"local-exec\" and \"remote-exec\".",
                                provisioner.type, base::did_you_mean(provisioner.type, kTypes)));
      }
    }
  }
}

}  // namespace tofu::eval
