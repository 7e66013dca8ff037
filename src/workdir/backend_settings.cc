#include "workdir/backend_settings.h"

#include <fmt/format.h>
#include <map>
#include <utility>

#include "base/file.h"
#include "base/suggest.h"
#include "cli/environment.h"
#include "cli/version_info.h"
#include "cloud/state_storage.h"
#include "config/static_eval.h"
#include "config/variable_files.h"
#include "diag/source.h"
#include "schema/layout.h"
#include "syntax/body.h"
#include "syntax/eval.h"
#include "syntax/parser.h"
#include "value/convert.h"
#include "value/json.h"
#include "workdir/access.h"
#include "workdir/command_encryption.h"
#include "workdir/lock_owner.h"
#include "workdir/module_clients.h"
#include "workdir/workspace.h"

namespace tofu::workdir {

namespace {

using value::Value;

// Settings by name, as they are put together.
class Assembly {
 public:
  explicit Assembly(const backends::Kind& kind) : kind_(kind), block_(kind.schema()) {}

  diag::Checked<void> set(std::string_view name, const Value& given,
                          std::optional<diag::SourceRange> place, diag::Diagnostics& diags) {
    const schema::Attribute* attribute = block_.attribute(name);
    if (attribute == nullptr) {
      if (const schema::NestedBlock* nested = block_.block(name)) {
        return set_blocks(*nested, given, place, diags);
      }
      diags.error("Unsupported argument")
          .detail(fmt::format("The backend {:?} has no argument {:?}.{}", kind_.name, name,
                              base::did_you_mean(name, argument_names())))
          .at(place);
      return false;
    }
    auto converted = value::convert(given, attribute->type);
    if (!converted) {
      diags.error("Invalid backend argument")
          .detail(
              fmt::format("Invalid value for {:?}: {}.", name, value::to_string(converted.error())))
          .at(place);
      return false;
    }
    values_.insert_or_assign(std::string(name), std::move(*converted));
    return true;
  }

  // A block inside, to be filled and added.
  Assembly inside(const schema::NestedBlock& nested) const { return {kind_, *nested.block}; }
  void add_block(const schema::NestedBlock& nested, const Assembly& inside) {
    blocks_[nested.name].push_back(inside.finish());
  }
  // Whether there can be one more.
  bool has_room_for(const schema::NestedBlock& nested) const {
    const bool is_one = nested.nesting == schema::Nesting::Single || nested.max_items == 1;
    return !is_one || !blocks_.contains(nested.name);
  }

  Value finish() const {
    std::vector<value::Attr> settings;
    for (const schema::Attribute& attribute : block_.attributes) {
      const auto found = values_.find(attribute.name);
      settings.push_back(
          {attribute.name, found == values_.end() ? Value::null(attribute.type) : found->second});
    }
    for (const schema::NestedBlock& nested : block_.blocks) {
      const auto found = blocks_.find(nested.name);
      settings.push_back({nested.name, backends::value_of_blocks(nested, found == blocks_.end()
                                                                             ? std::vector<Value>()
                                                                             : found->second)});
    }
    return Value::object(std::move(settings));
  }

  const backends::Kind& kind() const { return kind_; }
  const schema::Block& block() const { return block_; }

 private:
  Assembly(const backends::Kind& kind, const schema::Block& block) : kind_(kind), block_(block) {}

  // Blocks that are given as an object, or as a list of some.
  bool set_blocks(const schema::NestedBlock& nested, const Value& given,
                  std::optional<diag::SourceRange> place, diag::Diagnostics& diags) {
    if (given.is_null()) return true;
    blocks_.erase(nested.name);
    const bool is_list = given.kind() == value::Kind::Tuple || given.kind() == value::Kind::List ||
                         given.kind() == value::Kind::Set;
    if (!is_list || given.is_unknown()) return add_object(nested, given, place, diags);
    bool ok = true;
    for (const Value& item : given.unmarked().items()) {
      ok = add_object(nested, item, place, diags) && ok;
    }
    return ok;
  }

