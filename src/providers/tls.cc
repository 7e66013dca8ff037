#include "providers/tls.h"

#include <array>
#include <ctime>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <utility>

#include "providers/ssl_library.h"

namespace tofu::providers {

namespace {

template <auto kFree>
struct Free {
  template <class T>
  void operator()(T* it) const {
    kFree(it);
  }
};
using Key = std::unique_ptr<EVP_PKEY, Free<&EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Free<&X509_free>>;
using Extension = std::unique_ptr<X509_EXTENSION, Free<&X509_EXTENSION_free>>;
using Memory = std::unique_ptr<BIO, Free<&BIO_free_all>>;

constexpr long kBackdated = 30;  // seconds; clocks of machines differ
constexpr long kValid = 30L * 365 * 24 * 3600;
constexpr int kSerialBits = 127;

base::Error openssl_error(const char* doing) {
  char text[256] = "no reason given";
  if (const unsigned long code = ERR_get_error(); code != 0) {
    ERR_error_string_n(code, text, sizeof text);
  }
  ERR_clear_error();
  return {std::string(doing) + ": " + text};
}

// On the curve P-256. Null with OpenSSL's error set.
Key make_key() {
  const std::unique_ptr<EVP_PKEY_CTX, Free<&EVP_PKEY_CTX_free>> context(
      EVP_PKEY_CTX_new_from_name(nullptr, "EC", nullptr));
  EVP_PKEY* key = nullptr;
  if (!context || EVP_PKEY_keygen_init(context.get()) != 1 ||
      EVP_PKEY_CTX_set_group_name(context.get(), "P-256") != 1 ||
      EVP_PKEY_generate(context.get(), &key) != 1) {
    return nullptr;
  }
  return Key(key);
}

bool set_serial(X509& certificate) {
  std::unique_ptr<BIGNUM, Free<&BN_free>> number(BN_new());
  return number && BN_rand(number.get(), kSerialBits, BN_RAND_TOP_ANY, BN_RAND_BOTTOM_ANY) == 1 &&
         BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(&certificate)) != nullptr;
}

bool set_name(X509& certificate) {
  X509_NAME* name = X509_get_subject_name(&certificate);
  const auto text = [](const char* it) { return reinterpret_cast<const unsigned char*>(it); };
  return X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, text("localhost"), -1, -1, 0) == 1 &&
         X509_NAME_add_entry_by_txt(name, "O", MBSTRING_ASC, text("HashiCorp"), -1, -1, 0) == 1 &&
         X509_set_issuer_name(&certificate, name) == 1;
}

bool add_extensions(X509& certificate) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, &certificate, &certificate, nullptr, nullptr, 0);
  constexpr std::pair<int, const char*> kExtensions[] = {
      {NID_basic_constraints, "critical,CA:TRUE"},
      {NID_key_usage, "critical,digitalSignature,keyEncipherment,keyAgreement,keyCertSign"},
      {NID_ext_key_usage, "clientAuth,serverAuth"},
      {NID_subject_alt_name, "DNS:localhost"},
      {NID_subject_key_identifier, "hash"},
  };
  for (const auto& [kind, text] : kExtensions) {
    const Extension extension(X509V3_EXT_conf_nid(nullptr, &context, kind, text));
    if (!extension || X509_add_ext(&certificate, extension.get(), -1) != 1) return false;
  }
  return true;
}

// Signed by itself. Null with OpenSSL's error set.
Certificate make_certificate(EVP_PKEY& key) {
  Certificate made(X509_new());
  if (!made || X509_set_version(made.get(), X509_VERSION_3) != 1 || !set_serial(*made) ||
      X509_gmtime_adj(X509_getm_notBefore(made.get()), -kBackdated) == nullptr ||
      X509_gmtime_adj(X509_getm_notAfter(made.get()), kValid) == nullptr ||
      X509_set_pubkey(made.get(), &key) != 1 || !set_name(*made) || !add_extensions(*made) ||
      X509_sign(made.get(), &key, EVP_sha256()) == 0) {
    return nullptr;
  }
  return made;
}

class OpenSslIdentity final : public TlsIdentity {
 public:
  OpenSslIdentity(Key made_key, Certificate made_certificate, std::string pem)
      : key(std::move(made_key)), x509(std::move(made_certificate)), pem_(std::move(pem)) {}

  const std::string& certificate() const override { return pem_; }

  Key key;
  Certificate x509;

 private:
  std::string pem_;
};

class Session final : public TlsSession {
 public:
  Session(const SslLibrary& library, std::shared_ptr<const TlsIdentity> identity,
          std::string server)
      : library_(library), identity_(std::move(identity)), server_(std::move(server)) {}
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session() override {
    if (session_ != nullptr) library_.ssl_free(session_);
    if (context_ != nullptr) library_.ctx_free(context_);
  }

  base::Result<void> open();
  base::Result<void> receive(std::string_view bytes,
                             const std::function<void(std::string_view plain)>& on_plain) override;
  base::Result<void> send(std::string_view plain) override;
  void take_output(std::string& out) override;

 private:
  bool set_up();
  bool is_the_server(X509_STORE_CTX* chain) const;
  // False if the connection has failed, for an error that is not "later".
  bool goes_on(int result);
  base::Result<void> complete_handshake();

