#include "backends/lock_info.h"

#include <fmt/format.h>

#include "base/json_layout.h"
#include "base/json_writer.h"
#include "state/json_fields.h"

namespace tofu::backends {

std::string lock_info_json(const LockInfo& info) {
  std::string json;
  base::JsonWriter writer(json);
  writer.begin_object();
  writer.field("ID", info.id);
  writer.field("Operation", info.operation);
  writer.field("Info", info.info);
  writer.field("Who", info.who);
  writer.field("Version", info.version);
  writer.field("Created", info.created);
  writer.field("Path", info.path);
  writer.end_object();
  return json;
}

std::optional<LockInfo> parse_lock_info(std::string_view json) {
  std::string compact;
  if (!base::append_compact_json(compact, json)) return std::nullopt;
  LockInfo info;
  state::JsonFields fields(compact);
  fields.members("lock", [&](std::string_view name) {
    for (const auto& [field, text] :
         {std::pair("ID", &info.id), std::pair("Operation", &info.operation),
          std::pair("Info", &info.info), std::pair("Who", &info.who),
          std::pair("Version", &info.version), std::pair("Created", &info.created),
          std::pair("Path", &info.path)}) {
      if (state::is_field(name, field)) return fields.text(field, *text);
    }
    fields.skip();
  });
  if (!fields.fault().empty()) return std::nullopt;
  return info;
}

std::string describe(const LockInfo& info) {
  return fmt::format(
      "  ID:        {}\n  Path:      {}\n  Operation: {}\n  Who:       {}\n  Version:   {}\n"
      "  Created:   {}\n  Info:      {}",
      info.id, info.path, info.operation, info.who, info.version, info.created, info.info);
}

}  // namespace tofu::backends
