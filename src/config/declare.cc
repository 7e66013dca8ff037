#include "config/declare.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "base/check.h"
#include "config/module_builder.h"
#include "config/replacement.h"
#include "syntax/block_reading.h"

namespace tofu::config {

namespace {

const syntax::BodySchema& file_schema() {
  static const syntax::BodySchema kSchema = syntax::schema_of({}, {{"language", {}},
                                                                   // Only to say where it belongs.
                                                                   {"required_providers", {}},
                                                                   {"provider", {"name"}},
                                                                   {"variable", {"name"}},
                                                                   {"locals", {}},
                                                                   {"output", {"name"}},
                                                                   {"module", {"name"}},
                                                                   {"resource", {"type", "name"}},
                                                                   {"data", {"type", "name"}},
                                                                   {"ephemeral", {"type", "name"}},
                                                                   {"moved", {}},
                                                                   {"import", {}},
                                                                   {"check", {"name"}},
                                                                   {"removed", {}},
                                                                   {"terraform", {}},
                                                                   {"tofu", {}},
                                                                   {"symbols", {"name"}}});
  return kSchema;
}

std::string key_of(const Resource& resource) {
  return Module::resource_key(resource.type, resource.name);
}

std::string_view noun_of(addrs::ResourceMode mode) {
  switch (mode) {
    case addrs::ResourceMode::Managed: return "resource";
    case addrs::ResourceMode::Data: return "data";
    case addrs::ResourceMode::Ephemeral: return "ephemeral resource";
  }
  base::broken_promise("resource mode out of range");
}

std::string duplicate_resource(const Resource& resource) {
  return fmt::format("{} \"{}\" configuration", noun_of(resource.mode), resource.type);
}

}  // namespace

ModuleBuilder::Open ModuleBuilder::open(ParsedFile parsed, bool is_override) {
  Open file;
  file.is_override = is_override;
  file.is_tofu_file = is_tofu_file(parsed.name.name);
  const syntax::Body body = module_.keep(std::move(parsed.file)).body();
  BlockReader reader = block_reader(file);
  const std::size_t base = module_.version_requirements.size();
  gather_versions(reader, body);
  if (is_override) replace_version_requirements(base);
  file.content = body.content(file_schema(), diags_);
  return file;
}

// The version that an override file requires replaces the one that earlier files required of the
// same one.
void ModuleBuilder::replace_version_requirements(std::size_t base) {
  std::vector<VersionRequirement>& all = module_.version_requirements;
  const std::vector<VersionRequirement> added(all.begin() + static_cast<std::ptrdiff_t>(base),
                                              all.end());
  all.resize(base);
  for (const VersionKind kind : {VersionKind::Tofu, VersionKind::Terraform}) {
    const auto is_of_kind = [&](const VersionRequirement& each) { return each.kind == kind; };
    if (std::ranges::any_of(added, is_of_kind)) std::erase_if(all, is_of_kind);
  }
  all.insert(all.end(), added.begin(), added.end());
}

BlockReader ModuleBuilder::block_reader(const Open& file) {
  return {sources_, module_,          module_.scratch(), module_,
          diags_,   file.is_override, file.is_tofu_file};
}

void ModuleBuilder::declare(std::vector<ParsedFile> primary, std::vector<ParsedFile> overrides) {
  std::vector<Open> files;
  files.reserve(primary.size() + overrides.size());
  for (ParsedFile& parsed : primary) files.push_back(open(std::move(parsed), false));
  for (ParsedFile& parsed : overrides) files.push_back(open(std::move(parsed), true));
  for (const Open& file : files) read_settings(file);
  finish_settings();
  for (const Open& file : files) read_objects(file);
  check_retirements(module_, diags_);
}

void ModuleBuilder::read_objects(const Open& file) {
  BlockReader reader = block_reader(file);
  const auto is_check = [](const syntax::Block& block) { return block.type == "check"; };
  for (const syntax::Block& block : file.content.blocks) {
    if (file.is_override) {
      merge(reader, block);
    } else if (!is_check(block)) {
      add(reader, block);
    }
  }
  if (file.is_override) return;
  // A data source in a check gives way to one of the same name outside.
  for (const syntax::Block& block : file.content.blocks) {
    if (is_check(block)) add(reader, block);
  }
}

void ModuleBuilder::report_duplicate(BlockReader& block_reader, std::string_view what,
                                     diag::SourceRange first, diag::SourceRange at) {
  block_reader.diags.error(fmt::format("Duplicate {}", what))
      .detail(fmt::format("It was already declared at {}. Remove one of the two, or rename it.",
                          block_reader.where(first)))
      .at(at);
}

void ModuleBuilder::add_variable(BlockReader& block_reader, Variable variable) {
  if (Variable* first = module_.variables.find(variable.name)) {
    report_duplicate(block_reader, "variable declaration", first->range, variable.range);
    // The last one counts, as in OpenTofu, but the type of the first may be wrong, too.
    std::swap(*first, variable);
    module_.variables.keep_shadowed(std::move(variable));
    return;
  }
  std::string name = variable.name;
  module_.variables.add(std::move(name), std::move(variable));
}

void ModuleBuilder::add_provider(BlockReader& block_reader, ProviderConfig provider) {
  std::string key = provider.key();
  if (const ProviderConfig* first = module_.provider_configs.find(key)) {
    report_duplicate(block_reader, "provider configuration", first->range, provider.range);
    return;
  }
  module_.provider_configs.add(std::move(key), std::move(provider));
}

void ModuleBuilder::add_resource(BlockReader& block_reader, Resource resource) {
  base::Named<Resource>& all = module_.resources(resource.mode);
  std::string key = key_of(resource);
  if (const Resource* first = all.find(key)) {
    report_duplicate(block_reader, duplicate_resource(resource), first->range, resource.range);
    return;
  }
  all.add(std::move(key), std::move(resource));
}

void ModuleBuilder::add_check(BlockReader& block_reader, ReadCheck read) {
  Resource* data = nullptr;
  if (read.data) {
    std::string key = key_of(*read.data);
    if (const Resource* first = module_.data_resources.find(key)) {
      report_duplicate(block_reader, duplicate_resource(*read.data), first->range,
                       read.data->range);
      return;
    }
    data = module_.data_resources.add(std::move(key), std::move(*read.data));
  }
  if (const Check* first = module_.checks.find(read.check.name)) {
    report_duplicate(block_reader, fmt::format("check \"{}\" configuration", first->name),
                     first->range, read.check.range);
    return;
  }
  read.check.data = data;
  std::string name = read.check.name;
  module_.checks.add(std::move(name), std::move(read.check));
}

void ModuleBuilder::add_import(BlockReader& block_reader, Import import) {
  if (import.resolved_to) {
    // One error for each earlier import of the same target, as OpenTofu has it, but
    // not without end.
    int& before = imported_[import.resolved_to->to_string()];
    for (int i = 0; i < std::min(before, kMaxRepeats); ++i) {
      block_reader.diags
          .error(fmt::format("Duplicate import configuration for \"{}\"",
                             import.resolved_to->to_string()))
          .detail(
              "Another import block already imports to this address. A resource instance can be "
              "imported only once.")
          .at(import.range);
    }
    ++before;
  }
  module_.imports.push_back(std::move(import));
}

void ModuleBuilder::add(BlockReader& block_reader, const syntax::Block& block) {
  const std::string_view type = block.type;
  if (type == "resource") {
    add_resource(block_reader, read_managed(block_reader, block));
  } else if (type == "data") {
    add_resource(block_reader, read_data(block_reader, block, false));
  } else if (type == "ephemeral") {
    add_resource(block_reader, read_ephemeral(block_reader, block));
  } else if (type == "variable") {
    add_variable(block_reader, read_variable(block_reader, block));
  } else if (type == "locals") {
    for (Local& local : read_locals(block_reader, block)) {
      add_named(block_reader, module_.locals, std::move(local), "local value definition");
    }
  } else if (type == "output") {
    add_named(block_reader, module_.outputs, read_output(block_reader, block), "output definition");
  } else if (type == "module") {
    add_named(block_reader, module_.module_calls, read_module_call(block_reader, block),
              "module call");
  } else if (type == "provider") {
    if (auto provider = read_provider(block_reader, block))
      add_provider(block_reader, std::move(*provider));
  } else if (type == "check") {
    add_check(block_reader, read_check(block_reader, block));
  } else if (type == "moved") {
    if (auto moved = read_moved(block_reader, block)) module_.moved.push_back(std::move(*moved));
  } else if (type == "removed") {
    if (auto removed = read_removed(block_reader, block))
      module_.removed.push_back(std::move(*removed));
  } else if (type == "import") {
    add_import(block_reader, read_import(block_reader, block));
  }
}

ParsedFile parse_module_file(const diag::SourceMap& sources, diag::FileId id, ModuleFile name,
                             diag::Diagnostics& diags) {
  auto file = name.syntax == FileSyntax::Json ? syntax::parse_json_file(sources, id, diags)
                                              : syntax::parse_file(sources, id, diags);
  return {std::move(name), std::move(file)};
}

std::unique_ptr<Module> declare_module(ParsedFiles files, diag::SourceMap& sources,
                                       diag::Diagnostics& diags) {
  auto module = std::make_unique<Module>();
  module->directory = std::move(files.directory);
  const std::size_t before = diags.size();
  ModuleBuilder(*module, sources, diags)
      .declare(std::move(files.primary), std::move(files.overrides));
  module->name_blocks(diags.items_from(before));
  for (VersionRequirement& requirement : module->version_requirements) {
    module->name_blocks(requirement.problems);
  }
  return module;
}

}  // namespace tofu::config