  const SslLibrary& library_;
  std::shared_ptr<const TlsIdentity> identity_;
  std::string server_;
  SSL_CTX* context_ = nullptr;
  SSL* session_ = nullptr;
  BIO* in_ = nullptr;   // of the session
  BIO* out_ = nullptr;  // of the session
  bool agreed_ = false;
  std::string waiting_;  // plain text until then
};

bool Session::is_the_server(X509_STORE_CTX* chain) const {
  X509* shown = X509_STORE_CTX_get0_cert(chain);
  unsigned char* der = nullptr;
  const int length = shown == nullptr ? -1 : i2d_X509(shown, &der);
  const bool same = length >= 0 && server_ == std::string_view(reinterpret_cast<const char*>(der),
                                                               static_cast<std::size_t>(length));
  OPENSSL_free(der);
  return same;
}

bool Session::set_up() {
  const auto& mine = static_cast<const OpenSslIdentity&>(*identity_);
  context_ = library_.ctx_new(library_.tls_client_method());
  if (context_ == nullptr ||
      library_.ctx_ctrl(context_, SSL_CTRL_SET_MIN_PROTO_VERSION, TLS1_2_VERSION, nullptr) != 1 ||
      library_.ctx_use_certificate(context_, mine.x509.get()) != 1 ||
      library_.ctx_use_private_key(context_, mine.key.get()) != 1) {
    return false;
  }
  library_.ctx_set_verify(context_, SSL_VERIFY_PEER, nullptr);
  library_.ctx_set_cert_verify_callback(
      context_,
      [](X509_STORE_CTX* chain, void* session) {
        return static_cast<Session*>(session)->is_the_server(chain) ? 1 : 0;
      },
      this);
  constexpr unsigned char kHttp2[] = {2, 'h', '2'};
  if (library_.ctx_set_alpn_protos(context_, kHttp2, sizeof kHttp2) != 0) return false;
  session_ = library_.ssl_new(context_);
  if (session_ == nullptr) return false;
  in_ = BIO_new(BIO_s_mem());
  out_ = BIO_new(BIO_s_mem());
  library_.set_bio(session_, in_, out_);  // owns both
  char name[] = "localhost";
  library_.ssl_ctrl(session_, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name, name);
  library_.set_connect_state(session_);
  return true;
}

base::Result<void> Session::open() {
  if (!set_up()) return openssl_error("TLS cannot be set up");
  return complete_handshake();
}

bool Session::goes_on(int result) {
  const int error = library_.get_error(session_, result);
  return error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE;
}

base::Result<void> Session::complete_handshake() {
  const int result = library_.do_handshake(session_);
  if (result != 1) {
    if (goes_on(result)) return {};
    return openssl_error("the TLS connection was refused");
  }
  agreed_ = true;
  return send(std::exchange(waiting_, {}));
}

base::Result<void> Session::receive(std::string_view bytes,
                                    const std::function<void(std::string_view plain)>& on_plain) {
  BIO_write(in_, bytes.data(), static_cast<int>(bytes.size()));
  if (!agreed_) {
    if (auto shaken = complete_handshake(); !shaken || !agreed_) return shaken;
  }
  std::array<char, 16384> record;  // the longest there is
  while (true) {
    const int count = library_.read(session_, record.data(), static_cast<int>(record.size()));
    if (count > 0) {
      on_plain({record.data(), static_cast<std::size_t>(count)});
      continue;
    }
    const int error = library_.get_error(session_, count);
    // The socket reports the end as well.
    if (error == SSL_ERROR_ZERO_RETURN || goes_on(count)) return {};
    return openssl_error("the TLS connection failed");
  }
}

base::Result<void> Session::send(std::string_view plain) {
  if (!agreed_) {
    waiting_ += plain;
    return {};
  }
  if (plain.empty()) return {};
  // Memory takes everything.
  if (library_.write(session_, plain.data(), static_cast<int>(plain.size())) > 0) return {};
  return openssl_error("the TLS connection failed");
}

void Session::take_output(std::string& out) {
  char* bytes = nullptr;
  const long count = BIO_get_mem_data(out_, &bytes);
  if (count <= 0) return;
  out.append(bytes, static_cast<std::size_t>(count));
  (void)BIO_reset(out_);
}

}  // namespace

base::Result<std::shared_ptr<const TlsIdentity>> TlsIdentity::make() {
  Key key = make_key();
  if (!key) return openssl_error("a key cannot be made");
  Certificate certificate = make_certificate(*key);
  if (!certificate) return openssl_error("a certificate cannot be made");
  const Memory memory(BIO_new(BIO_s_mem()));
  if (!memory || PEM_write_bio_X509(memory.get(), certificate.get()) != 1) {
    return openssl_error("a certificate cannot be written");
  }
  char* text = nullptr;
  const long length = BIO_get_mem_data(memory.get(), &text);
  std::string pem(text, static_cast<std::size_t>(length));
  return std::shared_ptr<const TlsIdentity>(
      std::make_shared<OpenSslIdentity>(std::move(key), std::move(certificate), std::move(pem)));
}

base::Result<std::unique_ptr<TlsSession>> TlsSession::make(
    const std::shared_ptr<const TlsIdentity>& identity, std::string server) {
  const auto& library = ssl_library();
  if (!library) return library.error();
  auto session = std::make_unique<Session>(*library, identity, std::move(server));
  if (auto opened = session->open(); !opened) return opened.error();
  return std::unique_ptr<TlsSession>(std::move(session));
}

}  // namespace tofu::providers
