#include "runs/state_printing.h"

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "base/json_writer.h"
#include "cli/terminal.h"
#include "cli/version_info.h"
#include "documents/config_json.h"
#include "documents/plan_json.h"
#include "documents/state_json.h"
#include "eval/program.h"
#include "runs/plan_page_input.h"
#include "runs/run_providers.h"
#include "views/plan_page.h"
#include "views/plan_text.h"
#include "views/state_decode.h"
#include "views/state_text.h"
#include "workdir/load_context.h"

namespace tofu::runs {

namespace {

cli::Output& output_of(const Showing& showing, cli::Terminal& terminal) {
  return showing.into != nullptr ? *showing.into : terminal.out;
}

}  // namespace

void print_records(const views::StateRecords& records, const Showing& showing,
                   RunProviders& providers, cli::Terminal& terminal) {
  if (showing.json) {
    constexpr std::size_t kPiece = 1 << 16;
    cli::Output& out = output_of(showing, terminal);
    std::string text;
    base::JsonWriter json(text);
    documents::write_state_json(json, records, providers, [&] {
      if (text.size() < kPiece) return;
      out.write(text);
      text.clear();
    });
    out.line(text);
    return;
  }
  views::write_state_text(records, providers,
                          {.color = terminal.view.color, .show_sensitive = showing.show_sensitive},
                          [&](std::string_view piece) { terminal.out.write(piece); });
}

diag::Checked<void> print_state(const state::State* state, const Showing& showing,
                                RunProviders& providers, cli::Terminal& terminal,
                                diag::Diagnostics& diags) {
  if (state == nullptr && !showing.json) {
    terminal.out.line("No state.");
    return true;
  }
  if (state != nullptr && !load_providers(*state, providers, diags)) return false;
  const auto records = state == nullptr ? std::optional(views::StateRecords{})
                                        : views::state_records(*state, providers, diags);
  if (!records) return false;
  print_records(*records, showing, providers, terminal);
  return true;
}

namespace {

// The configuration that is in the file.
diag::Checked<std::shared_ptr<const workdir::Configuration>> configuration_of(
    const PlanFile& file, const workdir::LoadContext& context, diag::Diagnostics& diags) {
  std::map<std::string, value::Value> variables;
  for (const plans::VariableValue& each : file.planned.plan.variables) {
    variables.emplace(each.name, each.value);
  }
  diag::Diagnostics found;  // warnings were shown with the plan
  auto configuration = load_saved(file.context.configuration, file.context.workspace,
                                  std::move(variables), context, found);
  if (!configuration) diags.take(std::move(found));
  return configuration;
}

bool print_plan_page(const PlanFile& file, const workdir::LoadContext& context,
                     cli::Terminal& terminal, diag::Diagnostics& diags) {
  const auto configuration = configuration_of(file, context, diags);
  if (!configuration) return false;
  diag::Diagnostics found;  // as above
  const eval::Program program = eval::compile(configuration->tree, file.context.schemas, found);
  views::write_plan_page(
      file.planned.plan, file.context.schemas,
      page_facts(program, file.planned.prior, file.context.workspace, {}, context.sources),
      [&](std::string_view piece) { terminal.out.write(piece); });
  return true;
}

}  // namespace

bool print_plan(const PlanFile& file, const Showing& showing, const workdir::LoadContext& context,
                cli::Terminal& terminal, diag::Diagnostics& diags) {
  if (showing.html) return print_plan_page(file, context, terminal, diags);
  const plans::Plan& plan = file.planned.plan;
  cli::Output& to = output_of(showing, terminal);
  const auto out = [&](std::string_view piece) { to.write(piece); };
  if (!showing.json) {
    views::write_plan_text(plan, file.context.schemas,
                           {.color = terminal.view.color,
                            .show_sensitive = showing.show_sensitive,
                            .in_automation = true,
                            .width = terminal.out_width},
                           out);
    return true;
  }
  auto prior = views::state_records(file.planned.prior, file.context.schemas, diags);
  if (!prior) return false;
  prior->version = cli::kTofuVersion;
  const auto configuration = configuration_of(file, context, diags);
  if (!configuration) return false;
  const std::string described = documents::config_json(configuration->tree, file.context.schemas);
  documents::write_plan_json(
      plan, file.context.schemas,
      {.version = cli::kTofuVersion, .prior = &*prior, .configuration = described}, out);
  output_of(showing, terminal).line("");
  return true;
}

}  // namespace tofu::runs
