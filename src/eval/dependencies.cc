#include <fmt/format.h>

#include "eval/program.h"
#include "schema/provisioners.h"

namespace tofu::eval {

void check_provisioners(const config::Tree& tree, diag::Diagnostics& diags) {
  for (const config::TreeNode& node : tree.nodes) {
    for (const config::Resource& resource : node.module->managed_resources) {
      for (const config::Provisioner& provisioner : resource.provisioners) {
        if (schema::provisioner_schema(provisioner.type) != nullptr) continue;
        diags.error("Missing required provisioner")
            .detail(fmt::format("There is no provisioner {:?}. Those there are: \"file\", "
                                "\"local-exec\" and \"remote-exec\".",
                                provisioner.type));
      }
    }
  }
}

}  // namespace tofu::eval
