#include "providers/grpc_connection.h"

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fmt/format.h>
#include <map>
#include <nghttp2/nghttp2.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

#include "base/check.h"
#include "providers/send_buffer.h"

namespace tofu::providers {

namespace {

// Large enough that a large answer seldom waits for us to ask for more.
constexpr std::int32_t kStreamWindow = std::int32_t{8} << 20;
constexpr std::int32_t kConnectionWindow = std::int32_t{64} << 20;
// Pending output; more is made when it was taken.
constexpr std::size_t kMaxPending = std::size_t{1} << 20;
constexpr std::size_t kReadPiece = std::size_t{256} << 10;

constexpr int kCancelled = 1;  // gRPC's codes
constexpr int kUnknown = 2;
constexpr int kResourceExhausted = 8;
constexpr int kUnimplemented = 12;
constexpr int kInternal = 13;
constexpr int kUnavailable = 14;

GrpcStatus status_of(int code) {
  switch (code) {
    case 0: return GrpcStatus::Ok;
    case kUnimplemented: return GrpcStatus::Unimplemented;
    case kUnavailable: return GrpcStatus::Unavailable;
    default: return GrpcStatus::Unknown;
  }
}

GrpcEnd end_with(int code, std::string message) {
  return {status_of(code), code, std::move(message), false};
}

// One call under way.
struct Stream {
  explicit Stream(GrpcCall made)
      : call(std::move(made)),
        prefix(grpc_prefix(call.message.size())),
        unsent{std::string_view(prefix.data(), prefix.size()), call.message},
        answer(call.limit) {}
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  // Copies the next bytes of the request, at most `length`.
  std::size_t next(std::uint8_t* to, std::size_t length);
  bool is_sent() const { return unsent[0].empty() && unsent[1].empty(); }

  GrpcCall call;  // its message is let go of when it was sent
  std::array<char, kGrpcPrefix> prefix;
  std::array<std::string_view, 2> unsent;  // the rests of both
  GrpcUnframer answer;
  std::string http_status;
  std::string grpc_status;
  std::string grpc_message;
  std::string broken;  // what is wrong with the answer
};

std::size_t Stream::next(std::uint8_t* to, std::size_t length) {
  std::size_t copied = 0;
  for (std::string_view& part : unsent) {
    const std::string_view taken = part.substr(0, length - copied);
    std::memcpy(to + copied, taken.data(), taken.size());
    copied += taken.size();
    part.remove_prefix(taken.size());
  }
  if (is_sent()) {
    unsent = {};
    call.message = {};
  }
  return copied;
}

GrpcEnd end_of(Stream& stream, std::uint32_t http2_error) {
  if (!stream.broken.empty()) return end_with(kResourceExhausted, std::move(stream.broken));
  int code = -1;
  const std::string& text = stream.grpc_status;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), code);
  if (!text.empty() && parsed.ec == std::errc() && parsed.ptr == text.data() + text.size()) {
    if (code == 0 && !stream.answer.is_between()) {
      return end_with(kInternal, "the answer ended in the middle of a message");
    }
    return end_with(code, grpc_message_text(stream.grpc_message));
  }
  if (!stream.http_status.empty() && stream.http_status != "200") {
    return end_with(kUnknown, fmt::format("the answer has HTTP status {}", stream.http_status));
  }
  if (http2_error != NGHTTP2_NO_ERROR) {
    return end_with(http2_error == NGHTTP2_CANCEL ? kCancelled : kInternal,
                    fmt::format("the call was ended with HTTP/2 error {}",
                                nghttp2_http2_strerror(http2_error)));
  }
  return end_with(kInternal, "the answer has no status");
}

nghttp2_nv header(std::string_view name, std::string_view value) {
  const auto bytes = [](std::string_view text) {
    return reinterpret_cast<std::uint8_t*>(const_cast<char*>(text.data()));
  };
  return {bytes(name), bytes(value), name.size(), value.size(), NGHTTP2_NV_FLAG_NONE};
}

