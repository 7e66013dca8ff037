#include "config/declare.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "base/check.h"
#include "config/declaring.h"

namespace tofu::config {

namespace {

const syntax::BodySchema& file_schema() {
  static const syntax::BodySchema kSchema = schema_of({}, {{"language", {}},
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

std::string noun_of(addrs::ResourceMode mode) {
  switch (mode) {
    case addrs::ResourceMode::Managed: return "Resource";
    case addrs::ResourceMode::Data: return "Data source";
    case addrs::ResourceMode::Ephemeral: return "Ephemeral resource";
  }
  base::broken_promise("resource mode out of range");
}

}  // namespace

Declaring::Open Declaring::open(ParsedFile parsed, bool is_override) {
  Open file;
  file.is_override = is_override;
  file.is_tofu_file = is_tofu_file(parsed.name.name);
  const syntax::Body body = module_.keep(std::move(parsed.file)).body();
  Reading reader = reading(file);
  gather_versions(reader, body);
  file.content = body.content(file_schema(), diags_);
  return file;
}

Reading Declaring::reading(const Open& file) {
  return {sources_, module_,          module_.scratch(), module_,
          diags_,   file.is_override, file.is_tofu_file};
}

void Declaring::declare(std::vector<ParsedFile> primary, std::vector<ParsedFile> overrides) {
  std::vector<Open> files;
  files.reserve(primary.size() + overrides.size());
  for (ParsedFile& parsed : primary) files.push_back(open(std::move(parsed), false));
  for (ParsedFile& parsed : overrides) files.push_back(open(std::move(parsed), true));
  for (const Open& file : files) read_settings(file);
  finish_settings();
  for (const Open& file : files) read_objects(file);
}

void Declaring::read_objects(const Open& file) {
  Reading reader = reading(file);
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

void Declaring::report_duplicate(Reading& reading, std::string_view what, diag::SourceRange first,
                                 diag::SourceRange at) {
  reading.diags.error(fmt::format("{} declared twice", what))
      .detail(
          fmt::format("It was already declared at {}. Remove one of the two, or give it another "
                      "name.",
                      reading.where(first)))
      .at(at);
}

void Declaring::add_variable(Reading& reading, Variable variable) {
  if (Variable* first = module_.variables.find(variable.name)) {
    report_duplicate(reading, fmt::format("Variable \"{}\"", variable.name), first->range,
                     variable.range);
    // The last one counts, as in OpenTofu, but the type of the first may be wrong, too.
    std::swap(*first, variable);
    module_.variables.keep_unfound(std::move(variable));
    return;
  }
  std::string name = variable.name;
  module_.variables.add(std::move(name), std::move(variable));
}

void Declaring::add_provider(Reading& reading, ProviderConfig provider) {
  std::string key = provider.key();
  if (const ProviderConfig* first = module_.provider_configs.find(key)) {
    report_duplicate(reading, fmt::format("Configuration {} of a provider", key), first->range,
                     provider.range);
    return;
  }
  module_.provider_configs.add(std::move(key), std::move(provider));
}

void Declaring::add_resource(Reading& reading, Resource resource) {
  Named<Resource>& all = module_.resources(resource.mode);
  std::string key = key_of(resource);
  if (const Resource* first = all.find(key)) {
    report_duplicate(reading, fmt::format("{} {}", noun_of(resource.mode), key), first->range,
                     resource.range);
    return;
  }
  all.add(std::move(key), std::move(resource));
}

void Declaring::add_check(Reading& reading, ReadCheck read) {
  Resource* data = nullptr;
  if (read.data) {
    std::string key = key_of(*read.data);
    if (const Resource* first = module_.data_resources.find(key)) {
      report_duplicate(reading, fmt::format("Data source {}", key), first->range, read.data->range);
      return;
    }
    data = module_.data_resources.add(std::move(key), std::move(*read.data));
  }
  if (const Check* first = module_.checks.find(read.check.name)) {
    report_duplicate(reading, fmt::format("Check \"{}\"", first->name), first->range,
                     read.check.range);
    return;
  }
  read.check.data = data;
  std::string name = read.check.name;
  module_.checks.add(std::move(name), std::move(read.check));
}

void Declaring::add_import(Reading& reading, Import import) {
  if (import.resolved_to) {
    // One error for each earlier import of the same target, as OpenTofu has it, but
    // not without end.
    int& before = imported_[import.resolved_to->to_string()];
    for (int i = 0; i < std::min(before, kMostRepeats); ++i) {
      reading.diags.error(fmt::format("{} imported twice", import.resolved_to->to_string()))
          .detail(
              "Another import block has the same target. A resource instance can be imported "
              "once.")
          .at(import.range);
    }
    ++before;
  }
  module_.imports.push_back(std::move(import));
}

void Declaring::add(Reading& reading, const syntax::Block& block) {
  const std::string_view type = block.type;
  if (type == "resource") {
    add_resource(reading, read_managed(reading, block));
  } else if (type == "data") {
    add_resource(reading, read_data(reading, block, false));
  } else if (type == "ephemeral") {
    add_resource(reading, read_ephemeral(reading, block));
  } else if (type == "variable") {
    add_variable(reading, read_variable(reading, block));
  } else if (type == "locals") {
    for (Local& local : read_locals(reading, block)) {
      add_named(reading, module_.locals, std::move(local), "Local value");
    }
  } else if (type == "output") {
    add_named(reading, module_.outputs, read_output(reading, block), "Output");
  } else if (type == "module") {
    add_named(reading, module_.module_calls, read_module_call(reading, block), "Module call");
  } else if (type == "provider") {
    if (auto provider = read_provider(reading, block)) add_provider(reading, std::move(*provider));
  } else if (type == "check") {
    add_check(reading, read_check(reading, block));
  } else if (type == "moved") {
    if (auto moved = read_moved(reading, block)) module_.moved.push_back(std::move(*moved));
  } else if (type == "removed") {
    if (auto removed = read_removed(reading, block)) module_.removed.push_back(std::move(*removed));
  } else if (type == "import") {
    add_import(reading, read_import(reading, block));
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
  Declaring(*module, sources, diags).declare(std::move(files.primary), std::move(files.overrides));
  module->name_blocks(diags.items_from(before));
  for (VersionRequirement& requirement : module->version_requirements) {
    module->name_blocks(requirement.problems);
  }
  return module;
}

}  // namespace tofu::config
