// Internationalized names: one label of a host name in its canonical forms.
//
// Registry hosts and the parts of provider addresses are compared in a normalized form, so that
// "Example.COM" and "example.com", or a name typed in composed and in decomposed letters, are the
// same. The allowed characters are those of UTS #46 in Go's lookup profile: for ASCII exactly;
// beyond it by libidn2, which also refuses symbols that IDNA 2008 does not allow in names.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace tofu::base {

// The label in lower case and normal form. Letters, digits and dashes only; no
// dash at either end, nor two as third and fourth character. A label in
// Punycode (xn--…) is decoded.
Result<std::string> idna_label_to_unicode(std::string_view label);

// The same as ASCII: Punycode with its prefix where there is anything beyond it.
Result<std::string> idna_label_to_ascii(std::string_view label);

}  // namespace tofu::base
