// Packages stored as objects in S3, in compatible services and in Google Cloud Storage.
//
// An object whose name ends like an archive's is one package; any other name is that
// of a "directory": all objects below it are the files of the package. Their names
// are not trusted, and their number and size are limited.
#pragma once

#include <string>

#include "base/result.h"
#include "fetch/fetching.h"
#include "fetch/source_query.h"

namespace tofu::fetch {

// Both make `request.into`. After a failure the caller removes the remains.
base::Result<FetchedPackage> fetch_s3(const Fetching& fetching, const FetchRequest& request);
base::Result<FetchedPackage> fetch_gcs(const Fetching& fetching, const FetchRequest& request);

// The bucket and object of an S3 address.
struct S3Place {
  std::string endpoint = {};  // https://s3.eu-west-1.amazonaws.com
  std::string region = {};
  std::string bucket = {};
  std::string key = {};
};
// Path and virtual-host styles of Amazon's hosts, path style of all others. Takes the
// argument `region` out of `url`.
base::Result<S3Place> take_s3_place(base::Url& url);

}  // namespace tofu::fetch
