// The interface of every fetcher: a request, connections and limits, a package.
//
// Each fetcher (git_fetch, http_fetch, object_fetch and so on) takes `Fetching` and a
// `FetchRequest` and creates `request.into`; fetch.h chooses the fetcher and removes
// what a failed one leaves there.
#pragma once

#include <optional>
#include <stop_token>
#include <string>

#include "archive/limits.h"
#include "base/hostname.h"
#include "net/credentials.h"
#include "net/environment.h"
#include "net/web.h"

namespace tofu::fetch {

struct FetchRequest {
  std::string address;        // git::https://example.com/repo?ref=v1
  std::string into;           // a directory that does not exist yet; its parent does
  std::string revision = {};  // the commit that is locked; empty: what the address says now
  // The address was named by a fetched package: it may not lead to this machine's own files.
  bool untrusted = false;
  // The address is that of an archive at http(s) whose kind shows in its first bytes, and
  // nothing else is looked for there.
  bool direct = false;
  // The host whose token goes with the request for a direct archive.
  std::optional<base::Hostname> token_of = {};
  // The artifactType that the manifest of an OCI artifact must have.
  std::string oci_artifact_type = {};
};

struct FetchedPackage {
  std::string revision = {};      // the commit, if there is such a thing
  std::string archive_hash = {};  // "zh:…" if it came as an archive
};

struct Fetching {
  net::Web& web;
  const net::Credentials& credentials;
  const net::EnvironmentVariable& environment;
  std::stop_token stop;
  const archive::FetchLimits& limits;
};

}  // namespace tofu::fetch
