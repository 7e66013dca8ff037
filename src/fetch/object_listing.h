// Lists of objects, as S3 and Google Cloud Storage send them, one page at a time.
//
// Only the names and where the next page begins are read. Pages come from the network and are not
// trusted: code that creates files from names checks them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tofu::fetch {

struct ObjectPage {
  std::vector<std::string> names;
  std::string next = {};  // empty if this is the last page
};

// The XML answer to ListObjectsV2, with or without encoding-type=url.
base::Result<ObjectPage> read_s3_page(std::string_view xml);
// The XML answer to the older ListObjects, which OSS and COS have: the next page begins
// behind a name.
base::Result<ObjectPage> read_marked_page(std::string_view xml);

// The JSON answer of Google Cloud Storage to a list of a bucket's objects.
base::Result<ObjectPage> read_gcs_page(std::string_view json);

}  // namespace tofu::fetch
