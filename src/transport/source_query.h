// The address of a package, taken apart: git::https://host/path?ref=v1
//
// Addresses carry arguments for us (ref, archive, checksum and so on) beside those
// that are part of the URL. Each fetcher takes out what it knows; what remains goes
// to the server. Values are unescaped here and escaped again when put together.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace tofu::transport {

struct PackageUrl {
  std::string scheme = {};    // in small letters
  std::string userinfo = {};  // as written, escaped; empty if there is none
  std::string host = {};      // with the port
  std::string path = {};      // as written, escaped; of "a::b" URLs all after the scheme
  bool has_authority = true;  // "//" stands after the scheme
  std::vector<std::pair<std::string, std::string>> arguments = {};

  // The first value of that name; empty if there is none. All of them are removed.
  std::string take(std::string_view name);
  // What stands before the host, escapes undone; empty if there is none.
  std::string user() const;
  std::string password() const;
  // The path with its escapes undone.
  std::string plain_path() const;
  // The whole again, arguments sorted by name.
  std::string text() const;
};

// What no message may show of it: passwords, keys and tokens, escaped or not. Of a web
// address the user alone may be one, but only where an @ follows it; a word such as
// "git" stands in every message.
std::vector<std::string> secrets_of(const PackageUrl& url);

// `package` may begin with a method, as in git::, which is skipped.
base::Result<PackageUrl> parse_package_url(std::string_view package);

// What it is fetched with: the method, or the scheme if there is none. Empty if it is
// not an absolute URL.
std::string fetch_method(std::string_view package);

// The address without passwords, keys and tokens, for people, logs and lock files.
std::string without_secrets(const std::string& package);

}  // namespace tofu::transport
