#include "views/state_text.h"

#include "base/arena.h"
#include "base/unicode.h"
#include "views/change_diff.h"
#include "views/diff.h"
#include "views/diff_text.h"

namespace tofu::views {

namespace {

std::string object_text(const StateObject& object, const schema::ResourceSchema* schema,
                        const DiffTextOptions& style) {
  base::Arena arena;
  const addrs::Resource& resource = object.address.object.resource;
  std::string text = "# " + object.address.to_string() + ":";
  if (!object.deposed.empty()) {
    text += " (deposed object " + object.deposed + ")";
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

}  // namespace

void write_state_text(const StateRecords& state, const schema::ProviderSchemas& schemas,
                      const StateTextOptions& options, const TextOut& out) {
  if (state.empty()) return out("The state is empty: there are no resources in it.\n");
  const DiffTextOptions style{.color = options.color,
                              .show_sensitive = options.show_sensitive,
                              .show_unchanged = true,
                              .hide_symbols = true};
  const StateObject* last = nullptr;
  for (const StateObject& object : state.objects) {
    if (last != nullptr) out(last->address.module == object.address.module ? "\n" : "\n\n");
    out(object_text(object, find_schema(schemas, object.provider, object.address.object.resource),
                    style));
    last = &object;
  }
  if (state.outputs.empty()) return;
  out("\n\nOutputs:\n\n");
  for (const StateOutput& output : state.outputs) {
    base::Arena arena;
    PlainValue v = plain_value(arena, output.value);
    v.sensitive = output.sensitive;
    out(output.name + " = " + diff_text(diff_typed(DiffInput{&v, &v}, output.value.type()), style) +
        "\n");
  }
}

}  // namespace tofu::views
