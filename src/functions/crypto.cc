#include <array>
#include <crypt.h>
#include <cstring>
#include <fmt/format.h>
#include <openssl/evp.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/base64.h"
#include "base/hex.h"
#include "base/uuid.h"
#include "functions/define.h"
#include "functions/errors.h"
#include "functions/families.h"
#include "functions/files.h"
#include "functions/rsa.h"

namespace tofu::functions {

namespace {

using syntax::Arguments;
using syntax::CallResult;
using value::Type;
using value::Value;

using Bytes16 = base::UuidBytes;

std::string to_hex(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  out.reserve(bytes.size() * 2);
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    out += kDigits[byte >> 4];
    out += kDigits[byte & 15];
  }
  return out;
}

class Hash {
 public:
  explicit Hash(const EVP_MD* algorithm) : context_(EVP_MD_CTX_new()) {
    TOFU_CHECK(context_ && EVP_DigestInit_ex(context_.get(), algorithm, nullptr) == 1,
               "the hash algorithms of OpenSSL's default provider are there");
  }
  void add(std::string_view bytes) { EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()); }
  std::string finish() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned int size = 0;
    EVP_DigestFinal_ex(context_.get(), digest.data(), &size);
    return {reinterpret_cast<const char*>(digest.data()), size};
  }

 private:
  struct Free {
    void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
  };
  std::unique_ptr<EVP_MD_CTX, Free> context_;
};

using Algorithm = const EVP_MD* (*)();
using Spelling = std::string (*)(std::string_view);

struct HashFunction {
  std::string_view name;       // of the function of a string
  std::string_view file_name;  // of the function of a file
  std::string_view algorithm;  // as the description says it
  Algorithm make;
  Spelling spell;
};

constexpr std::array<HashFunction, 6> kHashFunctions{{
    {"md5", "filemd5", "MD5 hash", EVP_md5, to_hex},
    {"sha1", "filesha1", "SHA-1 hash", EVP_sha1, to_hex},
    {"sha256", "filesha256", "SHA-256 hash", EVP_sha256, to_hex},
    {"sha512", "filesha512", "SHA-512 hash", EVP_sha512, to_hex},
    {"base64sha256", "filebase64sha256", "SHA-256 hash, as Base64,", EVP_sha256,
     base::base64_encode},
    {"base64sha512", "filebase64sha512", "SHA-512 hash, as Base64,", EVP_sha512,
     base::base64_encode},
}};

void add_hashes(List& list, const Environment& environment) {
  const Type text = Type::string();
  for (const HashFunction& hash : kHashFunctions) {
    define(list, hash.name, fmt::format("The {} of the UTF-8 bytes of a string.", hash.algorithm))
        .takes("str", text)
        .gives(text)
        .as([&hash](Arguments args, Type) -> CallResult<Value> {
          Hash state(hash.make());
          state.add(args[0].plain().as_string());
          return Value::string(hash.spell(state.finish()));
        });
    // The path is kept out of the errors: its marks are not seen here.
    define(list, hash.file_name, fmt::format("The {} of the content of a file.", hash.algorithm))
        .takes("path", text)
        .gives(text)
        .as([&hash, &environment](Arguments args, Type) -> CallResult<Value> {
          const std::string_view path = args[0].plain().as_string();
          if (const auto* before = found_before(environment, hash.file_name, path)) {
            return Value::string(*before);
          }
          Hash state(hash.make());
          const auto done = read_pieces(environment, path, [&](std::string_view piece) {
            state.add(piece);
            return true;
          });
          if (!done) return call_error("cannot read the file: " + done.error().what);
          const std::string spelled = hash.spell(state.finish());
          record_file_exists(environment, hash.file_name, path, spelled);
          return Value::string(spelled);
        });
  }
}

CallResult<Value> uuid(Arguments, Type) {
  const auto made = base::random_uuid();
  if (!made) return call_error(made.error().what);
  return Value::string(*made);
}

// With dashes (alone, after "urn:uuid:" or between any two characters that
// stand for braces) or as 32 digits.
std::optional<Bytes16> parse_uuid(std::string_view text) {
  constexpr std::string_view kUrn = "urn:uuid:";
  if (text.size() == 36 + kUrn.size()) {
    if (!base::equal_ignoring_case(text.substr(0, kUrn.size()), kUrn)) return std::nullopt;
    text.remove_prefix(kUrn.size());
  } else if (text.size() == 38) {
    text = text.substr(1, 36);
  }
  std::string digits;
  if (text.size() == 36) {
    for (std::size_t i = 0; i < text.size(); ++i) {
      const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
      if (dash && text[i] != '-') return std::nullopt;
      if (!dash) digits += text[i];
    }
  } else if (text.size() == 32) {
    digits = text;
  } else {
    return std::nullopt;
  }
  Bytes16 bytes{};
  for (std::size_t i = 0; i < digits.size(); ++i) {
    const int value = base::hex_digit(digits[i]);
    if (value < 0) return std::nullopt;
    bytes[i / 2] = static_cast<unsigned char>(bytes[i / 2] << 4 | value);
  }
  return bytes;
}

