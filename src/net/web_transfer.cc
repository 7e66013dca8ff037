#include "net/web_transfer.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <optional>
#include <unistd.h>
#include <utility>

#include "base/hashes.h"
#include "net/authorities.h"
#include "net/proxies.h"

namespace tofu::net {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMaxHeadersSize = 256 * 1024;
// Of an error response only the beginning is kept: it is shown to people.
constexpr std::size_t kMaxRefusalSize = 64 * 1024;
// More than that is not set aside on the word of a server.
constexpr std::uint64_t kMaxReserve = std::uint64_t{256} << 20;
// States are large, and small pieces of them cost time.
constexpr long kPiece = 512 * 1024;

bool is_success(long status) { return status >= 200 && status < 300; }

// Takes in what libcurl hands over. Its callbacks are the static functions.
// Large: libcurl gives its callbacks one pointer, and all of this is the state of one answer.
class Receiver {
 public:
  Receiver(const CurlLibrary& curl, CURL* handle, const WebTransfer& transfer,
           const WebOptions& options, const std::stop_token& stop)
      : curl_(curl), handle_(handle), transfer_(transfer), options_(options), stop_(stop) {}
  Receiver(const Receiver&) = delete;
  Receiver& operator=(const Receiver&) = delete;
  ~Receiver();

  static std::size_t on_header(char* data, std::size_t size, std::size_t count, void* self) {
    return static_cast<Receiver*>(self)->take_header({data, size * count}) ? size * count : 0;
  }
  static std::size_t on_body(char* data, std::size_t size, std::size_t count, void* self) {
    return static_cast<Receiver*>(self)->take_body({data, size * count}) ? size * count : 0;
  }
  static int on_progress(void* self, curl_off_t, curl_off_t down, curl_off_t, curl_off_t up) {
    return static_cast<Receiver*>(self)->may_go_on(down + up) ? 0 : 1;
  }

  // After the end: the answer, or why there is none.
  base::Result<WebReply> finish(CURLcode code, bool& again);

 private:
  bool take_header(std::string_view line);
  bool take_body(std::string_view bytes);
  void reserve_body();
  bool write(std::string_view bytes);
  bool may_go_on(curl_off_t bytes);
  bool open_file();
  bool resume_file();
  bool is_resumed() const;
  std::string validator() const;
  long status() const {
    long status = 0;
    curl_.easy_getinfo(handle_, CURLINFO_RESPONSE_CODE, &status);
    return status;
  }
  bool into_file() const { return transfer_.path != nullptr && is_success(status()); }
  bool refuse(std::string why) {
    problem_ = std::move(why);
    return false;
  }
  std::string timeout_text() const;
  std::string error_text(CURLcode code) const;

  const CurlLibrary& curl_;
  CURL* handle_;
  const WebTransfer& transfer_;
  const WebOptions& options_;
  std::stop_token stop_;

