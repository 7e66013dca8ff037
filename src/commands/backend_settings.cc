#include "commands/backend_settings.h"

#include <fmt/format.h>
#include <map>
#include <utility>

#include "base/file.h"
#include "commands/command_encryption.h"
#include "commands/lock_owner.h"
#include "commands/package_doors.h"
#include "commands/version_info.h"
#include "commands/workspace.h"
#include "config/static_eval.h"
#include "config/variable_files.h"
#include "schema/layout.h"
#include "syntax/body.h"
#include "syntax/eval.h"
#include "syntax/parser.h"
#include "value/convert.h"
#include "value/json.h"

namespace tofu::commands {

namespace {

using value::Value;

// Blocks inside a backend block are lists and sets of objects, to the backend.
value::Type type_of(const schema::NestedBlock& block) {
  const value::Type element = block.block->implied_type();
  return block.nesting == schema::Nesting::Set ? value::Type::set(element)
                                               : value::Type::list(element);
}

// Objects, in a list or alone, with null for each attribute that is not set; and any other
// value as it is.
Value whole(const Value& given, const schema::Block& block) {
  if (given.is_null() || given.is_unknown()) return given;
  if (given.kind() == value::Kind::Object) {
    std::vector<value::Attr> attributes;
    for (const schema::Attribute& attribute : block.attributes) {
      const Value* found = given.unmarked().find(attribute.name);
      attributes.push_back(
          {attribute.name, found == nullptr ? Value::null(attribute.type) : *found});
    }
    return Value::tuple({Value::object(std::move(attributes))});
  }
  const bool is_list = given.kind() == value::Kind::Tuple || given.kind() == value::Kind::List ||
                       given.kind() == value::Kind::Set;
  if (!is_list) return given;
  std::vector<Value> items;
  for (const Value& item : given.unmarked().items()) {
    const Value made = whole(item, block);
    items.push_back(item.kind() == value::Kind::Object ? made.unmarked().items()[0] : item);
  }
  return Value::tuple(std::move(items));
}

// Settings by name, as they are put together.
class Assembly {
 public:
  explicit Assembly(const backends::Kind& kind) : kind_(kind) {}

  // False if and only if an error was added.
  bool set(std::string_view name, const Value& given, std::optional<diag::SourceRange> place,
           diag::Diagnostics& diags) {
    const schema::Attribute* attribute = kind_.schema().attribute(name);
    const schema::NestedBlock* block = kind_.schema().block(name);
    if (attribute == nullptr && block == nullptr) {
      diags.error("Unsupported backend setting")
          .detail(fmt::format("The backend {:?} has no setting {:?}.", kind_.name, name))
          .at(place);
      return false;
    }
    auto converted = attribute != nullptr
                         ? value::convert(given, attribute->type)
                         : value::convert(whole(given, *block->block), type_of(*block));
    if (!converted) {
      diags.error("Invalid backend setting")
          .detail(fmt::format("This value does not fit the setting {:?}: {}.", name,
                              value::to_string(converted.error())))
          .at(place);
      return false;
    }
    values_.insert_or_assign(std::string(name), std::move(*converted));
    return true;
  }

  Value finish() const {
    const Value none = backends::no_settings(kind_);
    std::vector<value::Attr> settings;
    value::for_each_element(none.unmarked(), [&](const Value& key, const Value& unset) {
      const std::string name(key.unmarked().as_string());
      const auto found = values_.find(name);
      settings.push_back({name, found == values_.end() ? unset : found->second});
    });
    return Value::object(std::move(settings));
  }

  const backends::Kind& kind() const { return kind_; }
  bool has(std::string_view name) const { return values_.find(name) != values_.end(); }

