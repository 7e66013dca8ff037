#include "workdir/backend_record.h"

#include <filesystem>
#include <fmt/format.h>
#include <utility>

#include "base/file.h"
#include "base/json_layout.h"
#include "base/json_writer.h"
#include "cli/environment.h"
#include "value/json.h"
#include "workdir/workspace.h"

namespace tofu::workdir {

namespace {

using value::Value;

constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 24;

std::string record_path(const cli::Environment& environment) {
  return data_directory(environment) + "/terraform.tfstate";
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

diag::Checked<Value> BackendRecord::read_settings(const backends::Kind& kind,
                                                  diag::Diagnostics& diags) const {
  auto found = value::parse_json(settings, kind.schema().implied_type());
  if (found) return std::move(*found);
  diags.error("Cannot read the backend record")
      .detail(fmt::format("The settings recorded by \"tofu init\" are not valid for the backend "
                          "{:?}: {}. Run \"tofu init -reconfigure\".",
                          type, value::to_string(found.error())));
  return std::nullopt;
}

diag::Checked<FoundRecord> read_backend_record(const cli::Environment& environment,
                                               diag::Diagnostics& diags) {
  const std::string path = record_path(environment);
  const auto kind = base::file_kind(path);
  if (kind && *kind == base::FileKind::Missing) return FoundRecord{};
  const auto refuse = [&](const std::string& why) -> std::optional<FoundRecord> {
    diags.error("Cannot read the backend record")
        .detail(fmt::format("Reading {} failed: {}. Remove it and run \"tofu init\" again.", path,
                            why));
    return std::nullopt;
  };
  const auto text = base::read_file(path, kMaxBytes);
  if (!text) return refuse(text.error().what);
  if (text->empty()) return FoundRecord{};
  const auto document = value::parse_json(*text);
  if (!document) return refuse(document.error().what);
  return FoundRecord{record_in(*document)};
}

diag::Checked<void> write_backend_record(const std::optional<BackendRecord>& record,
                                         const cli::Environment& environment,
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
  const std::string directory = data_directory(environment);
  std::error_code failed;
  std::filesystem::create_directories(directory, failed);
  const auto written = failed ? base::Result<void>(base::Error{failed.message()})
                              : base::write_private_file(record_path(environment), text + "\n");
  if (written) return true;
  diags.error("Cannot write the backend record")
      .detail(
          fmt::format("Writing {} failed: {}.", record_path(environment), written.error().what));
  return false;
}

}  // namespace tofu::workdir
