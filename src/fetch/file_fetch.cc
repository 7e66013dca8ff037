#include "fetch/file_fetch.h"

#include <fmt/format.h>

#include "archive/package_links.h"
#include "archive/tree_copy.h"
#include "base/file.h"
#include "fetch/archive_source.h"
#include "fetch/source_query.h"

namespace tofu::fetch {

base::Result<FetchedPackage> fetch_file(const Fetching& fetching, const FetchRequest& request) {
  if (request.untrusted) {
    return base::Error{"a remote package must not refer to local files of this machine"};
  }
  auto url = parse_package_url(request.address);
  if (!url) return url.error();
  const auto archive = take_archive_source(*url);
  if (!archive) return archive.error();
  const std::string path = url->decoded_path();
  const auto kind = base::file_kind(path);
  if (!kind) return kind.error();
  if (*kind == base::FileKind::Missing) return base::Error{"the directory does not exist"};
  if (archive->kind && *kind == base::FileKind::Regular) {
    return unpack_fetched(fetching, request, *archive, *url, path);
  }
  if (*kind != base::FileKind::Directory) {
    return base::Error{"it is neither a directory nor a supported archive"};
  }
  if (!archive->checksum.empty()) return base::Error{"a directory has no checksum"};
  // The directory may be a link itself, though not those in it.
  const auto real = base::real_path(path);
  if (!real) return real.error();
  // Without what was installed there, which may be larger than everything else.
  if (auto copied = archive::copy_tree(*real, request.into, archive::TreeContents::Configuration);
      !copied) {
    return copied.error();
  }
  if (auto checked = archive::check_package(request.into, fetching.limits, fetching.stop);
      !checked) {
    return checked.error();
  }
  return FetchedPackage{};
}

}  // namespace tofu::fetch