 private:
  const backends::Kind& kind_;
  std::map<std::string, Value, std::less<>> values_;
};

const backends::Kind* kind_of(const config::Module& root, diag::Diagnostics& diags) {
  if (root.cloud) {
    diags.error("Backend is not available")
        .detail("Cloud backends cannot be used by this version.")
        .at(root.cloud->range);
    return nullptr;
  }
  const std::string& type = root.backend->type;
  if (const backends::Kind* kind = backends::find_kind(type)) return kind;
  if (backends::is_kind_elsewhere(type)) {
    diags.error("Backend is not available")
        .detail(fmt::format("The backend {:?} cannot be used by this version. To continue without "
                            "it, run \"tofu init -backend=false\".",
                            type))
        .at(root.backend->type_range);
  } else {
    diags.error("Invalid backend type")
        .detail(fmt::format("There is no backend {:?}.", type))
        .at(root.backend->type_range);
  }
  return nullptr;
}

// A block inside the backend block, which may be there once.
void read_nested_block(const config::TreeNode& root, const syntax::Block& block,
                       const std::string& name, Assembly& assembly, diag::Diagnostics& diags) {
  const schema::NestedBlock& nested = *assembly.kind().schema().block(block.type);
  if (assembly.has(block.type) && nested.max_items == 1) {
    diags.error("Duplicate block")
        .detail(fmt::format("A backend has one block {:?} at most.", block.type))
        .at(block.range);
    return;
  }
  const syntax::Content content = block.body.content(schema::body_schema(*nested.block), diags);
  std::vector<value::Attr> attributes;
  for (const syntax::Attribute& attribute : content.attributes) {
    const auto v = root.statics->evaluate_plain(*attribute.expr, name, block.range, diags);
    if (v) attributes.push_back({std::string(attribute.name), *v});
  }
  assembly.set(block.type, Value::object(std::move(attributes)), block.range, diags);
}

bool read_block(const config::TreeNode& root, Assembly& assembly, diag::Diagnostics& diags) {
  const std::size_t errors = diags.error_count();
  const config::Backend& backend = *root.module->backend;
  const std::string name = "backend." + backend.type;
  const syntax::Content content =
      backend.config.content(schema::body_schema(assembly.kind().schema()), diags);
  for (const syntax::Attribute& attribute : content.attributes) {
    const auto v = root.statics->evaluate_plain(*attribute.expr, name, backend.range, diags);
    if (v) assembly.set(attribute.name, *v, attribute.expr->range, diags);
  }
  for (const syntax::Block& block : content.blocks) {
    read_nested_block(root, block, name, assembly, diags);
  }
  return diags.error_count() == errors;
}

// "key=value" as the command line has it. What is not text is written as an expression.
bool read_pair(const std::string& option, std::size_t equals, Assembly& assembly, World& world,
               diag::Diagnostics& diags) {
  const std::string name = option.substr(0, equals);
  const std::string text = option.substr(equals + 1);
  const schema::Attribute* attribute = assembly.kind().schema().attribute(name);
  const bool is_primitive = attribute == nullptr || attribute->type == value::Type::string() ||
                            attribute->type == value::Type::number() ||
                            attribute->type == value::Type::boolean();
  if (is_primitive) return assembly.set(name, Value::string(text), std::nullopt, diags);
  const diag::FileId id =
      world.sources.add(fmt::format("<value for -backend-config={}>", name), text);
  const std::size_t errors = diags.error_count();
  const auto file = syntax::parse_expression(world.sources, id, diags);
  if (diags.error_count() != errors) return false;
  const auto v = syntax::evaluate(*file->expr, nullptr, diags);
  return v && assembly.set(name, *v, file->expr->range, diags);
}

bool read_settings_file(const std::string& path, Assembly& assembly, World& world,
                        diag::Diagnostics& diags) {
  auto text = base::read_file(path);
  if (!text) {
    diags.error("Cannot read backend settings")
        .detail(fmt::format("Reading {}, which -backend-config names, failed: {}.", path,
                            text.error().what));
    return false;
  }
  const std::size_t errors = diags.error_count();
  const diag::FileId id = world.sources.add(path, std::move(*text));
  // These files have the form of files of variables.
  const config::VariableFile file = config::read_variable_file(world.sources, id, diags);
  if (diags.error_count() != errors) return false;
  for (const config::GivenValue& each : file.values) {
    const auto v = syntax::evaluate(*each.expr, nullptr, diags);
    if (v) assembly.set(each.name, *v, each.expr->range, diags);
  }
  return diags.error_count() == errors;
}

bool read_overrides(const std::vector<std::string>& overrides, Assembly& assembly, World& world,
                    diag::Diagnostics& diags) {
  bool ok = true;
  for (const std::string& option : overrides) {
    const std::size_t equals = option.find('=');
    ok = (equals == std::string::npos ? read_settings_file(option, assembly, world, diags)
                                      : read_pair(option, equals, assembly, world, diags)) &&
         ok;
  }
  return ok;
}

void ask_for_init(const std::string& why, diag::Diagnostics& diags) {
  diags.error("Backend initialization required: please run \"tofu init\"")
      .detail(
          fmt::format("{}\n\nThe backend is where the state is stored. \"tofu init\" sets it up "
                      "and moves a state that exists; -migrate-state and -reconfigure say "
                      "whether to do that. Nothing was changed so far.",
                      why));
}

}  // namespace

BackendRecord BackendSettings::record() const {
  BackendRecord record{.type = std::string(kind->name), .settings = "{}", .hash = hash};
  if (auto json = value::to_json(settings)) record.settings = std::move(*json);
  return record;
}

std::optional<FoundSettings> backend_settings(const Configuration& configuration,
                                              const std::vector<std::string>& overrides,
                                              World& world, diag::Diagnostics& diags) {
  const config::TreeNode& root = configuration.tree.root();
  if (!root.module->backend && !root.module->cloud) return FoundSettings{};
  const std::size_t before = diags.size();
  const auto read = [&]() -> std::optional<BackendSettings> {
    const backends::Kind* kind = kind_of(*root.module, diags);
    if (kind == nullptr) return std::nullopt;
    Assembly assembly(*kind);
    if (!read_block(root, assembly, diags)) return std::nullopt;
    BackendSettings found{kind,
                          {},
                          backends::settings_hash(kind->name, assembly.finish()),
                          root.module->backend->type_range};
    if (!read_overrides(overrides, assembly, world, diags)) return std::nullopt;
    found.settings = assembly.finish();
    return found;
  };
  auto settings = read();
  root.module->name_blocks(diags.items_from(before));
  if (!settings) return std::nullopt;
  return FoundSettings{std::move(settings)};
}

std::optional<Value> settings_of_object(const backends::Kind& kind, const Value& object,
                                        diag::Diagnostics& diags) {
  Assembly assembly(kind);
  bool ok = true;
  if (!object.is_null()) {
    value::for_each_element(object.unmarked(), [&](const Value& key, const Value& item) {
      ok = assembly.set(key.unmarked().as_string(), item, std::nullopt, diags) && ok;
    });
  }
  if (!ok) return std::nullopt;
  return assembly.finish();
}

bool is_unchanged(const BackendSettings& settings, const BackendRecord& record) {
  if (record.type != settings.kind->name) return false;
  diag::Diagnostics ignored;  // a record that cannot be read is not what the block says
  const auto recorded = record.read_settings(*settings.kind, ignored);
  return recorded && value::raw_equal(*recorded, settings.settings);
}

std::unique_ptr<backends::Backend> open_kind(const backends::Kind& kind, const Value& settings,
                                             const StateFileOptions& files,
                                             const state::Encryption& encryption, World& world,
                                             diag::Diagnostics& diags) {
  const backends::Surroundings around{
      .state_override = files.state,
      .state_out_override = files.state_out,
      .backup_override = files.backup,
      .version = std::string(kTofuVersion),
      .encryption = encryption,
      .environment = variables_of(world),
      .web = web_options(world),
      .journal_directory = data_directory(world.environment) + "/journal",
      .new_lock = [&world](std::string operation) { return new_lock(std::move(operation), world); },
      .afterwards = &world.afterwards};
  if (!kind.check(settings, around.environment, diags)) return nullptr;
  return kind.open(settings, around, diags);
}

std::unique_ptr<backends::Backend> open_recorded(const std::optional<BackendRecord>& record,
                                                 const StateFileOptions& files, World& world,
                                                 diag::Diagnostics& diags) {
  const backends::Kind* kind = backends::find_kind(record ? record->type : "local");
  if (kind == nullptr) {
    diags.error("Backend is not available")
        .detail(fmt::format("This directory was initialized with the backend {:?}, which this "
                            "version does not have.",
                            record->type));
    return nullptr;
  }
  const state::Encryption& encryption = encryptions(world).state();
  if (!record) {
    return open_kind(*kind, backends::no_settings(*kind), files, encryption, world, diags);
  }
  const auto settings = record->read_settings(*kind, diags);
  return settings ? open_kind(*kind, *settings, files, encryption, world, diags) : nullptr;
}

std::optional<FoundRecord> current_backend(const Configuration& configuration, World& world,
                                           diag::Diagnostics& diags) {
  const auto found = backend_settings(configuration, {}, world, diags);
  if (!found) return std::nullopt;
  auto recorded = read_backend_record(world, diags);
  if (!recorded) return std::nullopt;
  const auto& settings = found->settings;
  const auto& record = recorded->record;
  if (!settings && !record) return recorded;
  if (!settings) {
    ask_for_init(fmt::format("The configuration no longer has the backend {:?}, with which this "
                             "directory was initialized.",
                             record->type),
                 diags);
  } else if (!record) {
    ask_for_init(fmt::format("The backend {:?} was not set up yet.", settings->kind->name), diags);
  } else if (record->hash == settings->hash || is_unchanged(*settings, *record)) {
    return recorded;
  } else if (record->type != settings->kind->name) {
    ask_for_init(fmt::format("The backend was changed from {:?} to {:?}.", record->type,
                             settings->kind->name),
                 diags);
  } else {
    ask_for_init("The settings of the backend were changed.", diags);
  }
  return std::nullopt;
}

}  // namespace tofu::commands
