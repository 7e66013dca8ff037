#include "providers/ssl_library.h"

#include <utility>

#include "base/dynamic_library.h"

namespace tofu::providers {

namespace {

base::Result<SslLibrary> load() {
  auto library = base::DynamicLibrary::load("libssl.so.3", "libssl3");
  if (!library) return std::move(library).error();
  SslLibrary ssl{};
  library->find("TLS_client_method", ssl.tls_client_method);
  library->find("SSL_CTX_new", ssl.ctx_new);
  library->find("SSL_CTX_free", ssl.ctx_free);
  library->find("SSL_CTX_ctrl", ssl.ctx_ctrl);
  library->find("SSL_CTX_use_certificate", ssl.ctx_use_certificate);
  library->find("SSL_CTX_use_PrivateKey", ssl.ctx_use_private_key);
  library->find("SSL_CTX_set_verify", ssl.ctx_set_verify);
  library->find("SSL_CTX_set_cert_verify_callback", ssl.ctx_set_cert_verify_callback);
  library->find("SSL_CTX_set_alpn_protos", ssl.ctx_set_alpn_protos);
  library->find("SSL_new", ssl.ssl_new);
  library->find("SSL_free", ssl.ssl_free);
  library->find("SSL_ctrl", ssl.ssl_ctrl);
  library->find("SSL_set_bio", ssl.set_bio);
  library->find("SSL_set_connect_state", ssl.set_connect_state);
  library->find("SSL_do_handshake", ssl.do_handshake);
  library->find("SSL_read", ssl.read);
  library->find("SSL_write", ssl.write);
  library->find("SSL_get_error", ssl.get_error);
  if (auto found = library->check(); !found) return found.error();
  return ssl;
}

}  // namespace

const base::Result<SslLibrary>& ssl_library() {
  static const base::Result<SslLibrary> library = load();
  return library;
}

}  // namespace tofu::providers
