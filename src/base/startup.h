// Settings of the C library and of OpenSSL, made before the first name lookup or cipher.
//
// Both would otherwise load modules that the system has for its own C library. Only the portable
// program (TOFU_STATIC) has to prevent it; elsewhere these modules are welcome.
#pragma once

namespace tofu::base {

// In the program that needs no shared library (TOFU_STATIC), keeps the libraries in it from loading
// modules of the system: these belong to another C library. Elsewhere, does nothing. Call it before
// there are threads.
void settle_process();

}  // namespace tofu::base
