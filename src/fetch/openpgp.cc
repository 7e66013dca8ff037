#include "fetch/openpgp.h"

#include <fmt/format.h>
#include <memory>
#include <optional>

#include "fetch/rnp_library.h"

namespace tofu::fetch {

namespace {

using Verdict = SignatureCheck::Verdict;

constexpr std::size_t kKeyIdDigits = 16;  // the end of a fingerprint

// Everything that librnp gives out and wants back.
struct Free {
  const RnpLibrary* rnp = nullptr;

  void operator()(rnp_ffi_st* ffi) const { rnp->ffi_destroy(ffi); }
  void operator()(rnp_input_st* input) const { rnp->input_destroy(input); }
  void operator()(rnp_op_verify_st* operation) const { rnp->verify_destroy(operation); }
  void operator()(rnp_key_handle_st* key) const { rnp->key_destroy(key); }
  void operator()(char* text) const { rnp->buffer_destroy(text); }
};
template <class T>
using Owned = std::unique_ptr<T, Free>;

class Verification {
 public:
  explicit Verification(const RnpLibrary& rnp) : rnp_(rnp) {}

  base::Result<SignatureCheck> run(std::string_view document, std::string_view signature,
                                   std::span<const std::string> keys);

 private:
  template <class T>
  Owned<T> own(T* thing) const {
    return Owned<T>(thing, Free{&rnp_});
  }
  base::Error failed(std::string_view doing, rnp_result_t result) const {
    return base::Error{fmt::format("{}: {}", doing, rnp_.result_to_string(result))};
  }
  Owned<rnp_input_st> read(std::string_view bytes) const;
  base::Result<Owned<rnp_ffi_st>> open(std::span<const std::string> keys) const;
  base::Result<SignatureCheck> verdict(rnp_ffi_t ffi, rnp_op_verify_t operation) const;
  SignatureCheck signer(rnp_ffi_t ffi, rnp_op_verify_signature_t signature) const;

  const RnpLibrary& rnp_;
};

Owned<rnp_input_st> Verification::read(std::string_view bytes) const {
  rnp_input_t input = nullptr;
  const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data());
  rnp_.input_from_memory(&input, data, bytes.size(), false);
  return own(input);
}

base::Result<Owned<rnp_ffi_st>> Verification::open(std::span<const std::string> keys) const {
  rnp_ffi_t made = nullptr;
  if (const auto result = rnp_.ffi_create(&made, "GPG", "GPG"); result != RNP_SUCCESS) {
    return failed("starting librnp failed", result);
  }
  auto ffi = own(made);
  std::size_t known = 0;
  for (const std::string& key : keys) {
    const auto input = read(key);
    const auto result =
        rnp_.import_keys(ffi.get(), input.get(), RNP_LOAD_SAVE_PUBLIC_KEYS, nullptr);
    if (result == RNP_SUCCESS) ++known;
  }
  if (known == 0) return base::Error{"it contains no readable signing key"};
  return ffi;
}

// The primary key stands for its subkeys, as people know it.
SignatureCheck Verification::signer(rnp_ffi_t ffi, rnp_op_verify_signature_t signature) const {
  rnp_key_handle_t found = nullptr;
  if (rnp_.signature_key(signature, &found) != RNP_SUCCESS) return {Verdict::OtherIssuer};
  auto key = own(found);
  bool is_primary = true;
  bool is_expired = false;
  rnp_.key_is_primary(key.get(), &is_primary);
  rnp_.key_is_expired(key.get(), &is_expired);
  char* text = nullptr;
  if (is_primary) {
    rnp_.key_id(key.get(), &text);
    const auto id = own(text);
    return {is_expired ? Verdict::Expired : Verdict::Valid, id ? id.get() : ""};
  }
  rnp_.primary_fingerprint(key.get(), &text);
  const auto owned = own(text);
  const std::string fingerprint = owned ? owned.get() : "";
  rnp_key_handle_t primary = nullptr;
  if (rnp_.locate_key(ffi, "fingerprint", fingerprint.c_str(), &primary) == RNP_SUCCESS &&
      primary != nullptr) {
    const auto holder = own(primary);
    bool holder_expired = false;
    rnp_.key_is_expired(holder.get(), &holder_expired);
    is_expired = is_expired || holder_expired;
  }
  const std::size_t start =
      fingerprint.size() > kKeyIdDigits ? fingerprint.size() - kKeyIdDigits : 0;
  return {is_expired ? Verdict::Expired : Verdict::Valid, fingerprint.substr(start)};
}

base::Result<SignatureCheck> Verification::verdict(rnp_ffi_t ffi, rnp_op_verify_t operation) const {
  std::size_t count = 0;
  rnp_.signature_count(operation, &count);
  if (count == 0) return base::Error{"it contains no signature"};
  std::optional<base::Error> problem;
  for (std::size_t i = 0; i < count; ++i) {
    rnp_op_verify_signature_t signature = nullptr;
    if (rnp_.signature_at(operation, i, &signature) != RNP_SUCCESS) continue;
    const rnp_result_t status = rnp_.signature_status(signature);
    if (status == RNP_ERROR_KEY_NOT_FOUND) continue;
    if (status == RNP_SUCCESS) return signer(ffi, signature);
    if (status == RNP_ERROR_SIGNATURE_EXPIRED) {
      SignatureCheck check = signer(ffi, signature);
      check.verdict = Verdict::Expired;
      return check;
    }
    problem = failed("the signature is not one of this document", status);
  }
  if (problem) return std::move(*problem);
  return SignatureCheck{Verdict::OtherIssuer};
}

base::Result<SignatureCheck> Verification::run(std::string_view document,
                                               std::string_view signature,
                                               std::span<const std::string> keys) {
  const auto ffi = open(keys);
  if (!ffi) return ffi.error();
  const auto data = read(document);
  const auto made = read(signature);
  rnp_op_verify_t created = nullptr;
  const auto result = rnp_.verify_detached_create(&created, ffi->get(), data.get(), made.get());
  if (result != RNP_SUCCESS) return failed("the signature cannot be checked", result);
  const auto operation = own(created);
  // The result is the first error; each signature has its own.
  const auto executed = rnp_.verify_execute(operation.get());
  std::size_t count = 0;
  rnp_.signature_count(operation.get(), &count);
  if (count == 0 && executed != RNP_SUCCESS) {
    return failed("the signature cannot be read", executed);
  }
  return verdict(ffi->get(), operation.get());
}

}  // namespace

base::Result<SignatureCheck> check_signature(std::string_view document, std::string_view signature,
                                             std::span<const std::string> keys) {
  const auto& rnp = rnp_library();
  if (!rnp) return rnp.error();
  return Verification(*rnp).run(document, signature, keys);
}

}  // namespace tofu::fetch