// RFC 4122 names four namespaces, which differ in one digit.
std::optional<Bytes16> uuid_namespace(std::string_view name) {
  if (name == "dns") name = "6ba7b810-9dad-11d1-80b4-00c04fd430c8";
  if (name == "url") name = "6ba7b811-9dad-11d1-80b4-00c04fd430c8";
  if (name == "oid") name = "6ba7b812-9dad-11d1-80b4-00c04fd430c8";
  if (name == "x500") name = "6ba7b814-9dad-11d1-80b4-00c04fd430c8";
  return parse_uuid(name);
}

CallResult<Value> uuidv5(Arguments args, Type) {
  const auto space = uuid_namespace(args[0].plain().as_string());
  if (!space) {
    return call_error(
        "the namespace must be \"dns\", \"url\", \"oid\", \"x500\" or a UUID of its own");
  }
  Hash state(EVP_sha1());
  state.add({reinterpret_cast<const char*>(space->data()), space->size()});
  state.add(args[1].plain().as_string());
  const std::string digest = state.finish();
  Bytes16 bytes;
  std::memcpy(bytes.data(), digest.data(), bytes.size());
  bytes[6] = static_cast<unsigned char>((bytes[6] & 0x0F) | 0x50);
  bytes[8] = static_cast<unsigned char>((bytes[8] & 0x3F) | 0x80);
  return Value::string(base::uuid_text(bytes));
}

CallResult<Value> bcrypt(Arguments args, Type) {
  constexpr std::int64_t kDefaultCost = 10;
  constexpr std::size_t kMaxPasswordLength = 72;
  std::int64_t cost = kDefaultCost;
  if (args.size() > 1) {
    const auto given = whole_number(args[1]);
    if (!given) return given.error();
    cost = *given;
  }
  if (args.size() > 2) return call_error("only one cost can be given");
  const std::string password(args[0].plain().as_string());
  if (password.size() > kMaxPasswordLength) {
    return call_error("bcrypt takes 72 bytes at most");
  }
  if (password.find('\0') != std::string::npos) {
    return call_error("text with a NUL character cannot be hashed");
  }
  if (cost < 4) cost = kDefaultCost;  // as in OpenTofu, instead of an error
  if (cost > 31) return call_error("the cost must be between 4 and 31");

  // Asked for as "2b" and written as "2a": they are the same algorithm, but
  // libxcrypt changes some results of "2a" to tell them from an old defect's.
  Bytes16 salt;
  std::array<char, CRYPT_GENSALT_OUTPUT_SIZE> setting{};
  crypt_data memory{};
  if (getentropy(salt.data(), salt.size()) != 0 ||
      crypt_gensalt_rn("$2b$", static_cast<unsigned long>(cost),
                       reinterpret_cast<const char*>(salt.data()), salt.size(), setting.data(),
                       static_cast<int>(setting.size())) == nullptr ||
      crypt_rn(password.c_str(), setting.data(), &memory, sizeof memory) == nullptr) {
    return call_error("the system cannot make a bcrypt hash");
  }
  std::string hash(memory.output);
  hash[2] = 'a';
  return Value::string(hash);
}

CallResult<Value> rsadecrypt(Arguments args, Type) {
  const auto ciphertext = base::base64_decode(args[0].plain().as_string());
  if (!ciphertext) return syntax::argument_error(0, "the ciphertext must be given as Base64");
  const auto key = parse_rsa_key(args[1].plain().as_string());
  if (!key) return syntax::argument_error(1, key.error().what);
  const auto text = rsa_decrypt(*key, *ciphertext);
  if (!text) return call_error(text.error().what);
  return Value::string(*text);
}

// While planning, what would come out differently next time is not known yet.
Definition::Body impure(const Environment& environment,
                        CallResult<Value> (*body)(Arguments, Type)) {
  if (!environment.pure_only) return body;
  return [](Arguments, Type type) -> CallResult<Value> { return Value::unknown(type); };
}

}  // namespace

void add_crypto(List& list, const Environment& environment) {
  const Type text = Type::string();
  add_hashes(list, environment);
  define(list, "uuid", "A random identifier in the form of a UUID, new at each call.")
      .gives(text)
      .as(impure(environment, uuid));
  define(list, "uuidv5", "A UUID of version 5: always the same for a namespace and a name in it.")
      .takes("namespace", text)
      .takes("name", text)
      .gives(text)
      .as(uuidv5);
  define(list, "bcrypt", "A bcrypt hash of a password, with a new salt at each call.")
      .takes("str", text)
      .takes_many("cost", Type::number(), {}, "How much work a hash takes; 10 if it is left out.")
      .gives(text)
      .as(impure(environment, bcrypt));
  define(list, "rsadecrypt",
         "Decrypts a Base64 text that was encrypted for an RSA key (PKCS #1 v1.5).")
      .takes("ciphertext", text)
      .takes("privatekey", text)
      .gives(text)
      .as(rsadecrypt);
}

}  // namespace tofu::functions
