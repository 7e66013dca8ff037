// Bytes as an encrypted file: what can be read is written and read back as the same, and
// nothing is decrypted that was not encrypted with the key.
#include "encryption/envelope.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "encryption/target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace encryption = tofu::encryption;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto read = encryption::read_envelope(bytes);
  TOFU_CHECK(read.ok() || !encryption::is_envelope(bytes), "both agree on what an envelope is");
  if (read) {
    const auto again = encryption::read_envelope(
        encryption::envelope_text(read->identity, read->metadata, read->data));
    TOFU_CHECK(again && again->data == read->data && again->metadata == read->metadata &&
                   again->identity.serial == read->identity.serial,
               "an envelope comes back");
  }
  const encryption::Key key(std::string(32, 'k'));
  const encryption::Target target(
      encryption::Content::State,
      {{"method.aes_gcm.m", encryption::aes_gcm_method(encryption::fixed_keys(key, key), {})}});
  TOFU_CHECK(!target.decrypt(bytes), "nobody guesses a tag");
  (void)target.decrypt_record(bytes).ok();
  return 0;
}
