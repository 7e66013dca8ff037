#include <fmt/format.h>
#include <memory>
#include <utility>

#include "config/module_builder.h"

namespace tofu::config {

namespace {

template <class T>
void replace(std::optional<T>& base, const std::optional<T>& override) {
  if (override) base = override;
}

void replace(std::optional<std::string>& base, const std::optional<std::string>& override) {
  if (override && !override->empty()) base = override;
}

void replace(const syntax::Expr*& base, const syntax::Expr* override) {
  if (override != nullptr) base = override;
}

template <class T>
void replace(std::unique_ptr<T>& base, std::unique_ptr<T> override) {
  if (override != nullptr) base = std::move(override);
}

template <class T>
void replace(std::vector<T>& base, std::vector<T> override) {
  if (!override.empty()) base = std::move(override);
}

VariablePart part_of(const Variable& variable) {
  return {variable.type_expr, variable.default_expr, variable.nullable, variable.range};
}

}  // namespace

void ModuleBuilder::report_missing_base(BlockReader& block_reader, std::string what,
                                        diag::SourceRange at) {
  block_reader.diags.error("Missing declaration to override")
      .detail(fmt::format("No other file of this module declares {}. An override file can only "
                          "change existing declarations.",
                          what))
      .at(at);
}

void ModuleBuilder::refuse_depends_on(BlockReader& block_reader,
                                      const std::vector<syntax::Traversal>& depends_on) {
  if (depends_on.empty()) return;
  block_reader.diags.error("Unsupported override")
      .detail("The argument depends_on cannot be overridden.")
      .at(depends_on.front().range);
}

void ModuleBuilder::refuse_override(BlockReader& block_reader, const syntax::Block& block) {
  block_reader.diags.error(fmt::format("Cannot override {} blocks", block.type))
      .detail(fmt::format("{} blocks are not allowed in override files.", block.type))
      .at(block.range);
}

void ModuleBuilder::merge_variable(BlockReader& block_reader, Variable override) {
  Variable* base = module_.variables.find(override.name);
  if (base == nullptr) {
    report_missing_base(block_reader, fmt::format("variable \"{}\"", override.name),
                        override.range);
    module_.variables.keep_shadowed(std::move(override));  // its type may be wrong, too
    return;
  }
  if (base->parts.empty()) base->parts.push_back(part_of(*base));
  base->parts.push_back(part_of(override));
  if (override.description) base->description = override.description;
  replace(base->deprecated, override.deprecated);
  replace(base->sensitive, override.sensitive);
  replace(base->ephemeral, override.ephemeral);
  replace(base->nullable, override.nullable);
  replace(base->is_const, override.is_const);
  replace(base->default_expr, override.default_expr);
  replace(base->type_expr, override.type_expr);
}

void ModuleBuilder::merge_local(BlockReader& block_reader, const Local& override) {
  Local* base = module_.locals.find(override.name);
  if (base == nullptr) {
    return report_missing_base(block_reader, fmt::format("local value \"{}\"", override.name),
                               override.range);
  }
  *base = override;
}

void ModuleBuilder::merge_output(BlockReader& block_reader, const Output& override) {
  Output* base = module_.outputs.find(override.name);
  if (base == nullptr) {
    return report_missing_base(block_reader, fmt::format("output \"{}\"", override.name),
                               override.range);
  }
  replace(base->description, override.description);
  replace(base->expr, override.expr);
  replace(base->type_expr, override.type_expr);
  replace(base->sensitive, override.sensitive);
  replace(base->deprecated, override.deprecated);
  replace(base->ephemeral, override.ephemeral);
  refuse_depends_on(block_reader, override.depends_on);
}

void ModuleBuilder::merge_call(BlockReader& block_reader, ModuleCall override) {
  ModuleCall* base = module_.module_calls.find(override.name);
  if (base == nullptr) {
    return report_missing_base(block_reader, fmt::format("module call \"{}\"", override.name),
                               override.range);
  }
  replace(base->source, override.source);
  replace(base->repetition.count, override.repetition.count);
  replace(base->repetition.for_each, override.repetition.for_each);
  if (override.version != nullptr) {
    base->version = override.version;
    base->version_range = override.version_range;
  }
  base->config = syntax::Body::overridden(std::move(base->config), std::move(override.config));
  if (!override.providers.empty()) base->providers_given = true;
  replace(base->providers, std::move(override.providers));
  refuse_depends_on(block_reader, override.depends_on);
}

void ModuleBuilder::merge_resource(BlockReader& block_reader, Resource override) {
  Resource* base =
      module_.resources(override.mode).find(Module::resource_key(override.type, override.name));
  if (base == nullptr) {
    return report_missing_base(
        block_reader,
        fmt::format("{} \"{}\" \"{}\" block", addrs::block_word(override.mode), override.type,
                    override.name),
        override.range);
  }
  // `enabled` and replace_triggered_by are left as they are, as in OpenTofu.
  replace(base->repetition.count, override.repetition.count);
  replace(base->repetition.for_each, override.repetition.for_each);
  replace(base->provider, std::move(override.provider));
  replace(base->connection, std::move(override.connection));
  replace(base->create_before_destroy, override.create_before_destroy);
  replace(base->ignore_changes, std::move(override.ignore_changes));
  if (override.ignore_all_changes) base->ignore_all_changes = true;
  replace(base->prevent_destroy, override.prevent_destroy);
  replace(base->destroy, override.destroy);
  replace(base->provisioners, std::move(override.provisioners));
  base->config = syntax::Body::overridden(std::move(base->config), std::move(override.config));
  refuse_depends_on(block_reader, override.depends_on);
}

void ModuleBuilder::merge_provider(BlockReader& block_reader, ProviderConfig override) {
  std::string key = override.key();
  ProviderConfig* base = module_.provider_configs.find(key);
  if (base == nullptr && !override.alias.empty()) {
    return report_missing_base(block_reader, fmt::format("provider configuration {}", key),
                               override.range);
  }
  if (base == nullptr) {
    // No block means an empty default configuration, and that is overridden.
    module_.provider_configs.add(std::move(key), std::move(override));
    return;
  }
  replace(base->version, override.version);
  base->config = syntax::Body::overridden(std::move(base->config), std::move(override.config));
}

void ModuleBuilder::merge(BlockReader& block_reader, const syntax::Block& block) {
  const std::string_view type = block.type;
  if (type == "resource") {
    merge_resource(block_reader, read_managed(block_reader, block));
  } else if (type == "data") {
    merge_resource(block_reader, read_data(block_reader, block, false));
  } else if (type == "ephemeral") {
    merge_resource(block_reader, read_ephemeral(block_reader, block));
  } else if (type == "variable") {
    merge_variable(block_reader, read_variable(block_reader, block));
  } else if (type == "locals") {
    for (const Local& local : read_locals(block_reader, block)) merge_local(block_reader, local);
  } else if (type == "output") {
    merge_output(block_reader, read_output(block_reader, block));
  } else if (type == "module") {
    merge_call(block_reader, read_module_call(block_reader, block));
  } else if (type == "provider") {
    if (auto provider = read_provider(block_reader, block))
      merge_provider(block_reader, std::move(*provider));
  } else if (type == "check") {
    read_check(block_reader, block);  // says that it cannot be
  } else if (type == "moved") {
    read_moved(block_reader, block);
    refuse_override(block_reader, block);
  } else if (type == "removed") {
    read_removed(block_reader, block);
    refuse_override(block_reader, block);
  } else if (type == "import") {
    read_import(block_reader, block);
    refuse_override(block_reader, block);
  }
}

}  // namespace tofu::config
