#include "views/resource_types.h"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <utility>
#include <vector>

#include "base/check.h"
#include "diag/diagnostic.h"
#include "diag/source.h"
#include "syntax/format.h"
#include "syntax/generate.h"
#include "syntax/type_expr.h"

namespace tofu::views {

namespace {

// Schemas are as deep as their providers made them; this is deeper than any that people use.
constexpr std::size_t kMaxDepth = 50;

struct Member {
  std::string name;
  std::string type;
  bool required = false;
};

std::string object_text(const std::vector<schema::Attribute>& attributes,
                        const std::vector<schema::NestedBlock>& blocks, std::size_t depth);

std::string nested_text(schema::Nesting nesting, std::string object) {
  switch (nesting) {
    case schema::Nesting::Single:
    case schema::Nesting::Group: return object;
    case schema::Nesting::List: return "list(" + std::move(object) + ")";
    case schema::Nesting::Set: return "set(" + std::move(object) + ")";
    case schema::Nesting::Map: return "map(" + std::move(object) + ")";
  }
  return object;
}

std::string type_text(const schema::Attribute& attribute, std::size_t depth) {
  if (attribute.nested == nullptr) return syntax::type_expr_text(attribute.type);
  return nested_text(attribute.nested->nesting,
                     object_text(attribute.nested->attributes, {}, depth + 1));
}

bool is_argument(const schema::Attribute& attribute) {
  if (attribute.required) return true;
  // What providers on the older SDK call `id` may be set, but no author does.
  const bool is_id = attribute.name == "id" && attribute.computed;
  return attribute.optional && !attribute.deprecated && !is_id;
}

std::string object_text(const std::vector<schema::Attribute>& attributes,
                        const std::vector<schema::NestedBlock>& blocks, std::size_t depth) {
  if (depth > kMaxDepth) return "any";
  std::vector<Member> members;
  for (const schema::Attribute& each : attributes) {
    if (is_argument(each)) members.push_back({each.name, type_text(each, depth), each.required});
  }
  for (const schema::NestedBlock& each : blocks) {
    const bool is_required = each.min_items > 0;
    if (each.block->deprecated && !is_required) continue;
    members.push_back({each.name,
                       nested_text(each.nesting, object_text(each.block->attributes,
                                                             each.block->blocks, depth + 1)),
                       is_required});
  }
  if (members.empty()) return "object({})";
  std::ranges::sort(members, {}, &Member::name);
  std::string text = "object({\n";
  for (const Member& each : members) {
    text += fmt::format("{} = {}{}{}\n", each.name, each.required ? "" : "optional(", each.type,
                        each.required ? "" : ")");
  }
  return text + "})";
}

}  // namespace

std::string resource_types_library(const std::map<std::string, const schema::Block*>& types) {
  std::string text;
  for (const auto& [name, block] : types) {
    if (!text.empty()) text += '\n';
    text += fmt::format(
        "typedef \"{0}\" {{\n  description = \"The arguments of a resource \\\"{0}\\\".\"\n  type "
        "= "
        "{1}\n}}\n",
        syntax::escaped_text(name), object_text(block->attributes, block->blocks, 1));
  }
  diag::SourceMap sources;
  diag::Diagnostics diags;
  const diag::FileId id = sources.add("types.sym.hcl", std::move(text));
  auto formatted = syntax::format_source(sources, id, diags);
  TOFU_CHECK(formatted, "a generated library can be parsed");
  return std::move(*formatted);
}

}  // namespace tofu::views