class Connection final : public GrpcConnection {
 public:
  Connection(IoLoop& loop, base::Descriptor socket, std::unique_ptr<TlsSession> tls,
             std::function<void(std::string)> on_lost)
      : loop_(loop),
        socket_(std::move(socket)),
        tls_(std::move(tls)),
        on_lost_(std::move(on_lost)),
        scheme_(tls_ ? "https" : "http") {}
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection() override {
    if (socket_.is_open()) loop_.forget(socket_.number());
    nghttp2_session_del(session_);
  }

  void start();
  void call(GrpcCall call) override;
  void ping(std::function<void()> answered) override;
  void close(std::string why) override { lose(std::move(why)); }

 private:
  static Connection& self(void* data) { return *static_cast<Connection*>(data); }
  Stream* stream(std::int32_t id) {
    const auto found = streams_.find(id);
    return found == streams_.end() ? nullptr : found->second.get();
  }

  void set_callbacks(nghttp2_session_callbacks& callbacks);
  void on_header(std::int32_t id, std::string_view name, std::string_view value);
  void on_data(std::int32_t id, std::string_view piece);
  void on_close(std::int32_t id, std::uint32_t error);
  ssize_t next_data(std::int32_t id, std::uint8_t* buffer, std::size_t length,
                    std::uint32_t* flags);

  void ready(std::uint32_t events);
  void read_ready();
  void take(std::string_view bytes);
  void on_frame(const nghttp2_frame& frame);
  // Whether nghttp2 has given the session up. It says so to no stream: what waits for an answer
  // would wait for good.
  bool is_ended() const {
    return nghttp2_session_want_read(session_) == 0 && nghttp2_session_want_write(session_) == 0;
  }
  // Turns what the session has to say into bytes to write.
  void fill();
  void flush();
  void lose(std::string why);

  IoLoop& loop_;
  base::Descriptor socket_;
  std::unique_ptr<TlsSession> tls_;
  std::function<void(std::string)> on_lost_;
  std::string_view scheme_;
  nghttp2_session* session_ = nullptr;
  std::map<std::int32_t, std::unique_ptr<Stream>> streams_;
  std::string received_ = std::string(kReadPiece, '\0');  // what is read, again and again
  SendBuffer pending_;
  bool waits_to_write_ = false;
  bool is_busy_ = false;  // inside of nghttp2, which does not like to be called again
  std::function<void()> ping_answered_;
  std::string complaint_;  // what nghttp2 last found wrong
  std::string lost_;       // why there is no connection any more
};

void Connection::set_callbacks(nghttp2_session_callbacks& callbacks) {
  nghttp2_session_callbacks_set_on_header_callback(
      &callbacks, [](nghttp2_session*, const nghttp2_frame* frame, const std::uint8_t* name,
                     std::size_t name_length, const std::uint8_t* value, std::size_t value_length,
                     std::uint8_t, void* data) {
        self(data).on_header(frame->hd.stream_id,
                             {reinterpret_cast<const char*>(name), name_length},
                             {reinterpret_cast<const char*>(value), value_length});
        return 0;
      });
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(
      &callbacks, [](nghttp2_session*, std::uint8_t, std::int32_t id, const std::uint8_t* bytes,
                     std::size_t length, void* data) {
        self(data).on_data(id, {reinterpret_cast<const char*>(bytes), length});
        return 0;
      });
  nghttp2_session_callbacks_set_on_stream_close_callback(
      &callbacks, [](nghttp2_session*, std::int32_t id, std::uint32_t error, void* data) {
        self(data).on_close(id, error);
        return 0;
      });
  nghttp2_session_callbacks_set_on_frame_recv_callback(
      &callbacks, [](nghttp2_session*, const nghttp2_frame* frame, void* data) {
        self(data).on_frame(*frame);
        return 0;
      });
  // nghttp2 ends a session with a last frame that says why.
  nghttp2_session_callbacks_set_on_frame_send_callback(
      &callbacks, [](nghttp2_session*, const nghttp2_frame* frame, void* data) {
        if (frame->hd.type == NGHTTP2_GOAWAY && self(data).complaint_.empty()) {
          self(data).complaint_ = nghttp2_http2_strerror(frame->goaway.error_code);
        }
        return 0;
      });
  nghttp2_session_callbacks_set_error_callback2(
      &callbacks, [](nghttp2_session*, int, const char* message, std::size_t length, void* data) {
        self(data).complaint_.assign(message, length);
        return 0;
      });
}

