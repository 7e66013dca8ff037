#include "providers/schema_cache.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <fmt/format.h>
#include <memory>
#include <openssl/evp.h>
#include <string_view>
#include <sys/stat.h>
#include <utility>

#include "base/ascii.h"
#include "base/check.h"
#include "base/file.h"
#include "base/file_replacement.h"
#include "base/mapped_file.h"

namespace tofu::providers {

namespace {

// The head of a file. Numbers are this machine's: a cache does not travel.
struct Head {
  std::array<char, 8> magic;
  std::uint64_t protocol;
  std::uint64_t schema;  // bytes
  std::uint64_t identities;
  std::array<unsigned char, 32> checksum;  // SHA-256, see checksum_of()
};

constexpr std::array<char, 8> kMagic = {'t', 'f', 's', 'c', 'h', 'e', 'm', '2'};

// Over everything else in the file, and the key: a file under another name does not fit either.
std::array<unsigned char, 32> checksum_of(Head head, const std::string& key,
                                          std::string_view schema, std::string_view identities) {
  head.checksum = {};
  const std::uint64_t key_size = key.size();
  const std::unique_ptr<EVP_MD_CTX, decltype(&::EVP_MD_CTX_free)> context(::EVP_MD_CTX_new(),
                                                                          &::EVP_MD_CTX_free);
  static const EVP_MD* const algorithm = ::EVP_MD_fetch(nullptr, "SHA256", nullptr);
  bool is_good = context && algorithm != nullptr &&
                 ::EVP_DigestInit_ex2(context.get(), algorithm, nullptr) == 1 &&
                 ::EVP_DigestUpdate(context.get(), &head, sizeof head) == 1 &&
                 ::EVP_DigestUpdate(context.get(), &key_size, sizeof key_size) == 1;
  for (const std::string_view part : {std::string_view(key), schema, identities}) {
    is_good = is_good && ::EVP_DigestUpdate(context.get(), part.data(), part.size()) == 1;
  }
  std::array<unsigned char, 32> made{};
  is_good = is_good && ::EVP_DigestFinal_ex(context.get(), made.data(), nullptr) == 1;
  TOFU_CHECK(is_good, "the cryptography library has SHA-256");
  return made;
}

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
  const std::string_view schema = content.substr(sizeof head, head.schema);
  const std::string_view identities = content.substr(sizeof head + head.schema);
  // A byte that is not what it was could be the one that says "sensitive".
  if (checksum_of(head, key, schema, identities) != head.checksum) return std::nullopt;
  return SchemaBytes{static_cast<int>(head.protocol), schema, identities, *file};
}

void SchemaCache::keep(const std::string& key, const SchemaBytes& schema) const {
  if (directory_.empty() || key.empty()) return;
  if (::mkdir(directory_.c_str(), 0777) != 0 && errno != EEXIST) return;
  Head head{kMagic,
            static_cast<std::uint64_t>(schema.protocol),
            schema.schema.size(),
            schema.identities.size(),
            {}};
  head.checksum = checksum_of(head, key, schema.schema, schema.identities);
  std::string content(sizeof head, '\0');
  std::memcpy(content.data(), &head, sizeof head);
  content += schema.schema;
  content += schema.identities;
  const std::string path = path_of(key);
  base::remove_abandoned_replacements(path, std::chrono::hours(1));
  (void)base::write_file(path, content, 0644, base::Sync::No).ok();
}

}  // namespace tofu::providers
