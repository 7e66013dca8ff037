// libssl, loaded when the first plugin is talked to.
//
// See base/dynamic_library.h for why. libcrypto comes with it, or was loaded before
// (base/crypto_library.cc). Types and constants come from its own header.
#pragma once

#include <openssl/ssl.h>

#include "base/result.h"

namespace tofu::providers {

struct SslLibrary {
  decltype(&::TLS_client_method) tls_client_method;
  decltype(&::SSL_CTX_new) ctx_new;
  decltype(&::SSL_CTX_free) ctx_free;
  decltype(&::SSL_CTX_ctrl) ctx_ctrl;
  decltype(&::SSL_CTX_use_certificate) ctx_use_certificate;
  decltype(&::SSL_CTX_use_PrivateKey) ctx_use_private_key;
  decltype(&::SSL_CTX_set_verify) ctx_set_verify;
  decltype(&::SSL_CTX_set_cert_verify_callback) ctx_set_cert_verify_callback;
  decltype(&::SSL_CTX_set_alpn_protos) ctx_set_alpn_protos;
  decltype(&::SSL_new) ssl_new;
  decltype(&::SSL_free) ssl_free;
  decltype(&::SSL_ctrl) ssl_ctrl;
  decltype(&::SSL_set_bio) set_bio;
  decltype(&::SSL_set_connect_state) set_connect_state;
  decltype(&::SSL_do_handshake) do_handshake;
  decltype(&::SSL_read) read;
  decltype(&::SSL_write) write;
  decltype(&::SSL_get_error) get_error;
};

// The library, the same each time; an error if it is not there. Any thread.
const base::Result<SslLibrary>& ssl_library();

}  // namespace tofu::providers
