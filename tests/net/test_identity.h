// A certificate of our own for 127.0.0.1, so that https can be tried on loopback.
//
// Created anew each time; a client trusts it only with the file that has the certificate.
#pragma once

#include <openssl/ssl.h>
#include <string>

namespace tofu::net {

class TestIdentity {
 public:
  TestIdentity();
  TestIdentity(const TestIdentity&) = delete;
  TestIdentity& operator=(const TestIdentity&) = delete;
  ~TestIdentity();

  SSL_CTX* context() const { return context_; }
  // The certificate, as a file of authorities has it.
  const std::string& certificate() const { return certificate_; }

 private:
  SSL_CTX* context_;
  std::string certificate_;
};

}  // namespace tofu::net
