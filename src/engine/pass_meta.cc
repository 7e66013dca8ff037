#include <fmt/format.h>
#include <utility>

#include "engine/find_module.h"
#include "engine/pass.h"
#include "schema/layout.h"
#include "schema/prepared_body.h"

namespace tofu::engine {

using value::Value;

// Worked out once for each module and provider, whatever the number of resources. All
// arguments of such a block are constants.
std::optional<Value> Pass::provider_meta(const addrs::AbsResourceInstance& address,
                                         const ConfiguredProvider& provider,
                                         diag::Diagnostics& diags) {
  const config::TreeNode* node = find_module(*program().tree, address.module);
  if (node == nullptr || node->module->provider_metas.empty()) return Value::null();
  const addrs::Provider& to = provider.address.config.provider;
  const config::ProviderMeta* written = node->module->provider_metas.find(to.to_string());
  if (written == nullptr) return Value::null();
  const schema::ProviderSchema& schema = provider.provider->schema();
  if (!schema.has_provider_meta) {
    diags.error("Provider has no provider_meta")
        .detail(fmt::format("{} belongs to the provider {}, which does not know provider_meta "
                            "blocks. Remove the block.",
                            address.to_string(), to.for_display()))
        .at(written->name_range);
    return std::nullopt;
  }
  const std::lock_guard lock(metas_mutex_);
  const auto known = metas_.find(written);
  if (known != metas_.end()) return known->second;
  schema::Layouts layouts;
  const schema::PreparedBody body(written->config, layouts.of(schema.provider_meta));
  const auto module = static_cast<std::uint32_t>(node - program().tree->nodes.data());
  const std::size_t before = diags.error_count();
  Value made = body.evaluate(names({module}, {0}), diags);
  if (diags.error_count() != before) return std::nullopt;
  return metas_.emplace(written, made.deep_unmarked()).first->second;
}

}  // namespace tofu::engine
