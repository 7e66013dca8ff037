// URLs as text: their scheme, and percent-encoding.
//
// Each function does what the function of Go's net/url that OpenTofu uses for it does,
// because sources of modules are compared and recorded as text.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tofu::base {

// Scheme of an absolute URL, in lower case; empty if the text is not an absolute URL.
std::string url_scheme(std::string_view text);

// Percent-encodes a path that is not encoded yet.
std::string escape_url_path(std::string_view path);

// Decodes percent-encoding; nothing if an escape is malformed.
std::optional<std::string> unescape_url(std::string_view text, bool plus_is_space);

}  // namespace tofu::base