  WebReply reply_;
  int file_ = -1;
  bool kept_ = false;
  bool may_resume_ = false;  // an interrupted download can be resumed
  bool cut_ = false;         // enough was read of a refusal
  bool stalled_ = false;
  std::string problem_;
  std::size_t header_bytes_ = 0;
  std::uint64_t body_bytes_ = 0;
  curl_off_t last_bytes_ = 0;
  Clock::time_point last_change_ = Clock::now();
};

Receiver::~Receiver() {
  if (file_ < 0) return;
  ::close(file_);
  if (kept_) return;
  if (may_resume_ && transfer_.partial != nullptr && !validator().empty()) {
    *transfer_.partial = {body_bytes_, validator()};
    return;
  }
  ::unlink(transfer_.path->c_str());
  if (transfer_.partial != nullptr) *transfer_.partial = {};
}

// Only a strong entity tag or a date says that two answers have the same bytes.
std::string Receiver::validator() const {
  const std::string_view tag = reply_.header("ETag");
  if (tag.starts_with('"')) return std::string(tag);
  return std::string(reply_.header("Last-Modified"));
}

// The server goes on where the last answer ended, as it was asked to.
bool Receiver::is_resumed() const {
  return status() == 206 && transfer_.partial != nullptr && transfer_.partial->bytes > 0;
}

bool Receiver::take_header(std::string_view line) {
  header_bytes_ += line.size();
  if (header_bytes_ > kMaxHeadersSize) return refuse("its headers are too long");
  // A new answer begins: what came before was "100 Continue" or a proxy's.
  if (line.starts_with("HTTP/")) {
    reply_.headers.clear();
    return true;
  }
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return true;
  constexpr std::string_view kBlanks = " \t\r\n";
  std::string_view value = line.substr(colon + 1);
  value.remove_prefix(std::min(value.find_first_not_of(kBlanks), value.size()));
  value = value.substr(0, value.find_last_not_of(kBlanks) + 1);
  reply_.headers.push_back({std::string(line.substr(0, colon)), std::string(value)});
  return true;
}

bool Receiver::resume_file() {
  const std::uint64_t bytes = transfer_.partial->bytes;
  if (!reply_.header("Content-Range").starts_with(fmt::format("bytes {}-", bytes))) {
    return refuse("it resumes the download at another place");
  }
  file_ = ::open(transfer_.path->c_str(), O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW);
  if (file_ < 0) return refuse(fmt::format("opening its file failed: {}", std::strerror(errno)));
  body_bytes_ += bytes;
  return true;
}

bool Receiver::open_file() {
  if (file_ >= 0) return true;
  if (is_resumed()) return resume_file();
  if (transfer_.partial != nullptr && transfer_.partial->bytes > 0) {
    ::unlink(transfer_.path->c_str());  // the server begins anew
    *transfer_.partial = {};
  }
  if (DownloadObserver* observer = transfer_.request.observer; observer != nullptr) {
    curl_off_t size = -1;
    curl_.easy_getinfo(handle_, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &size);
    observer->begin(size < 0 ? std::nullopt : std::optional<std::uint64_t>(size));
  }
  file_ = ::open(transfer_.path->c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
                 transfer_.request.file_mode);
  if (file_ >= 0) return true;
  return refuse(fmt::format("creating a file for it failed: {}", std::strerror(errno)));
}

bool Receiver::write(std::string_view bytes) {
  if (transfer_.request.observer != nullptr) transfer_.request.observer->take(bytes);
  while (!bytes.empty()) {
    const ssize_t written = ::write(file_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return refuse(fmt::format("writing it failed: {}", std::strerror(errno)));
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

bool Receiver::take_body(std::string_view bytes) {
  if (into_file() && !open_file()) return false;
  body_bytes_ += bytes.size();
  if (!is_success(status())) {
    const std::size_t room = kMaxRefusalSize - std::min(kMaxRefusalSize, reply_.body.size());
    reply_.body += bytes.substr(0, room);
    cut_ = bytes.size() > room;
    return !cut_;
  }
  if (body_bytes_ > transfer_.request.limit) {
    return refuse(fmt::format("its answer is longer than {} bytes", transfer_.request.limit));
  }
  if (transfer_.path != nullptr) return write(bytes);
  if (reply_.body.empty()) reserve_body();
  reply_.body += bytes;
  return true;
}

// So that a large answer is not copied each time it outgrows its memory.
void Receiver::reserve_body() {
  curl_off_t size = -1;
  curl_.easy_getinfo(handle_, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &size);
  if (size > 0) reply_.body.reserve(std::min<std::uint64_t>(size, kMaxReserve));
}

bool Receiver::may_go_on(curl_off_t bytes) {
  if (stop_.stop_requested()) return refuse("interrupted");
  const Clock::time_point now = Clock::now();
  if (bytes != last_bytes_) {
    last_bytes_ = bytes;
    last_change_ = now;
  }
  stalled_ = now - last_change_ > options_.stall_timeout;
  return !stalled_;
}

// The texts are Go's: programs that run this one decide by them whether to retry.
std::string Receiver::timeout_text() const {
  curl_off_t connected = 0;
  curl_off_t secured = 0;
  curl_.easy_getinfo(handle_, CURLINFO_CONNECT_TIME_T, &connected);
  curl_.easy_getinfo(handle_, CURLINFO_APPCONNECT_TIME_T, &secured);
  if (connected == 0) return fmt::format("dial tcp {}: i/o timeout", transfer_.url.authority());
  if (transfer_.url.scheme == "https" && secured == 0) return "TLS handshake timeout";
  return status() == 0
             ? "context deadline exceeded (Client.Timeout exceeded while awaiting headers)"
             : "context deadline exceeded (Client.Timeout exceeded while reading body)";
}

std::string Receiver::error_text(CURLcode code) const {
  long number = 0;
  curl_.easy_getinfo(handle_, CURLINFO_OS_ERRNO, &number);
  const int system = static_cast<int>(number);
  if (stalled_ || code == CURLE_OPERATION_TIMEDOUT) return timeout_text();
  if (code == CURLE_COULDNT_RESOLVE_HOST) {
    return fmt::format("dial tcp: lookup {}: no such host", transfer_.url.host);
  }
  if (code == CURLE_COULDNT_CONNECT) {
    return fmt::format(
        "dial tcp {}: connect: {}", transfer_.url.authority(),
        system == ECONNREFUSED || system == 0 ? "connection refused" : std::strerror(system));
  }
  if (code == CURLE_RECV_ERROR || code == CURLE_SEND_ERROR) {
    return system == 0 || system == ECONNRESET ? "read tcp: connection reset by peer"
                                               : std::strerror(system);
  }
  if (code == CURLE_GOT_NOTHING) return "EOF";
  if (code == CURLE_PARTIAL_FILE) return "unexpected EOF: the connection was closed too early";
  if (code == CURLE_SSL_CACERT_BADFILE) {
    return "tls: failed to verify certificate: the list of trusted authorities cannot be read; on "
           "Debian it is in the package ca-certificates";
  }
  if (code == CURLE_PEER_FAILED_VERIFICATION) {
    return "tls: failed to verify certificate";
  }
  if (code == CURLE_FILESIZE_EXCEEDED) {
    return fmt::format("its answer is longer than {} bytes", transfer_.request.limit);
  }
  return curl_.easy_strerror(code);
}

bool is_passing(CURLcode code) {
  return code == CURLE_COULDNT_CONNECT || code == CURLE_COULDNT_RESOLVE_HOST ||
         code == CURLE_COULDNT_RESOLVE_PROXY || code == CURLE_OPERATION_TIMEDOUT ||
         code == CURLE_RECV_ERROR || code == CURLE_SEND_ERROR || code == CURLE_GOT_NOTHING ||
         code == CURLE_PARTIAL_FILE || code == CURLE_SSL_CONNECT_ERROR || code == CURLE_HTTP2 ||
         code == CURLE_HTTP2_STREAM;
}

base::Result<WebReply> Receiver::finish(CURLcode code, bool& again) {
  if (code == CURLE_OK && into_file()) open_file();  // an empty body makes an empty file
  if (!problem_.empty() || (code != CURLE_OK && !cut_)) {
    again = problem_.empty() && (stalled_ || is_passing(code));
    may_resume_ = again;
    return base::Error{fmt::format("asking {} failed: {}", transfer_.url.authority(),
                                   problem_.empty() ? error_text(code) : problem_)};
  }
  kept_ = true;
  reply_.status = is_resumed() ? 200 : static_cast<int>(status());
  if (into_file() && transfer_.partial != nullptr) *transfer_.partial = {};
  return std::move(reply_);
}

// The headers of a request, freed at the end.
class HeaderList {
 public:
  explicit HeaderList(const CurlLibrary& curl) : curl_(curl) {}
  HeaderList(const HeaderList&) = delete;
  HeaderList& operator=(const HeaderList&) = delete;
  ~HeaderList() { curl_.slist_free_all(list_); }

  void add(std::string_view name, std::string_view value) {
    // "Name;" is how libcurl takes a header without a value.
    std::string line(name);
    line.append(value.empty() ? ";" : ": ").append(value);
    append(line);
  }
  // Unless it belongs to another origin.
  void add(std::string_view name, const Secret& secret, const Origin& origin) {
    if (const auto value = secret.reveal_to(origin)) add(name, *value);
  }
  // One that libcurl would send by itself.
  void leave_out(const char* name) { append(fmt::format("{}:", name)); }
  curl_slist* list() const { return list_; }
  // Whether there was memory for all of them.
  bool is_whole() const { return is_whole_; }

 private:
  void append(const std::string& line) {
    curl_slist* longer = curl_.slist_append(list_, line.c_str());
    is_whole_ = is_whole_ && longer != nullptr;
    if (longer != nullptr) list_ = longer;
  }

  const CurlLibrary& curl_;
  curl_slist* list_ = nullptr;
  bool is_whole_ = true;
};

// Gives libcurl a body that is in pieces.
class BodyReader {
 public:
  explicit BodyReader(const base::TextPieces& text) : text_(text), reader_(text) {}

  static std::size_t on_read(char* into, std::size_t size, std::size_t count, void* self) {
    return static_cast<BodyReader*>(self)->reader_.read(into, size * count);
  }
  // A connection that was kept open may turn out to be closed: then the body is sent again.
  static int on_seek(void* self, curl_off_t offset, int origin) {
    auto& body = *static_cast<BodyReader*>(self);
    if (origin != SEEK_SET || offset < 0 || static_cast<std::size_t>(offset) > body.text_.size()) {
      return CURL_SEEKFUNC_FAIL;
    }
    body.reader_.seek(static_cast<std::size_t>(offset));
    return CURL_SEEKFUNC_OK;
  }

 private:
  const base::TextPieces& text_;
  base::TextPieces::Reader reader_;
};

// A libcurl that does not know an option does without it: one without signatures would send the
// secret as a password. So each is checked, and nothing is sent after one that was refused.
class Setup {
 public:
  Setup(const CurlLibrary& curl, CURL* handle) : curl_(curl), handle_(handle) {}

  // Nothing, or why the request cannot be sent as it has to be.
  std::optional<base::Error> problem() const {
    if (refused_ == CURLE_OK) return std::nullopt;
    return base::Error{
        fmt::format("the library libcurl refuses its option {}, without which the request is not "
                    "sent: {}",
                    static_cast<int>(refused_option_), curl_.easy_strerror(refused_))};
  }

  void set(CURLoption option, const char* text) { set_any(option, text); }
  void set(CURLoption option, const std::string& text) { set_any(option, text.c_str()); }
  void set(CURLoption option, long number) { set_any(option, number); }
  void set(CURLoption option, std::chrono::milliseconds time) {
    set_any(option, static_cast<long>(std::max<std::int64_t>(time.count(), 1)));
  }
  void set(CURLoption option, void* pointer) { set_any(option, pointer); }
  void set_size(CURLoption option, std::uint64_t size) {
    set_any(option, static_cast<curl_off_t>(std::min<std::uint64_t>(size, INT64_MAX)));
  }
  void set_headers(const HeaderList& headers) {
    if (!headers.is_whole()) refuse(CURLOPT_HTTPHEADER, CURLE_OUT_OF_MEMORY);
    set_any(CURLOPT_HTTPHEADER, headers.list());
  }
  void set_copy(CURLoption option, const std::string& bytes) {
    curl_blob blob{const_cast<char*>(bytes.data()), bytes.size(), CURL_BLOB_COPY};
    set_any(option, &blob);
  }
  template <class Function>
  void set_function(CURLoption option, Function* function) {
    set_any(option, function);
  }

  void connection(const WebOptions& options, bool into_file);
  void security(const WebOptions& options, bool with_secrets);
  void proxy(const ProxyOptions& options, const base::Url& url);
  void secrets(const WebTransfer& transfer, HeaderList& headers);
  void request(const WebTransfer& transfer, HeaderList& headers, std::optional<BodyReader>& reader);

 private:
  void body(const WebTransfer& transfer, std::optional<BodyReader>& reader);
  // Remembers the first that is refused.
  template <class T>
  void set_any(CURLoption option, T value) {
    refuse(option, curl_.easy_setopt(handle_, option, value));
  }
  void refuse(CURLoption option, CURLcode code) {
    if (code == CURLE_OK || refused_ != CURLE_OK) return;
    refused_ = code;
    refused_option_ = option;
  }

  const CurlLibrary& curl_;
  CURL* handle_;
  CURLcode refused_ = CURLE_OK;
  CURLoption refused_option_ = {};
};

void Setup::connection(const WebOptions& options, bool into_file) {
  set(CURLOPT_NOSIGNAL, 1L);  // there are threads
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  set(CURLOPT_FOLLOWLOCATION, 0L);
  set(CURLOPT_USERAGENT, options.user_agent);
  set(CURLOPT_CONNECTTIMEOUT_MS, options.connect_timeout);
  // A large file may take long as long as bytes arrive, and is compressed already.
  if (!into_file) {
    set(CURLOPT_TIMEOUT_MS, options.answer_timeout);
    set(CURLOPT_ACCEPT_ENCODING, "gzip");  // limits count the decompressed bytes
  }
  set(CURLOPT_NOPROGRESS, 0L);
  set(CURLOPT_BUFFERSIZE, kPiece);
  set(CURLOPT_UPLOAD_BUFFERSIZE, kPiece);
}

void Setup::security(const WebOptions& options, bool with_secrets) {
  const TlsOptions& tls = options.tls;
  Authorities authorities = system_authorities();
  if (!options.authorities_file.empty()) authorities.file = options.authorities_file;
  if (!options.authorities_directory.empty()) authorities.directory = options.authorities_directory;
  if (!authorities.file.empty()) set(CURLOPT_CAINFO, authorities.file);
  if (!authorities.directory.empty()) set(CURLOPT_CAPATH, authorities.directory);
  if (!tls.authorities.empty()) {
    set(CURLOPT_CAPATH, static_cast<const char*>(nullptr));
    set_copy(CURLOPT_CAINFO_BLOB, tls.authorities);
  }
  if (tls.without_verification) {
    set(CURLOPT_SSL_VERIFYPEER, 0L);
    set(CURLOPT_SSL_VERIFYHOST, 0L);
  }
  if (!with_secrets) return;
  if (!tls.certificate.empty()) set_copy(CURLOPT_SSLCERT_BLOB, tls.certificate);
  if (!tls.private_key.empty()) set_copy(CURLOPT_SSLKEY_BLOB, tls.private_key);
}

void Setup::proxy(const ProxyOptions& options, const base::Url& url) {
  const std::string& address = url.scheme == "https" ? options.https : options.http;
  if (!address.empty()) set(CURLOPT_PROXY, address);
  // libcurl reads lists of names otherwise than Go's programs: it knows no ports, and a name with a
  // dot before it stands for itself, too.
  set(CURLOPT_NOPROXY, is_without_proxy(options.excluded, url) ? "*" : "");
}

// The body of a request that is signed.
std::string body_hash(const WebRequest& request, const Origin& origin) {
  if (!request.body_sha256.empty()) return request.body_sha256;
  if (request.large_body != nullptr)
    return base::to_hex(base::digest(base::Hash::Sha256, *request.large_body));
  return base::sha256_hex(request.body.reveal_to(origin).value_or(""));
}

void Setup::secrets(const WebTransfer& transfer, HeaderList& headers) {
  const WebRequest& request = transfer.request;
  const Origin origin(transfer.url);
  if (transfer.login) {
    headers.add("Authorization", basic_login(transfer.login->user, transfer.login->password),
                origin);
  }
  if (!transfer.with_secrets) return;
  for (const SecretHeader& header : request.private_headers) {
    headers.add(header.name, header.value, origin);
  }
  if (!request.signature) return;
  const AwsSignature& signature = *request.signature;
  set(CURLOPT_AWS_SIGV4, fmt::format("aws:amz:{}:{}", signature.region, signature.service));
  set(CURLOPT_USERNAME, signature.key_id);
  // libcurl copies it, and forgets it with the handle's other options.
  set(CURLOPT_PASSWORD, std::string(signature.secret.reveal_to(origin).value_or("")));
  // libcurl before 8 does not add it itself, and S3 wants it.
  headers.add("x-amz-content-sha256", body_hash(request, origin));
  if (!signature.session_token.is_empty()) {
    headers.add("x-amz-security-token", signature.session_token, origin);
  }
}

void Setup::body(const WebTransfer& transfer, std::optional<BodyReader>& reader) {
  const WebRequest& request = transfer.request;
  if (request.large_body == nullptr) {
    const std::string_view text = request.body.reveal_to(Origin(transfer.url)).value_or("");
    set_size(CURLOPT_POSTFIELDSIZE_LARGE, text.size());
    set(CURLOPT_POSTFIELDS, text.data());  // not copied: the request outlives this
    return;
  }
  reader.emplace(*request.large_body);
  set(CURLOPT_POST, 1L);
  set_size(CURLOPT_POSTFIELDSIZE_LARGE, request.large_body->size());
  set_function(CURLOPT_READFUNCTION, &BodyReader::on_read);
  set_function(CURLOPT_SEEKFUNCTION, &BodyReader::on_seek);
  set(CURLOPT_READDATA, static_cast<void*>(&*reader));
  set(CURLOPT_SEEKDATA, static_cast<void*>(&*reader));
}

// `reader` lives until the exchange ends.
void Setup::request(const WebTransfer& transfer, HeaderList& headers,
                    std::optional<BodyReader>& reader) {
  const WebRequest& request = transfer.request;
  set(CURLOPT_URL, transfer.url.to_string());
  if (request.deadline) set(CURLOPT_NOPROXY, "*");
  if (request.deadline) {
    set(CURLOPT_CONNECTTIMEOUT_MS, *request.deadline);
    set(CURLOPT_TIMEOUT_MS, *request.deadline);
  }
  for (const WebHeader& header : request.headers) headers.add(header.name, header.value);
  if (transfer.partial != nullptr && transfer.partial->bytes > 0) {
    headers.add("Range", fmt::format("bytes={}-", transfer.partial->bytes));
    headers.add("If-Range", transfer.partial->validator);
  }
  secrets(transfer, headers);
  set_size(CURLOPT_MAXFILESIZE_LARGE, request.limit);
  if (transfer.without_body || request.method == "GET") {
    set(CURLOPT_HTTPGET, 1L);
  } else if (request.method == "HEAD") {
    set(CURLOPT_NOBODY, 1L);
  } else {
    body(transfer, reader);
    set(CURLOPT_CUSTOMREQUEST, request.method);
    // A server that does not know this header is waited for in vain. Where the request is
    // signed, it cannot be left out: libcurl signs it nevertheless, and the server does not.
    if (transfer.with_secrets && request.signature) {
      set(CURLOPT_EXPECT_100_TIMEOUT_MS, 1L);
    } else {
      headers.leave_out("Expect");
    }
  }
}

}  // namespace

base::Result<WebReply> run_transfer(const CurlLibrary& curl, CURL* handle,
                                    const WebTransfer& transfer, const WebOptions& options,
                                    const std::stop_token& stop, bool& again) {
  Receiver receiver(curl, handle, transfer, options, stop);
  HeaderList headers(curl);
  std::optional<BodyReader> reader;
  Setup setup(curl, handle);
  setup.connection(options, transfer.path != nullptr);
  setup.security(options, transfer.with_secrets);
  setup.proxy(options.proxy, transfer.url);
  setup.request(transfer, headers, reader);
  setup.set_headers(headers);
  setup.set_function(CURLOPT_HEADERFUNCTION, &Receiver::on_header);
  setup.set_function(CURLOPT_WRITEFUNCTION, &Receiver::on_body);
  setup.set_function(CURLOPT_XFERINFOFUNCTION, &Receiver::on_progress);
  for (const CURLoption option : {CURLOPT_HEADERDATA, CURLOPT_WRITEDATA, CURLOPT_XFERINFODATA}) {
    setup.set(option, static_cast<void*>(&receiver));
  }
  if (auto refused = setup.problem()) return *refused;
  return receiver.finish(curl.easy_perform(handle), again);
}

}  // namespace tofu::net
