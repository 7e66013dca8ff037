#include "providers/schema_cache.h"

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fmt/format.h>
#include <sys/stat.h>
#include <utility>

#include "base/ascii.h"
#include "base/file.h"
#include "base/mapped_file.h"

namespace tofu::providers {

namespace {

// The head of a file. Numbers are this machine's: a cache does not travel.
struct Head {
  std::array<char, 8> magic;
  std::uint64_t protocol;
  std::uint64_t schema;  // bytes
  std::uint64_t identities;
};

constexpr std::array<char, 8> kMagic = {'t', 'f', 's', 'c', 'h', 'e', 'm', '1'};

}  // namespace

std::string SchemaCache::path_of(const std::string& key) const {
  std::string name;
  for (const char c : key) {
    const bool is_plain = base::is_ascii_digit(c) || base::is_ascii_lower(c) || c == '.';
    name += is_plain ? std::string(1, c) : fmt::format("_{:02x}", static_cast<unsigned char>(c));
  }
  return directory_ + "/" + name;
}

std::optional<SchemaBytes> SchemaCache::find(const std::string& key) const {
  if (directory_.empty() || key.empty()) return std::nullopt;
  const auto file = base::MappedFile::open(path_of(key));
  if (!file) return std::nullopt;
  const std::string_view content = (*file)->content();
  Head head{};
  if (content.size() < sizeof head) return std::nullopt;
  std::memcpy(&head, content.data(), sizeof head);
  const std::size_t rest = content.size() - sizeof head;
  if (head.magic != kMagic || head.schema > rest || head.identities != rest - head.schema ||
      (head.protocol != 5 && head.protocol != 6)) {
    return std::nullopt;
  }
  return SchemaBytes{static_cast<int>(head.protocol), content.substr(sizeof head, head.schema),
                     content.substr(sizeof head + head.schema), *file};
}

void SchemaCache::keep(const std::string& key, const SchemaBytes& schema) const {
  if (directory_.empty() || key.empty()) return;
  if (::mkdir(directory_.c_str(), 0777) != 0 && errno != EEXIST) return;
  const Head head{kMagic, static_cast<std::uint64_t>(schema.protocol), schema.schema.size(),
                  schema.identities.size()};
  std::string content(sizeof head, '\0');
  std::memcpy(content.data(), &head, sizeof head);
  content += schema.schema;
  content += schema.identities;
  (void)base::write_file(path_of(key), content, 0644, base::Sync::No).ok();
}

}  // namespace tofu::providers
