// OpenSSL's libcrypto, which is loaded when one of its functions is first called.
//
// The functions themselves have the names that OpenSSL's headers declare. Any of them ends the
// command where the library is missing.
#pragma once

namespace tofu::base {

// For commands that should not begin without the library.
void require_libcrypto();

}  // namespace tofu::base
