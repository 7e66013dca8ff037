#include "fetch/direct_fetch.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <utility>

#include "archive/temporary_file.h"
#include "archive/tree_hash.h"

namespace tofu::fetch {

base::Result<std::optional<archive::ArchiveKind>> archive_kind_of_bytes(const std::string& file) {
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return base::Error{std::strerror(errno)};
  std::array<char, 6> bytes{};
  ssize_t count = 0;
  do {
    count = ::read(descriptor, bytes.data(), bytes.size());
  } while (count < 0 && errno == EINTR);
  ::close(descriptor);
  const std::string_view start(bytes.data(), count < 0 ? 0 : static_cast<std::size_t>(count));
  // An empty zip begins with its end.
  if (start.starts_with("PK\3\4") || start.starts_with("PK\5\6")) {
    return std::optional(archive::ArchiveKind::Zip);
  }
  if (start.starts_with("\x1F\x8B")) return std::optional(archive::ArchiveKind::TarGzip);
  if (start == std::string_view("\xFD\067zXZ\0", 6))
    return std::optional(archive::ArchiveKind::TarXz);
  if (start.starts_with("BZ")) return std::optional(archive::ArchiveKind::TarBzip2);
  return std::optional<archive::ArchiveKind>();
}

base::Result<FetchedPackage> fetch_direct(const Fetching& fetching, const FetchRequest& request) {
  net::WebRequest asked{.url = request.address,
                        .headers = {{"Accept", "application/zip, application/x-tar, */*;q=0.1"}},
                        .limit = fetching.limits.download_bytes};
  if (request.token_of) {
    const auto token = fetching.credentials.token(*request.token_of);
    const auto url = net::parse_web_url(request.address);
    if (!url) return url.error();
    // The registry says that its package wants its token.
    if (token) {
      asked.private_headers = {
          {"Authorization", net::bearer_token(token->rescoped_to(net::Origin(*url)))}};
    }
  }
  const archive::TemporaryFile archive(request.into + ".archive");
  const auto reply = fetching.web.download(asked, archive.path());
  if (!reply) return reply.error();
  if (reply->status < 200 || reply->status >= 300) {
    return base::Error{
        fmt::format("the registry's server responded with status {}", reply->status)};
  }
  const auto kind = archive_kind_of_bytes(archive.path());
  if (!kind) return kind.error();
  if (!*kind) {
    return base::Error{
        "the package is neither a zip archive nor a tar archive compressed with gzip, xz or bzip2"};
  }
  auto hash = archive::hash_archive(archive.path());
  if (!hash) return std::move(hash).error();
  const auto unpacked =
      archive::unpack_archive(archive.path(), **kind, request.into, fetching.limits, fetching.stop);
  if (!unpacked) return unpacked.error();
  return FetchedPackage{.archive_hash = std::move(*hash)};
}

}  // namespace tofu::fetch
