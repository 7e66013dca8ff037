#include "fetch/fetch.h"

#include <algorithm>
#include <string>
#include <utility>

#include "archive/tree_copy.h"
#include "base/file.h"
#include "fetch/archive_source.h"
#include "fetch/direct_fetch.h"
#include "fetch/file_fetch.h"
#include "fetch/git_fetch.h"
#include "fetch/hg_fetch.h"
#include "fetch/object_fetch.h"
#include "fetch/oci_fetch.h"
#include "fetch/source_query.h"

namespace tofu::fetch {

namespace {

base::Result<HttpAnswer> as_answer(base::Result<FetchedPackage> package) {
  if (!package) return package.error();
  return HttpAnswer(std::move(*package));
}

using Fetch = base::Result<FetchedPackage> (*)(const Fetching&, const FetchRequest&);

// A repository is the package, unless its address ends with an archive that is in it:
// git::https://example.com/repo/m.zip. Fetches and then unpacks.
base::Result<FetchedPackage> fetch_repository(const Fetching& fetching, const FetchRequest& request,
                                              Fetch fetch) {
  auto url = parse_package_url(request.address);
  if (!url) return url.error();
  const std::string query = url->query;
  const auto archive = take_archive_source(*url);
  if (!archive) return archive.error();
  if (!archive->kind && url->query == query) return fetch(fetching, request);
  if (!archive->kind && !archive->checksum.empty()) {
    return base::Error{"a checksum needs an archive, and this is a repository"};
  }
  FetchRequest whole = request;
  const base::Url file_url = *url;
  const std::size_t slash = archive->kind ? url->path.rfind('/') : std::string::npos;
  if (slash != std::string::npos) url->path.resize(slash);
  whole.address = request.address.substr(0, request.address.find("::") + 2) + url->to_string();
  if (!archive->kind) return fetch(fetching, whole);
  whole.into = request.into + ".repository";
  auto package = fetch(fetching, whole);
  if (package) {
    const std::string path = file_url.decoded_path();
    auto unpacked =
        unpack_fetched(fetching, request, *archive, file_url,
                       whole.into + path.substr(std::min(path.rfind('/'), path.size())));
    if (unpacked) unpacked->revision = package->revision;
    package = std::move(unpacked);
  }
  (void)archive::remove_tree(whole.into);
  return package;
}

base::Result<HttpAnswer> fetch_by_method(const Fetching& fetching, const FetchRequest& request) {
  if (request.direct) return as_answer(fetch_direct(fetching, request));
  const std::string method = fetch_method(request.address);
  if (method == "git") return as_answer(fetch_repository(fetching, request, &fetch_git));
  if (method == "hg") return as_answer(fetch_repository(fetching, request, &fetch_hg));
  if (method == "http" || method == "https") return fetch_http(fetching, request);
  if (method == "file") return as_answer(fetch_file(fetching, request));
  if (method == "oci") return as_answer(fetch_oci(fetching, request));
  if (method == "s3") return as_answer(fetch_s3(fetching, request));
  if (method == "gcs") return as_answer(fetch_gcs(fetching, request));
  return base::Error{"packages of this kind cannot be fetched"};
}

}  // namespace

base::Result<HttpAnswer> fetch_package(const Fetching& fetching, const FetchRequest& request) {
  const auto there = base::file_kind(request.into);
  if (!there || *there != base::FileKind::Missing) {
    return base::Error{"the directory for the package already exists"};
  }
  auto answer = fetch_by_method(fetching, request);
  if (!answer) (void)archive::remove_tree(request.into);
  return answer;
}

}  // namespace tofu::fetch
