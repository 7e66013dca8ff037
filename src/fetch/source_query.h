// The address of a package, taken apart: git::https://host/path?ref=v1
//
// Addresses carry arguments for us (ref, archive, checksum and so on) beside those that are part of
// the URL. Each fetcher removes its own arguments; what remains goes to the server.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/url.h"

namespace tofu::fetch {

// `package` may begin with a method, as in git::, which is skipped. Arguments are sorted
// by name, and there is no fragment.
base::Result<base::Url> parse_package_url(std::string_view package);

// The first value of that name; empty if there is none. All of them are removed.
std::string take_argument(base::Url& url, std::string_view name);

// The parts that no message may show: passwords, keys and tokens, escaped or not. Of a web address
// the user alone may be one, but only where an @ follows it; a word such as "git" stands in every
// message.
std::vector<std::string> secrets_of(const base::Url& url);

// The name of the fetcher: the method, or the scheme if there is none. Empty if it is not an
// absolute URL.
std::string fetch_method(std::string_view package);

// The value of an argument of an address; empty if there is none.
std::string argument_of(std::string_view package, std::string_view name);

// The address without the arguments of these names. One that is no URL stays as it is.
std::string without_arguments(std::string_view package,
                              std::initializer_list<std::string_view> names);

// The address without passwords, keys and tokens, for people, logs and lock files.
std::string without_secrets(const std::string& package);

}  // namespace tofu::fetch
