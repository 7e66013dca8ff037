#include "install/mirror_index.h"

#include <fmt/format.h>

#include "base/file.h"
#include "base/json_writer.h"

namespace tofu::install {

namespace {

constexpr std::string_view kIndent = "  ";

std::string versions_text(const MirrorIndex& index) {
  std::string text;
  base::JsonWriter json(text, kIndent);
  json.begin_object();
  json.key("versions");
  json.begin_object();
  for (const auto& [version, archives] : index) {
    json.key(version);
    json.begin_object();
    json.end_object();
  }
  json.end_object();
  json.end_object();
  return text;
}

std::string archives_text(const std::map<std::string, IndexedArchive>& archives) {
  std::string text;
  base::JsonWriter json(text, kIndent);
  json.begin_object();
  json.key("archives");
  json.begin_object();
  for (const auto& [platform, archive] : archives) {
    json.key(platform);
    json.begin_object();
    json.key("hashes");
    json.begin_array();
    for (const std::string& hash : archive.hashes) json.string(hash);
    json.end_array();
    json.field("url", archive.filename);
    json.end_object();
  }
  json.end_object();
  json.end_object();
  return text;
}

}  // namespace

base::Result<void> write_mirror_index(const std::string& directory, const MirrorIndex& index) {
  for (const auto& [version, archives] : index) {
    const auto written =
        base::write_file(fmt::format("{}/{}.json", directory, version), archives_text(archives));
    if (!written) return written;
  }
  // Last, so that a version that is listed can be looked up.
  return base::write_file(directory + "/index.json", versions_text(index));
}

}  // namespace tofu::install
