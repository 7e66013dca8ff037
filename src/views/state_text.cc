#include "views/state_text.h"

#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/arena.h"
#include "base/unicode.h"
#include "diag/wrap.h"
#include "views/change_diff.h"
#include "views/diff.h"
#include "views/diff_text.h"

namespace tofu::views {

namespace {

std::string object_text(const StateObject& object, const schema::ResourceSchema* schema,
                        const DiffTextOptions& style) {
  base::Arena arena;
  const addrs::Resource& resource = object.address.object.resource;
  std::string text = "# " + diag::safe_for_terminal(object.address.to_string()) + ":";
  if (!object.deposed.empty()) {
    text += " (deposed object " + diag::safe_for_terminal(object.deposed) + ")";
  } else if (object.tainted) {
    text += " (tainted)";
  }
  text += '\n';
  text += addrs::block_word(resource.mode);
  text += " " + base::quote_go(resource.type) + " " + base::quote_go(resource.name) + " ";
  const PlainValue v = schema != nullptr ? plain_value(arena, object.value, schema->block)
                                         : plain_value(arena, object.value);
  const DiffInput input{&v, &v};
  append_diff_text(text, schema != nullptr ? diff_block(input, schema->block) : diff_dynamic(input),
                   style);
  return text + "\n";
}

// The objects of one module.
struct ModuleGroup {
  std::vector<addrs::ModuleStep> steps;  // of its address
  std::vector<const StateObject*> objects;
};

// Every module before those inside it, and beside each other by their address: 2 before 10.
std::vector<ModuleGroup> modules_of(const StateRecords& state) {
  std::map<std::vector<addrs::ModuleStep>, std::vector<const StateObject*>> groups;
  for (const StateObject& object : state.objects) {
    groups[object.address.module.steps].push_back(&object);
  }
  std::vector<ModuleGroup> made;
  for (auto& [steps, objects] : groups) made.push_back({steps, std::move(objects)});
  return made;
}

bool is_around(const ModuleGroup& outer, const ModuleGroup& inner) {
  return outer.steps.size() < inner.steps.size() &&
         std::ranges::equal(outer.steps, std::span(inner.steps).first(outer.steps.size()));
}

}  // namespace

void write_state_text(const StateRecords& state, const schema::ProviderSchemas& schemas,
                      const StateTextOptions& options, const TextOut& out) {
  if (state.empty()) return out("The state has no resources.\n");
  const DiffTextOptions style{.color = options.color,
                              .show_sensitive = options.show_sensitive,
                              .show_unchanged = true,
                              .hide_symbols = true};
  std::vector<ModuleGroup> around;  // that a module is in
  for (ModuleGroup& group : modules_of(state)) {
    while (!around.empty() && !is_around(around.back(), group)) around.pop_back();
    // As in OpenTofu, nothing is put between modules that are not in others with objects.
    if (!around.empty()) out("\n");
    bool is_first = around.empty();
    for (const StateObject* object : group.objects) {
      if (!is_first) out("\n");
      is_first = false;
      out(object_text(
          *object, find_schema(schemas, object->provider, object->address.object.resource), style));
    }
    around.push_back(std::move(group));
  }
  if (state.outputs.empty()) return;
  out("\n\nOutputs:\n\n");
  for (const StateOutput& output : state.outputs) {
    base::Arena arena;
    PlainValue v = plain_value(arena, output.value);
    v.sensitive = output.sensitive;
    out(diag::safe_for_terminal(output.name) + " = " +
        diff_text(diff_typed(DiffInput{&v, &v}, output.value.type()), style) + "\n");
  }
}

}  // namespace tofu::views
