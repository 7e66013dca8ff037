// gRPC calls over one connection: messages in, messages out.
//
// A message is opaque bytes here. Calls run side by side on one HTTP/2 connection
// (nghttp2), over a socket and, with a TlsSession, TLS. Everything is called on the
// thread of the loop, and so is everything that is called back. A call's `on_end` is
// called exactly once; when the connection is lost, every call ends with that.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/descriptor.h"
#include "providers/io_loop.h"
#include "providers/tls.h"

namespace tofu::providers {

// The few of gRPC's status codes that make a difference to us.
enum class GrpcStatus : std::uint8_t { Ok = 0, Unknown = 2, Unimplemented = 12, Unavailable = 14 };

struct GrpcEnd {
  GrpcStatus status = GrpcStatus::Ok;
  int code = 0;          // gRPC's own, also where `status` has no name for it
  std::string message;   // the server's words, or ours if there are none
  bool is_lost = false;  // there is no connection any more, and the message says why
  bool was_sent = true;  // false: the server never got to see the call
  bool is_ok() const { return code == 0 && !is_lost; }
};

// 2^31 - 1, which is OpenTofu's limit, too.
inline constexpr std::size_t kMaxMessageSize = 0x7FFFFFFF;

struct GrpcCall {
  std::string path;     // "/package.Service/Method"
  std::string message;  // the request
  std::size_t limit = kMaxMessageSize;
  std::function<void(std::string message)> on_message;  // as often as the server answers
  std::function<void(GrpcEnd end)> on_end;
};

class GrpcConnection {
 public:
  // `socket` is connected or connecting, and does not block. Without `tls` the other side
  // is trusted to be who it should.
  static std::unique_ptr<GrpcConnection> open(IoLoop& loop, base::Descriptor socket,
                                              std::unique_ptr<TlsSession> tls,
                                              std::function<void(std::string why)> on_lost);
  // Not inside of something that it calls. Pending calls are dropped without a callback.
  virtual ~GrpcConnection() = default;

  virtual void call(GrpcCall call) = 0;
  // Asks the other side whether it still answers at all; `answered` is called if it does. Ended
  // with the connection, without being called. One at a time.
  virtual void ping(std::function<void()> answered) = 0;
  // Calls under way are lost, as they are if the other side does it.
  virtual void close(std::string why) = 0;
};

// The prefix of a message of `size` bytes in the body of a request: that it is not compressed, and
// its length.
inline constexpr std::size_t kGrpcPrefix = 5;
std::array<char, kGrpcPrefix> grpc_prefix(std::size_t size);

// Puts messages together from pieces of the body of an answer.
class GrpcUnframer {
 public:
  explicit GrpcUnframer(std::size_t limit) : limit_(limit) {}
  // Calls `on_message` for each that is complete. Not empty: the error.
  std::string receive(std::string_view piece,
                      const std::function<void(std::string message)>& on_message);
  bool is_between() const { return header_.empty() && !has_header_; }

 private:
  std::size_t limit_;
  std::string header_;  // less than all of it
  bool has_header_ = false;
  std::string message_;   // of which this is
  std::size_t left_ = 0;  // missing
};

// The text of `grpc-message`: percent-encoded text.
std::string grpc_message_text(std::string_view header);

}  // namespace tofu::providers
