// TLS between us and a plugin, without a network: bytes in, bytes out.
//
// Both sides know the other's certificate beforehand: ours is made for the run and given
// to the plugin in its environment, the plugin's is in its handshake. So there are no
// authorities, no names and no revocation to check; the one certificate is right, and
// every other is wrong. libssl is loaded when the first plugin starts.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace tofu::providers {

// A new private key and a certificate for it.
class TlsIdentity {
 public:
  static base::Result<std::shared_ptr<const TlsIdentity>> make();
  virtual ~TlsIdentity() = default;
  // PEM, as the plugin gets it.
  virtual const std::string& certificate() const = 0;
};

// One connection, as the client. `Result`s that failed end it.
class TlsSession {
 public:
  // `server` is the certificate of the other side, DER.
  static base::Result<std::unique_ptr<TlsSession>> make(
      const std::shared_ptr<const TlsIdentity>& identity, std::string server);
  virtual ~TlsSession() = default;

  // Bytes from the other side; `on_plain` is called for each piece of what they say.
  virtual base::Result<void> receive(
      std::string_view bytes, const std::function<void(std::string_view plain)>& on_plain) = 0;
  // Text for the other side. It is kept until the connection is agreed on.
  virtual base::Result<void> send(std::string_view plain) = 0;
  // Appends what is to be written to the other side.
  virtual void take_output(std::string& out) = 0;
};

}  // namespace tofu::providers