void Connection::start() {
  nghttp2_session_callbacks* callbacks = nullptr;
  TOFU_CHECK(nghttp2_session_callbacks_new(&callbacks) == 0, "there is memory");
  set_callbacks(*callbacks);
  TOFU_CHECK(nghttp2_session_client_new(&session_, callbacks, this) == 0, "there is memory");
  nghttp2_session_callbacks_del(callbacks);
  const std::array<nghttp2_settings_entry, 2> settings{
      {{NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, kStreamWindow}, {NGHTTP2_SETTINGS_ENABLE_PUSH, 0}}};
  nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, settings.data(), settings.size());
  nghttp2_session_set_local_window_size(session_, NGHTTP2_FLAG_NONE, 0, kConnectionWindow);
  loop_.watch(socket_.number(), EPOLLIN, [this](std::uint32_t events) { ready(events); });
  flush();
}

void Connection::call(GrpcCall call) {
  if (!lost_.empty()) {
    GrpcEnd end = end_with(kUnavailable, lost_);
    end.is_lost = true;
    end.was_sent = false;
    call.on_end(std::move(end));
    return;
  }
  if (nghttp2_session_check_request_allowed(session_) == 0) {
    call.on_end(end_with(kUnavailable, "the plugin takes no more calls"));
    return;
  }
  auto made = std::make_unique<Stream>(std::move(call));
  const std::array<nghttp2_nv, 7> headers{
      header(":method", "POST"),
      header(":scheme", scheme_),
      header(":path", made->call.path),
      header(":authority", "localhost"),
      header("content-type", "application/grpc"),
      header("te", "trailers"),
      header("user-agent", "tofu"),
  };
  nghttp2_data_provider data{};
  data.read_callback = [](nghttp2_session*, std::int32_t id, std::uint8_t* buffer,
                          std::size_t length, std::uint32_t* flags, nghttp2_data_source*,
                          void* user) { return self(user).next_data(id, buffer, length, flags); };
  const std::int32_t id =
      nghttp2_submit_request(session_, nullptr, headers.data(), headers.size(), &data, nullptr);
  if (id < 0) {  // all numbers of this connection are used up, or there is no memory
    GrpcEnd end = end_with(kInternal, nghttp2_strerror(id));
    end.was_sent = false;
    made->call.on_end(std::move(end));
    return;
  }
  streams_.emplace(id, std::move(made));
  if (!is_busy_) flush();
}

void Connection::ping(std::function<void()> answered) {
  if (!lost_.empty()) return;
  ping_answered_ = std::move(answered);
  nghttp2_submit_ping(session_, NGHTTP2_FLAG_NONE, nullptr);
  if (!is_busy_) flush();
}

void Connection::on_frame(const nghttp2_frame& frame) {
  const bool is_answer = frame.hd.type == NGHTTP2_PING && (frame.hd.flags & NGHTTP2_FLAG_ACK) != 0;
  if (!is_answer || !ping_answered_) return;
  std::exchange(ping_answered_, nullptr)();
}

ssize_t Connection::next_data(std::int32_t id, std::uint8_t* buffer, std::size_t length,
                              std::uint32_t* flags) {
  Stream* found = stream(id);
  if (found == nullptr) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
  const std::size_t count = found->next(buffer, length);
  if (found->is_sent()) *flags |= NGHTTP2_DATA_FLAG_EOF;
  return static_cast<ssize_t>(count);
}

void Connection::on_header(std::int32_t id, std::string_view name, std::string_view value) {
  Stream* found = stream(id);
  if (found == nullptr) return;
  if (name == ":status") found->http_status = value;
  if (name == "grpc-status") found->grpc_status = value;
  if (name == "grpc-message") found->grpc_message = value;
}

void Connection::on_data(std::int32_t id, std::string_view piece) {
  Stream* found = stream(id);
  if (found == nullptr || !found->broken.empty()) return;
  found->broken = found->answer.receive(piece, found->call.on_message);
  if (!found->broken.empty()) {
    nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, id, NGHTTP2_CANCEL);
  }
}

