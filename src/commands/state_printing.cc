#include "commands/state_printing.h"

#include <string>

#include "base/json_writer.h"
#include "schema/provider.h"
#include "views/state_decode.h"
#include "views/state_json.h"
#include "views/state_text.h"

namespace tofu::commands {

void print_records(const views::StateRecords& records, const Showing& showing, World& world) {
  if (showing.json) {
    std::string text;
    base::JsonWriter json(text);
    views::write_state_json(json, records, schema::builtin_schemas());
    world.out.line(text);
    return;
  }
  views::write_state_text(records, schema::builtin_schemas(),
                          {.color = world.view.color, .show_sensitive = showing.show_sensitive},
                          [&](std::string_view piece) { world.out.write(piece); });
}

bool print_state(const state::State* state, const Showing& showing, World& world,
                 diag::Diagnostics& diags) {
  if (state == nullptr && !showing.json) {
    world.out.line("No state.");
    return true;
  }
  const auto records = state == nullptr
                           ? std::optional(views::StateRecords{})
                           : views::state_records(*state, schema::builtin_schemas(), diags);
  if (!records) return false;
  print_records(*records, showing, world);
  return true;
}

}  // namespace tofu::commands