  bool add_object(const schema::NestedBlock& nested, const Value& given,
                  std::optional<diag::SourceRange> place, diag::Diagnostics& diags) {
    const bool is_object = given.kind() == value::Kind::Object || given.kind() == value::Kind::Map;
    if (!is_object || given.is_null() || given.is_unknown() || !has_room_for(nested)) {
      diags.error("Invalid backend argument")
          .detail(fmt::format("The argument {:?} requires an object.", nested.name))
          .at(place);
      return false;
    }
    Assembly within = inside(nested);
    bool ok = true;
    value::for_each_element(given.unmarked(), [&](const Value& key, const Value& item) {
      ok = within.set(key.unmarked().as_string(), item, place, diags) && ok;
    });
    add_block(nested, within);
    return ok;
  }

  std::vector<std::string_view> argument_names() const {
    std::vector<std::string_view> names;
    for (const schema::Attribute& attribute : block_.attributes) names.push_back(attribute.name);
    for (const schema::NestedBlock& nested : block_.blocks) names.push_back(nested.name);
    return names;
  }

  const backends::Kind& kind_;
  const schema::Block& block_;
  std::map<std::string, Value> values_;
  std::map<std::string, std::vector<Value>> blocks_;
};

std::vector<std::string_view> type_names() {
  std::vector<std::string_view> names = backends::kind_names();
  names.push_back(cloud::kRemoteKind.name);
  return names;
}

const backends::Kind* kind_of(const config::Module& root, diag::Diagnostics& diags) {
  if (root.cloud) return &cloud::kCloudKind;
  const std::string& type = root.backend->type;
  if (type == cloud::kCloudKind.name) {
    diags.error("Unsupported backend type")
        .detail("Use a cloud block instead of a backend block of this type.")
        .at(root.backend->type_range);
    return nullptr;
  }
  if (const backends::Kind* kind = find_backend_kind(type)) return kind;
  diags.error("Unsupported backend type")
      .detail(fmt::format("No backend type is named {:?}.{}", type,
                          base::did_you_mean(type, type_names())))
      .at(root.backend->type_range);
  return nullptr;
}

// What the root module says of its backend.
struct Declared {
  std::string name;  // in messages
  const syntax::Body& body;
  diag::SourceRange range;
  diag::SourceRange type_range;
};

Declared declared_in(const config::Module& root) {
  if (root.cloud) return {"cloud", root.cloud->config, root.cloud->range, root.cloud->range};
  const config::Backend& backend = *root.backend;
  return {"backend." + backend.type, backend.config, backend.range, backend.type_range};
}

bool read_body(const syntax::Body& body, const Declared& declared, const config::TreeNode& root,
               Assembly& assembly, diag::Diagnostics& diags) {
  const std::size_t errors = diags.error_count();
  const syntax::Content content = body.content(schema::body_schema(assembly.block()), diags);
  for (const syntax::Attribute& attribute : content.attributes) {
    const auto v =
        root.statics->evaluate_plain(*attribute.expr, declared.name, declared.range, diags);
    if (v) assembly.set(attribute.name, *v, attribute.expr->range, diags);
  }
  for (const syntax::Block& block : content.blocks) {
    const schema::NestedBlock* nested = assembly.block().block(block.type);
    if (nested == nullptr) continue;  // the schema names none else
    if (!assembly.has_room_for(*nested)) {
      diags.error("Duplicate block")
          .detail(fmt::format("A backend can have only one {:?} block.", block.type))
          .at(block.range);
      continue;
    }
    Assembly inside = assembly.inside(*nested);
    read_body(block.body, declared, root, inside, diags);
    assembly.add_block(*nested, inside);
  }
  return diags.error_count() == errors;
}

// "key=value" as the command line has it. What is not text is written as an expression.
bool read_pair(const std::string& option, std::size_t equals, Assembly& assembly,
               diag::SourceMap& sources, diag::Diagnostics& diags) {
  const std::string name = option.substr(0, equals);
  const std::string text = option.substr(equals + 1);
  const schema::Attribute* attribute = assembly.kind().schema().attribute(name);
  const bool is_primitive = attribute == nullptr || attribute->type == value::Type::string() ||
                            attribute->type == value::Type::number() ||
                            attribute->type == value::Type::boolean();
  if (is_primitive) return assembly.set(name, Value::string(text), std::nullopt, diags);
  const diag::FileId id = sources.add(fmt::format("<value for -backend-config={}>", name), text);
  const std::size_t errors = diags.error_count();
  const auto file = syntax::parse_expression(sources, id, diags);
  if (diags.error_count() != errors) return false;
  const auto v = syntax::evaluate(*file->expr, nullptr, diags);
  return v && assembly.set(name, *v, file->expr->range, diags);
}

bool read_settings_file(const std::string& path, Assembly& assembly, diag::SourceMap& sources,
                        diag::Diagnostics& diags) {
  auto text = base::read_file(path);
  if (!text) {
    diags.error("Cannot read the backend settings file")
        .detail(fmt::format("Reading {}, specified by -backend-config, failed: {}.", path,
                            text.error().what));
    return false;
  }
  const std::size_t errors = diags.error_count();
  const diag::FileId id = sources.add(path, std::move(*text));
  // These files have the form of files of variables.
  const config::VariableFile file = config::read_variable_file(sources, id, diags);
  if (diags.error_count() != errors) return false;
  for (const config::GivenValue& each : file.values) {
    const auto v = syntax::evaluate(*each.expr, nullptr, diags);
    if (v) assembly.set(each.name, *v, each.expr->range, diags);
  }
  return diags.error_count() == errors;
}

bool read_overrides(const std::vector<std::string>& overrides, Assembly& assembly,
                    diag::SourceMap& sources, diag::Diagnostics& diags) {
  bool ok = true;
  for (const std::string& option : overrides) {
    const std::size_t equals = option.find('=');
    ok = (equals == std::string::npos ? read_settings_file(option, assembly, sources, diags)
                                      : read_pair(option, equals, assembly, sources, diags)) &&
         ok;
  }
  return ok;
}

void ask_for_init(const std::string& why, diag::Diagnostics& diags) {
  diags.error("Backend initialization required, please run \"tofu init\"")
      .detail(fmt::format("{}\n\nThe backend stores the state. Run \"tofu init\" to initialize it; "
                          "use -migrate-state to copy existing states, or -reconfigure to ignore "
                          "them. No changes were made.",
                          why));
}

}  // namespace

const backends::Kind* find_backend_kind(std::string_view name) {
  const backends::Kind* kind = cloud::find_kind(name);
  return kind == nullptr ? backends::find_kind(name) : kind;
}

BackendRecord BackendSettings::record() const {
  BackendRecord record{.type = std::string(kind->name), .settings = "{}", .hash = hash};
  if (auto json = value::to_json(settings)) record.settings = std::move(*json);
  return record;
}

diag::Checked<FoundSettings> backend_settings(const Configuration& configuration,
                                              const std::vector<std::string>& overrides,
                                              diag::SourceMap& sources, diag::Diagnostics& diags) {
  const config::TreeNode& root = configuration.tree.root();
  if (!root.module->backend && !root.module->cloud) return FoundSettings{};
  const std::size_t before = diags.size();
  const auto read = [&]() -> std::optional<BackendSettings> {
    const backends::Kind* kind = kind_of(*root.module, diags);
    if (kind == nullptr) return std::nullopt;
    Assembly assembly(*kind);
    const Declared declared = declared_in(*root.module);
    if (!read_body(declared.body, declared, root, assembly, diags)) return std::nullopt;
    BackendSettings found{
        kind, {}, backends::settings_hash(kind->name, assembly.finish()), declared.type_range};
    if (!read_overrides(overrides, assembly, sources, diags)) return std::nullopt;
    found.settings = assembly.finish();
    return found;
  };
  auto settings = read();
  root.module->name_blocks(diags.items_from(before));
  if (!settings) return std::nullopt;
  return FoundSettings{std::move(settings)};
}

diag::Checked<Value> settings_of_object(const backends::Kind& kind, const Value& object,
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

namespace {

backends::BackendContext backend_context(const StateFileOptions& files, StateEncryption encryption,
                                         StateAccess& access) {
  return {
      .state_override = files.state,
      .state_out_override = files.state_out,
      .backup_override = files.backup,
      .version = std::string(cli::kTofuVersion),
      .encryption = encryption.get(),
      .environment = variables_of(access.environment()),
      .web = web_options(access.load.settings),
      .credentials = &access.load.settings.cli_config.credentials,
      .journal_directories = journal_directories(access.environment()),
      .reading = std::make_shared<backends::ReadCancellation>(access.cancellation.token()),
      .note = [&terminal = access.terminal](const std::string& line) { terminal.err.line(line); },
      .new_lock =
          [&environment = access.environment()](std::string operation) {
            return new_lock(std::move(operation), environment);
          },
      .deferred_diagnostics = &access.terminal.deferred_diagnostics};
}

}  // namespace

std::optional<cloud::CloudSettings> service_settings(const backends::Kind& kind,
                                                     const Value& settings,
                                                     const cli::Environment& environment,
                                                     diag::Diagnostics& diags) {
  const auto variables = variables_of(environment);
  if (&kind == &cloud::kCloudKind) return cloud::read_cloud_settings(settings, variables, diags);
  if (&kind == &cloud::kRemoteKind) return cloud::read_remote_settings(settings, variables, diags);
  return std::nullopt;
}

diag::Checked<std::unique_ptr<cloud::Service>> connect_service(cloud::CloudSettings settings,
                                                               StateEncryption encryption,
                                                               StateAccess& access,
                                                               diag::Diagnostics& diags) {
  return cloud::Service::connect(std::move(settings), backend_context({}, encryption, access),
                                 diags);
}

std::unique_ptr<backends::Backend> open_kind(const backends::Kind& kind, const Value& settings,
                                             const StateFileOptions& files,
                                             StateEncryption encryption, StateAccess& access,
                                             diag::Diagnostics& diags) {
  const backends::BackendContext context = backend_context(files, encryption, access);
  if (!kind.check(settings, context.environment, diags)) return nullptr;
  return kind.open(settings, context, diags);
}

diag::Checked<std::unique_ptr<backends::Backend>> open_recorded(
    const std::optional<BackendRecord>& record, const StateFileOptions& files,
    StateEncryption encryption, StateAccess& access, diag::Diagnostics& diags) {
  const backends::Kind* kind = find_backend_kind(record ? record->type : "local");
  if (kind == nullptr) {
    diags.error("Unsupported backend type")
        .detail(fmt::format("This directory was initialized with the backend {:?}, which this "
                            "version does not support.",
                            record->type));
    return nullptr;
  }
  if (!record) {
    return open_kind(*kind, backends::no_settings(*kind), files, encryption, access, diags);
  }
  const auto settings = record->read_settings(*kind, diags);
  return settings ? open_kind(*kind, *settings, files, encryption, access, diags) : nullptr;
}

diag::Checked<FoundRecord> current_backend(const Configuration& configuration,
                                           const cli::Environment& environment,
                                           diag::SourceMap& sources, diag::Diagnostics& diags) {
  const auto found = backend_settings(configuration, {}, sources, diags);
  if (!found) return std::nullopt;
  auto recorded = read_backend_record(environment, diags);
  if (!recorded) return std::nullopt;
  const auto& settings = found->settings;
  const auto& record = recorded->record;
  if (!settings && !record) return recorded;
  if (!settings) {
    ask_for_init(
        fmt::format(
            "This directory was initialized with the backend {:?}, which is no longer configured.",
            record->type),
        diags);
  } else if (!record) {
    ask_for_init(fmt::format("The backend {:?} is not initialized.", settings->kind->name), diags);
  } else if (record->hash == settings->hash || is_unchanged(*settings, *record)) {
    return recorded;
  } else if (record->type != settings->kind->name) {
    ask_for_init(fmt::format("The backend type has changed from {:?} to {:?}.", record->type,
                             settings->kind->name),
                 diags);
  } else {
    ask_for_init("The backend settings have changed.", diags);
  }
  return std::nullopt;
}

}  // namespace tofu::workdir
