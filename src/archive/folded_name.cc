#include "archive/folded_name.h"

#include "base/unicode.h"

namespace tofu::archive {

std::string folded_name(std::string_view name) {
  const std::string normal = base::is_nfc(name) ? std::string(name) : base::to_nfc(name);
  std::string out;
  for (std::string_view rest = normal; !rest.empty();) {
    const base::Decoded next = base::decode_utf8(rest);
    if (next.code == base::kReplacement) {
      out += rest.substr(0, next.length);
    } else {
      base::append_utf8(out, base::to_lower(base::to_upper(next.code)));
    }
    rest.remove_prefix(next.length);
  }
  return base::is_nfc(out) ? out : base::to_nfc(out);
}

}  // namespace tofu::archive
