// How much may arrive: limits for one package, whatever it is fetched with.
//
// Servers and archives claim sizes, and claims are not trusted: whoever reads bytes
// counts them against these limits and stops at the first that is exceeded.
#pragma once

#include <cstdint>

namespace tofu::transport {

struct FetchLimits {
  std::uint64_t download_bytes = std::uint64_t{8} << 30;
  std::uint64_t unpacked_bytes = std::uint64_t{16} << 30;
  std::uint64_t files = 500'000;
  unsigned ratio = 1000;  // unpacked bytes for each byte of an archive, beyond a small start
};

}  // namespace tofu::transport
