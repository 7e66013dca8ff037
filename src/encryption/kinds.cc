#include "encryption/kinds.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <utility>

#include "encryption/ciphers.h"
#include "encryption/external_provider.h"
#include "encryption/pbkdf2.h"

namespace tofu::encryption {

namespace {

using Provider = base::Result<std::shared_ptr<const KeyProvider>>;
using MadeMethod = base::Result<std::shared_ptr<const Method>>;
using Kind = Argument::Kind;

constexpr std::array kPbkdf2 = {
    Argument{"passphrase"},
    Argument{"chain", Kind::Keys},
    Argument{"key_length", Kind::Number},
    Argument{"iterations", Kind::Number},
    Argument{"hash_function"},
    Argument{"salt_length", Kind::Number},
};

// False if the number is out of its bounds; `into` stays as it is if none is given.
bool take_whole(const Settings& settings, std::string_view name, std::uint32_t least,
                std::uint32_t most, std::uint32_t& into) {
  const auto given = settings.whole(name);
  if (!given) return true;
  if (*given < least || *given > most) return false;
  into = static_cast<std::uint32_t>(*given);
  return true;
}

Provider make_pbkdf2(const Settings& settings, std::string storage_name,
                     const KeyProviderContext&) {
  Pbkdf2Settings own;
  std::string passphrase = settings.text("passphrase");
  own.passphrase = Key(passphrase);
  wipe(passphrase);
  own.chain = settings.keys("chain");
  if (own.passphrase.is_empty() && !own.chain) {
    return base::Error{"set either \"passphrase\" or \"chain\""};
  }
  if (!own.passphrase.is_empty() && own.chain) {
    return base::Error{"only one of \"passphrase\" and \"chain\" can be set"};
  }
  if (!own.chain && own.passphrase.size() < kMinPassphraseLength) {
    return base::Error{
        fmt::format("the passphrase must have at least {} bytes", kMinPassphraseLength)};
  }
  const auto out_of = [](std::string_view name, std::uint32_t least, std::uint32_t most) {
    return base::Error{fmt::format("{:?} must be from {} to {}", name, least, most)};
  };
  if (!take_whole(settings, "key_length", 1, kMaxKeyLength, own.key_length)) {
    return out_of("key_length", 1, kMaxKeyLength);
  }
  if (!take_whole(settings, "iterations", kMinIterations, kMaxIterations, own.iterations)) {
    return out_of("iterations", kMinIterations, kMaxIterations);
  }
  if (!take_whole(settings, "salt_length", 1, kMaxKeyLength, own.salt_length)) {
    return out_of("salt_length", 1, kMaxKeyLength);
  }
  if (settings.has("hash_function")) {
    const auto hash = key_hash_of_name(settings.text("hash_function"));
    if (!hash) return base::Error{R"("hash_function" must be "sha256" or "sha512")"};
    own.hash = *hash;
  }
  return pbkdf2_provider(std::move(storage_name), std::move(own));
}

constexpr std::array kExternalProvider = {Argument{"command", Kind::Texts, true}};

Provider make_external(const Settings& settings, std::string storage_name,
                       const KeyProviderContext& context) {
  auto command = settings.texts("command");
  if (command.empty() || command[0].empty()) {
    return base::Error{"\"command\" must name a program"};
  }
  return external_provider(std::move(storage_name), std::move(command), context.stop);
}

constexpr std::array kAesGcm = {
    Argument{"keys", Kind::Keys, true},
    Argument{"aad", Kind::Bytes},
};

MadeMethod make_aes_gcm(const Settings& settings, const KeyProviderContext&) {
  auto keys = settings.keys("keys");
  if (!keys) return base::Error{"\"keys\" must be set"};
  const auto length = keys->key_length();
  if (length && !is_aes_key_length(*length)) {
    return base::Error{
        fmt::format("AES-GCM needs a key of 16, 24 or 32 bytes, and its key provider makes keys "
                    "of {}",
                    *length)};
  }
  return aes_gcm_method(std::move(keys), settings.bytes("aad"));
}

constexpr std::array kExternalMethod = {
    Argument{"keys", Kind::Keys},
    Argument{"encrypt_command", Kind::Texts, true},
    Argument{"decrypt_command", Kind::Texts, true},
};

MadeMethod make_external_method(const Settings& settings, const KeyProviderContext& context) {
  ExternalCommands commands{settings.texts("encrypt_command"), settings.texts("decrypt_command")};
  if (commands.encrypt.empty() || commands.encrypt[0].empty()) {
    return base::Error{"\"encrypt_command\" must name a program"};
  }
  if (commands.decrypt.empty() || commands.decrypt[0].empty()) {
    return base::Error{"\"decrypt_command\" must name a program"};
  }
  return external_method(settings.keys("keys"), std::move(commands), context.stop);
}

MadeMethod make_unencrypted(const Settings&, const KeyProviderContext&) {
  return unencrypted_method();
}

constexpr KeyProviderKind kExternal = {"external", kExternalProvider, make_external};
constexpr KeyProviderKind kFromPassphrase = {"pbkdf2", kPbkdf2, make_pbkdf2};

constexpr std::array kKeyProviders = {&kAwsKms, &kAzureVault, &kExternal,
                                      &kGcpKms, &kOpenBao,    &kFromPassphrase};

constexpr std::array kMethods = {
    MethodKind{"aes_gcm", kAesGcm, make_aes_gcm},
    MethodKind{"external", kExternalMethod, make_external_method},
    MethodKind{kUnencrypted, {}, make_unencrypted},
};

}  // namespace

const KeyProviderKind* find_key_provider_kind(std::string_view name) {
  const auto found = std::ranges::find_if(
      kKeyProviders, [&](const KeyProviderKind* kind) { return kind->name == name; });
  return found == kKeyProviders.end() ? nullptr : *found;
}

const MethodKind* find_method_kind(std::string_view name) {
  const auto* found = std::ranges::find(kMethods, name, &MethodKind::name);
  return found == kMethods.end() ? nullptr : found;
}

}  // namespace tofu::encryption
