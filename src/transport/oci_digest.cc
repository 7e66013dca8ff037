#include "transport/oci_digest.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/evp.h>
#include <unistd.h>

namespace tofu::transport {

namespace {

std::string_view name_of(DigestKind kind) {
  switch (kind) {
    case DigestKind::Sha256: return "sha256";
    case DigestKind::Sha512: return "sha512";
  }
  base::broken_promise("a digest is of a known kind");
}

std::size_t digits_of(DigestKind kind) { return kind == DigestKind::Sha256 ? 64 : 128; }

class Hasher {
 public:
  explicit Hasher(DigestKind kind) : context_(::EVP_MD_CTX_new()) {
    const EVP_MD* method = kind == DigestKind::Sha256 ? ::EVP_sha256() : ::EVP_sha512();
    TOFU_CHECK(::EVP_DigestInit_ex(context_, method, nullptr) == 1, "OpenSSL can hash");
  }
  Hasher(const Hasher&) = delete;
  Hasher& operator=(const Hasher&) = delete;
  ~Hasher() { ::EVP_MD_CTX_free(context_); }

  void add(std::string_view bytes) { ::EVP_DigestUpdate(context_, bytes.data(), bytes.size()); }
  std::string finish() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> bytes;
    unsigned size = 0;
    ::EVP_DigestFinal_ex(context_, bytes.data(), &size);
    std::string hex;
    for (unsigned i = 0; i < size; ++i) hex += fmt::format("{:02x}", bytes[i]);
    return hex;
  }

 private:
  EVP_MD_CTX* context_;
};

}  // namespace

base::Result<OciDigest> OciDigest::parse(std::string_view text) {
  for (const DigestKind kind : {DigestKind::Sha256, DigestKind::Sha512}) {
    const std::string_view name = name_of(kind);
    if (!text.starts_with(name) || text.substr(name.size(), 1) != ":") continue;
    const std::string_view hex = text.substr(name.size() + 1);
    if (hex.size() == digits_of(kind) &&
        hex.find_first_not_of("0123456789abcdef") == std::string_view::npos) {
      return OciDigest{kind, std::string(hex)};
    }
  }
  return base::Error{
      fmt::format("{:?} is not a digest, such as sha256: and 64 digits", text.substr(0, 140))};
}

OciDigest OciDigest::of_text(DigestKind kind, std::string_view text) {
  Hasher hasher(kind);
  hasher.add(text);
  return {kind, hasher.finish()};
}

base::Result<OciDigest> OciDigest::of_file(DigestKind kind, const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return base::Error{std::strerror(errno)};
  Hasher hasher(kind);
  std::string buffer(1 << 18, '\0');
  ssize_t count = 0;
  while ((count = ::read(file, buffer.data(), buffer.size())) != 0) {
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) break;
    hasher.add(std::string_view(buffer.data(), static_cast<std::size_t>(count)));
  }
  const int problem = errno;
  ::close(file);
  if (count < 0) return base::Error{std::strerror(problem)};
  return OciDigest{kind, hasher.finish()};
}

std::string OciDigest::to_string() const { return fmt::format("{}:{}", name_of(kind), hex); }

}  // namespace tofu::transport
