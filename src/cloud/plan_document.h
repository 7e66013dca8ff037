// A plan that the service made, as the document that it gives for showing it: the changes with the
// schemas of their providers, and without secrets.
//
// Values have the types that JSON has, which is all that a view needs. Nothing is trusted:
// what cannot be read is an error, and depth is bounded.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/result.h"
#include "plans/plan.h"
#include "schema/provider.h"

namespace tofu::cloud {

class DocumentSchemas final : public schema::ProviderSchemas {
 public:
  const schema::ProviderSchema* find(const std::string& provider) const override;

  // Resources and data sources only.
  std::map<std::string, schema::ProviderSchema> providers;
};

struct PlanDocument {
  plans::Plan plan;  // what the run was is not in the document: its mode, and whether it failed
  DocumentSchemas schemas;
};

base::Result<PlanDocument> read_plan_document(std::string_view json);

}  // namespace tofu::cloud
