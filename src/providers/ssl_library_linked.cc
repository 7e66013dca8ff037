// libssl of a build that links it (TOFU_SHARED).
#include "providers/ssl_library.h"

namespace tofu::providers {

const base::Result<SslLibrary>& ssl_library() {
  static const base::Result<SslLibrary> library = SslLibrary{
      .tls_client_method = &::TLS_client_method,
      .ctx_new = &::SSL_CTX_new,
      .ctx_free = &::SSL_CTX_free,
      .ctx_ctrl = &::SSL_CTX_ctrl,
      .ctx_use_certificate = &::SSL_CTX_use_certificate,
      .ctx_use_private_key = &::SSL_CTX_use_PrivateKey,
      .ctx_set_verify = &::SSL_CTX_set_verify,
      .ctx_set_cert_verify_callback = &::SSL_CTX_set_cert_verify_callback,
      .ctx_set_alpn_protos = &::SSL_CTX_set_alpn_protos,
      .ssl_new = &::SSL_new,
      .ssl_free = &::SSL_free,
      .ssl_ctrl = &::SSL_ctrl,
      .set_bio = &::SSL_set_bio,
      .set_connect_state = &::SSL_set_connect_state,
      .do_handshake = &::SSL_do_handshake,
      .read = &::SSL_read,
      .write = &::SSL_write,
      .get_error = &::SSL_get_error,
  };
  return library;
}

}  // namespace tofu::providers
