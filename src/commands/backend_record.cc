#include "commands/backend_record.h"

#include <filesystem>
#include <fmt/format.h>
#include <utility>

#include "base/file.h"
#include "base/json_layout.h"
#include "base/json_writer.h"
#include "commands/workspace.h"
#include "value/json.h"

namespace tofu::commands {

namespace {

using value::Value;

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 24;

std::string record_path(const World& world) {
  return data_directory(world.environment) + "/terraform.tfstate";
}

const Value* member(const Value& object, std::string_view name) {
  if (object.is_null() || object.kind() != value::Kind::Object) return nullptr;
  const Value* found = object.unmarked().find(name);
  return found == nullptr || found->is_null() ? nullptr : found;
}

// Nothing if it has no backend.
std::optional<BackendRecord> record_in(const Value& document) {
  const Value* backend = member(document, "backend");
  const Value* type = backend == nullptr ? nullptr : member(*backend, "type");
  if (type == nullptr || type->kind() != value::Kind::String) return std::nullopt;
  BackendRecord record{.type = std::string(type->unmarked().as_string()), .settings = "{}"};
  if (record.type.empty()) return std::nullopt;
  if (const Value* settings = member(*backend, "config")) {
    if (auto json = value::to_json(*settings)) record.settings = std::move(*json);
  }
  const Value* hash = member(*backend, "hash");
  if (hash != nullptr && hash->kind() == value::Kind::Number) {
    const auto number = hash->unmarked().as_number().to_int64();
    if (number && *number >= 0) record.hash = static_cast<std::uint64_t>(*number);
  }
  return record;
}

}  // namespace

std::optional<Value> BackendRecord::read_settings(const backends::Kind& kind,
                                                  diag::Diagnostics& diags) const {
  auto found = value::parse_json(settings, kind.schema().implied_type());
  if (found) return std::move(*found);
  diags.error("The record of the backend cannot be read")
      .detail(fmt::format("The settings that were recorded by \"tofu init\" are not those of the "
                          "backend {:?}: {}. Run \"tofu init -reconfigure\".",
                          type, value::to_string(found.error())));
  return std::nullopt;
}

std::optional<FoundRecord> read_backend_record(const World& world, diag::Diagnostics& diags) {
  const std::string path = record_path(world);
  const auto kind = base::file_kind(path);
  if (kind && *kind == base::FileKind::Missing) return FoundRecord{};
  const auto refuse = [&](const std::string& why) -> std::optional<FoundRecord> {
    diags.error("The record of the backend cannot be read")
        .detail(fmt::format("Reading {} failed: {}. Remove it and run \"tofu init\" again.", path,
                            why));
    return std::nullopt;
  };
  const auto text = base::read_file(path, kMostBytes);
  if (!text) return refuse(text.error().what);
  if (text->empty()) return FoundRecord{};
  const auto document = value::parse_json(*text);
  if (!document) return refuse(document.error().what);
  return FoundRecord{record_in(*document)};
}

bool write_backend_record(const std::optional<BackendRecord>& record, const World& world,
                          diag::Diagnostics& diags) {
  std::string compact;
  base::JsonWriter writer(compact);
  writer.begin_object();
  writer.field("version", 3);
  if (record) {
    writer.key("backend");
    writer.begin_object();
    writer.field("type", record->type);
    writer.key("config");
    writer.raw(record->settings);
    writer.field("hash", record->hash);
    writer.end_object();
  }
  writer.end_object();
  std::string text;
  base::JsonIndenter(text, "    ").append(compact);
  const std::string directory = data_directory(world.environment);
  std::error_code failed;
  std::filesystem::create_directories(directory, failed);
  const auto written = failed ? base::Result<void>(base::Error{failed.message()})
                              : base::write_private_file(record_path(world), text + "\n");
  if (written) return true;
  diags.error("Cannot record the backend")
      .detail(fmt::format("Writing {} failed: {}.", record_path(world), written.error().what));
  return false;
}

}  // namespace tofu::commands
