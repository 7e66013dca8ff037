// A plan for people: the drift, the changes resource by resource, the counts, and the outputs.
//
// The body of each resource is OpenTofu's line by line; so are the lines that
// programs are known to look for. The other sentences are ours.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "plans/plan.h"
#include "schema/provider.h"

namespace tofu::views {

struct PlanTextOptions {
  bool color = false;
  bool show_sensitive = false;
  bool in_automation = false;  // no advice on commands to run
  int width = 78;              // columns for sentences
};

// Takes text as it comes; plans can be long.
using TextOut = std::function<void(std::string_view)>;

// `meanwhile` is done while a long text is made, else after it.
void write_plan_text(const plans::Plan& plan, const schema::ProviderSchemas& schemas,
                     const PlanTextOptions& options, const TextOut& out,
                     const std::function<void()>& meanwhile = {});
std::string plan_text(const plans::Plan& plan, const schema::ProviderSchemas& schemas,
                      const PlanTextOptions& options);

}  // namespace tofu::views