void Connection::on_close(std::int32_t id, std::uint32_t error) {
  const auto found = streams_.find(id);
  if (found == streams_.end()) return;
  const std::unique_ptr<Stream> ended = std::move(found->second);
  streams_.erase(found);
  ended->call.on_end(end_of(*ended, error));
}

void Connection::ready(std::uint32_t events) {
  if ((events & EPOLLOUT) != 0) flush();
  if (!lost_.empty()) return;
  if ((events & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0) read_ready();
}

void Connection::read_ready() {
  const ssize_t count = ::read(socket_.number(), received_.data(), received_.size());
  if (count < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (count < 0) return lose(base::system_error(errno).what);
  if (count == 0) return lose("the connection was closed");
  const std::string_view bytes(received_.data(), static_cast<std::size_t>(count));
  if (!tls_) {
    take(bytes);
  } else {
    const auto on_plain = [this](std::string_view plain) {
      if (lost_.empty()) take(plain);
    };
    if (auto received = tls_->receive(bytes, on_plain); !received) {
      // Try to inform the other side.
      flush();
      if (lost_.empty()) lose(received.error().what);
      return;
    }
  }
  if (lost_.empty()) flush();
}

void Connection::take(std::string_view bytes) {
  is_busy_ = true;
  const ssize_t used = nghttp2_session_mem_recv(
      session_, reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  is_busy_ = false;
  if (used < 0) lose(fmt::format("not HTTP/2: {}", nghttp2_strerror(static_cast<int>(used))));
}

void Connection::fill() {
  while (pending_.waiting().size() < kMaxPending) {
    const std::uint8_t* bytes = nullptr;
    is_busy_ = true;
    const ssize_t count = nghttp2_session_mem_send(session_, &bytes);
    is_busy_ = false;
    if (count <= 0) break;
    const std::string_view made(reinterpret_cast<const char*>(bytes),
                                static_cast<std::size_t>(count));
    if (!tls_) {
      pending_.end() += made;
    } else if (auto sent = tls_->send(made); !sent) {
      return lose(sent.error().what);
    } else {
      tls_->take_output(pending_.end());
    }
  }
  if (tls_) tls_->take_output(pending_.end());
}

void Connection::flush() {
  while (lost_.empty()) {
    fill();
    if (!lost_.empty()) return;
    const std::string_view waiting = pending_.waiting();
    if (waiting.empty()) break;
    const ssize_t count =
        ::send(socket_.number(), waiting.data(), waiting.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno != EAGAIN && errno != ENOTCONN) {
      return lose(base::system_error(errno).what);
    }
    if (count < 0) break;
    pending_.take(static_cast<std::size_t>(count));
  }
  if (lost_.empty() && is_ended()) {
    return lose(complaint_.empty() ? "the plugin ended the connection"
                                   : "the plugin did not keep to HTTP/2: " + complaint_);
  }
  const bool waits = !pending_.waiting().empty();
  if (waits == waits_to_write_) return;
  waits_to_write_ = waits;
  loop_.change(socket_.number(), waits ? EPOLLIN | EPOLLOUT : EPOLLIN);
}

void Connection::lose(std::string why) {
  if (!lost_.empty()) return;
  lost_ = why;
  loop_.forget(socket_.number());
  socket_.close();
  ping_answered_ = nullptr;
  auto streams = std::exchange(streams_, {});
  for (auto& [id, ended] : streams) {
    GrpcEnd end = end_with(kUnavailable, why);
    end.is_lost = true;
    ended->call.on_end(std::move(end));
  }
  if (on_lost_) on_lost_(std::move(why));
}

}  // namespace

std::unique_ptr<GrpcConnection> GrpcConnection::open(IoLoop& loop, base::Descriptor socket,
                                                     std::unique_ptr<TlsSession> tls,
                                                     std::function<void(std::string)> on_lost) {
  auto connection =
      std::make_unique<Connection>(loop, std::move(socket), std::move(tls), std::move(on_lost));
  connection->start();
  return connection;
}

}  // namespace tofu::providers
