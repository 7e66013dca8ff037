#include "addrs/reference.h"

#include <fmt/format.h>
#include <utility>

#include "addrs/steps.h"

namespace tofu::addrs {

namespace {

class Baseline final : public ParseRefContext {
 public:
  bool feature_enabled(features::Feature) const override { return false; }
  bool has_any_managed_resource_of_type(std::string_view) const override { return false; }
  bool has_managed_resource(std::string_view, std::string_view) const override { return false; }
};

std::nullopt_t invalid(diag::Diagnostics& diags, diag::SourceRange place, std::string detail) {
  diags.error("Invalid reference").detail(std::move(detail)).at(place);
  return std::nullopt;
}

// ROOT.NAME; nothing if an error was added.
std::optional<std::string> single_name(const Steps& steps, diag::Diagnostics& diags) {
  if (steps.size() < 2) {
    return invalid(diags, steps.range(0),
                   fmt::format("\"{}\" alone is no value. Write the name of one of its "
                               "attributes after it.",
                               steps.name(0)));
  }
  if (!steps.is_name(1)) {
    return invalid(diags, steps.range(1),
                   fmt::format("\"{}\" can only be followed by a dot and a name.", steps.name(0)));
  }
  return std::string(steps.name(1));
}

template <class Make>
std::optional<Reference> single_reference(const Steps& steps, diag::Diagnostics& diags,
                                          Make&& make) {
  auto name = single_name(steps, diags);
  if (!name) return std::nullopt;
  return Reference{make(std::move(*name)), diag::cover(steps.range(0), steps.range(1)),
                   steps.rest(2)};
}

std::optional<InstanceKey> read_key(const Steps& steps, std::size_t index, std::string_view what,
                                    diag::Diagnostics& diags) {
  auto key = parse_instance_key(*steps.key(index));
  if (key) return std::move(*key);
  diags.error("Invalid index key")
      .detail(fmt::format("This cannot be the key of a {} instance: {}.", what, key.error().what))
      .at(steps.range(index));
  return std::nullopt;
}

// [PREFIX.]TYPE.NAME[KEY], where `first` is the index of TYPE.
std::optional<Reference> resource_reference(const Steps& steps, ResourceMode mode,
                                            std::size_t first, diag::Diagnostics& diags) {
  if (steps.size() < first + 2) {
    if (first == 0) {
      return invalid(diags, steps.range(),
                     fmt::format("The name of a resource must follow the resource type \"{}\".",
                                 steps.name(0)));
    }
    return invalid(diags, steps.range(),
                   fmt::format("\"{}\" must be followed by two names: the type and the name of "
                               "the resource.",
                               steps.name(0)));
  }
  if (!steps.is_name(first)) {
    return invalid(diags, steps.range(first),
                   fmt::format("\"{}\" can only be followed by a dot and a type.", steps.name(0)));
  }
  if (!steps.is_name(first + 1)) {
    return invalid(
        diags, steps.range(first + 1),
        fmt::format("The name of a resource must follow the type \"{}\".", steps.name(first)));
  }
  Resource resource{mode, std::string(steps.name(first)), std::string(steps.name(first + 1))};
  const std::size_t named = first + 2;
  diag::SourceRange range = diag::cover(steps.range(0), steps.range(first + 1));
  if (steps.size() == named) return Reference{std::move(resource), range, {}};
  if (steps.key(named) == nullptr) {
    return Reference{ResourceInstance{std::move(resource)}, range, steps.rest(named)};
  }
  auto key = read_key(steps, named, "resource", diags);
  if (!key) return std::nullopt;
  range = diag::cover(range, steps.range(named));
  return Reference{ResourceInstance{std::move(resource), std::move(*key)}, range,
                   steps.rest(named + 1)};
}

// module.NAME, module.NAME[KEY], either with .OUTPUT
std::optional<Reference> module_reference(const Steps& steps, diag::Diagnostics& diags) {
  auto name = single_name(steps, diags);
  if (!name) return std::nullopt;
  ModuleCallInstance instance{{std::move(*name)}};
  diag::SourceRange range = diag::cover(steps.range(0), steps.range(1));
  if (steps.size() == 2) return Reference{std::move(instance.call), range, {}};
  std::size_t next = 2;
  if (steps.key(next) != nullptr) {
    auto key = read_key(steps, next, "module", diags);
    if (!key) return std::nullopt;
    instance.key = std::move(*key);
    if (steps.size() == next + 1) {
      return Reference{std::move(instance), diag::cover(range, steps.range(next)), {}};
    }
    ++next;
  }
  if (!steps.is_name(next)) {
    return invalid(diags, steps.range(next),
                   "A module instance can only be followed by a dot and the name of an output.");
  }
  range = diag::cover(range, steps.range(next));
  return Reference{ModuleCallOutput{std::move(instance), std::string(steps.name(next))}, range,
                   steps.rest(next + 1)};
}

// A root that belongs to a selectable feature. The three cases are those of the
// feature's opt-in: a module that has the block, one that has resources of a
// type of that name, and one that has neither.
std::optional<Reference> feature_reference(const features::Row& row,
                                           const syntax::Traversal& traversal,
                                           const ParseRefContext& context,
                                           diag::Diagnostics& diags) {
  const Steps steps(traversal);
  const features::Feature feature = *row.feature;
  if (context.feature_enabled(feature)) {
    return single_reference(steps, diags, [&](std::string name) {
      return FeatureBlock{feature, std::move(name)};
    });
  }
  if (context.has_any_managed_resource_of_type(row.block_type)) {
    return resource_reference(steps, ResourceMode::Managed, 0, diags);
  }
  if (single_name(steps, diags)) report_undefined_block(feature, traversal, context, diags);
  return std::nullopt;
}

std::nullopt_t refuse_reserved(const Steps& steps, diag::Diagnostics& diags) {
  diags.error("Reserved name")
      .detail(fmt::format("The name \"{0}\" is kept for a later version of the language. To refer "
                          "to a resource whose type is \"{0}\", write the prefix \"resource.\" "
                          "before it.",
                          steps.name(0)))
      .at(steps.range(0));
  return std::nullopt;
}

}  // namespace

const ParseRefContext& baseline() {
  static const Baseline kBaseline;
  return kBaseline;
}

diag::Checked<Reference> parse_reference(const syntax::Traversal& traversal,
                                         const ParseRefContext& context, diag::Diagnostics& diags) {
  const Steps steps(traversal);
  const std::string_view root = traversal.root;
  const auto single = [&]<class Address>(std::in_place_type_t<Address>) {
    return single_reference(steps, diags,
                            [](std::string name) { return Address{std::move(name)}; });
  };
  if (root == "var") return single(std::in_place_type<InputVariable>);
  if (root == "local") return single(std::in_place_type<LocalValue>);
  if (root == "each") return single(std::in_place_type<EachAttr>);
  if (root == "count") return single(std::in_place_type<CountAttr>);
  if (root == "path") return single(std::in_place_type<PathAttr>);
  if (root == "terraform" || root == "tofu") {
    using Root = TerraformAttr::Root;
    return single_reference(steps, diags, [&](std::string name) {
      return TerraformAttr{std::move(name), root == "tofu" ? Root::Tofu : Root::Terraform};
    });
  }
  if (root == "self") return Reference{Self{}, traversal.root_range, traversal.steps};
  if (root == "module") return module_reference(steps, diags);
  if (root == "data") return resource_reference(steps, ResourceMode::Data, 1, diags);
  if (root == "ephemeral") return resource_reference(steps, ResourceMode::Ephemeral, 1, diags);
  if (root == "resource") return resource_reference(steps, ResourceMode::Managed, 1, diags);
  if (root == "template" || root == "lazy" || root == "arg") return refuse_reserved(steps, diags);
  if (const features::Row* row = features::find_by_block_type(root)) {
    return feature_reference(*row, traversal, context, diags);
  }
  return resource_reference(steps, ResourceMode::Managed, 0, diags);
}

std::optional<Reference> parse_test_reference(const syntax::Traversal& traversal,
                                              const ParseRefContext& context,
                                              diag::Diagnostics& diags) {
  const Steps steps(traversal);
  const auto single = [&]<class Address>(std::in_place_type_t<Address>) {
    return single_reference(steps, diags,
                            [](std::string name) { return Address{std::move(name)}; });
  };
  if (traversal.root == "output") return single(std::in_place_type<OutputValue>);
  if (traversal.root == "check") return single(std::in_place_type<Check>);
  if (traversal.root == "run") return single(std::in_place_type<Run>);
  return parse_reference(traversal, context, diags);
}

void report_undefined_block(features::Feature feature, const syntax::Traversal& traversal,
                            const ParseRefContext& context, diag::Diagnostics& diags) {
  const Steps steps(traversal);
  const features::Row& row = features::row_of(feature);
  const std::string_view name = steps.name(1);
  std::string detail = fmt::format("There is no {} block named \"{}\" defined in this module.",
                                   row.block_type, name);
  if (context.has_managed_resource(row.block_type, name)) {
    detail += fmt::format(
        "\n\nDid you intend to refer to resource \"{}\" \"{}\"? If so, use the \"resource.\" "
        "prefix:\n    resource.{}",
        row.block_type, name, to_text(traversal));
  }
  diags.error(fmt::format("Reference to undefined {}", row.noun))
      .detail(std::move(detail))
      .at(diag::cover(steps.range(0), steps.range(1)));
}

std::string to_string(const Subject& subject) {
  return std::visit([](const auto& address) { return address.to_string(); }, subject);
}

std::string Reference::to_string() const { return addrs::to_string(subject) + to_text(remaining); }

std::string to_text(std::span<const syntax::TraversalStep> steps) {
  std::string out;
  for (const syntax::TraversalStep& step : steps) {
    switch (step.kind) {
      case syntax::StepKind::Attribute: out.append(".").append(step.name); break;
      case syntax::StepKind::Splat: out += "[*]"; break;
      case syntax::StepKind::Index: {
        const value::Value& key = *step.key;
        out += '[';
        if (key.kind() == value::Kind::String) out += quote(key.plain().as_string());
        if (key.kind() == value::Kind::Number) out += key.plain().as_number().to_string();
        if (key.kind() == value::Kind::Bool) out += key.plain().as_bool() ? "true" : "false";
        if (key.kind() == value::Kind::Null) out += "null";
        out += ']';
        break;
      }
    }
  }
  return out;
}

std::string to_text(const syntax::Traversal& traversal) {
  return std::string(traversal.root) + to_text(traversal.steps);
}

}  // namespace tofu::addrs
