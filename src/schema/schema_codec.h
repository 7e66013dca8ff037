// Schemas as bytes, and back: what of them a saved plan has used.
//
// So that a plan can be shown where its providers are not. Functions are left out: nothing is
// evaluated there.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "schema/provider.h"

namespace tofu::schema {

// Schemas that are kept as values, by the provider's full address.
class KeptSchemas final : public ProviderSchemas {
 public:
  const ProviderSchema* find(const std::string& provider) const override;

  std::map<std::string, ProviderSchema, std::less<>> providers;
};

std::string encode_schemas(const KeptSchemas& schemas);
// Nothing if the bytes do not fit.
std::optional<KeptSchemas> decode_schemas(std::string_view bytes);

}  // namespace tofu::schema
