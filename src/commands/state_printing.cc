#include "commands/state_printing.h"

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "base/json_writer.h"
#include "commands/plan_page_facts.h"
#include "commands/run_providers.h"
#include "commands/version_info.h"
#include "eval/program.h"
#include "views/config_json.h"
#include "views/plan_json.h"
#include "views/plan_page.h"
#include "views/plan_text.h"
#include "views/state_decode.h"
#include "views/state_json.h"
#include "views/state_text.h"

namespace tofu::commands {

namespace {

Output& output_of(const Showing& showing, World& world) {
  return showing.into != nullptr ? *showing.into : world.out;
}

}  // namespace

void print_records(const views::StateRecords& records, const Showing& showing, World& world) {
  if (showing.json) {
    constexpr std::size_t kPiece = 1 << 16;
    Output& out = output_of(showing, world);
    std::string text;
    base::JsonWriter json(text);
    views::write_state_json(json, records, run_providers(world), [&] {
      if (text.size() < kPiece) return;
      out.write(text);
      text.clear();
    });
    out.line(text);
    return;
  }
  views::write_state_text(records, run_providers(world),
                          {.color = world.view.color, .show_sensitive = showing.show_sensitive},
                          [&](std::string_view piece) { world.out.write(piece); });
}

bool print_state(const state::State* state, const Showing& showing, World& world,
                 diag::Diagnostics& diags) {
  if (state == nullptr && !showing.json) {
    world.out.line("No state.");
    return true;
  }
  if (state != nullptr && !load_providers(*state, world, diags)) return false;
  const auto records = state == nullptr ? std::optional(views::StateRecords{})
                                        : views::state_records(*state, run_providers(world), diags);
  if (!records) return false;
  print_records(*records, showing, world);
  return true;
}

namespace {

// The configuration that is in the file. Null if and only if an error was added.
std::shared_ptr<const Configuration> configuration_of(const PlanFile& file, World& world,
                                                      diag::Diagnostics& diags) {
  std::map<std::string, value::Value> variables;
  for (const plans::VariableValue& each : file.planned.plan.variables) {
    variables.emplace(each.name, each.value);
  }
  diag::Diagnostics found;  // warnings were shown with the plan
  auto configuration = load_saved(file.context.configuration, file.context.workspace,
                                  std::move(variables), world, found);
  if (!configuration) diags.take(std::move(found));
  return configuration;
}

bool print_plan_page(const PlanFile& file, World& world, diag::Diagnostics& diags) {
  const auto configuration = configuration_of(file, world, diags);
  if (!configuration) return false;
  diag::Diagnostics found;  // as above
  const eval::Program program = eval::compile(configuration->tree, file.context.schemas, found);
  views::write_plan_page(file.planned.plan, file.context.schemas,
                         page_facts(program, file.planned.prior, file.context.workspace, {}, world),
                         [&](std::string_view piece) { world.out.write(piece); });
  return true;
}

}  // namespace

bool print_plan(const PlanFile& file, const Showing& showing, World& world,
                diag::Diagnostics& diags) {
  if (showing.html) return print_plan_page(file, world, diags);
  const plans::Plan& plan = file.planned.plan;
  Output& to = output_of(showing, world);
  const auto out = [&](std::string_view piece) { to.write(piece); };
  if (!showing.json) {
    views::write_plan_text(plan, file.context.schemas,
                           {.color = world.view.color,
                            .show_sensitive = showing.show_sensitive,
                            .in_automation = true,
                            .width = world.environment.stdout_width},
                           out);
    return true;
  }
  auto prior = views::state_records(file.planned.prior, file.context.schemas, diags);
  if (!prior) return false;
  prior->version = kTofuVersion;
  const auto configuration = configuration_of(file, world, diags);
  if (!configuration) return false;
  const std::string described = views::config_json(configuration->tree, file.context.schemas);
  views::write_plan_json(plan, file.context.schemas,
                         {.version = kTofuVersion, .prior = &*prior, .configuration = described},
                         out);
  output_of(showing, world).line("");
  return true;
}

}  // namespace tofu::commands
