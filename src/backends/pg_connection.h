// A connection with a PostgreSQL server, made when it is first needed and again when it
// is lost.
//
// Locks of the advisory kind belong to a session: the owner of a lock remembers its number, and
// knows that the lock is gone when the number has changed.
//
// Errors hold what the server says, and nothing of the connection string, which may have
// a password in it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "backends/pq_library.h"
#include "base/result.h"
#include "base/stop_wait.h"
#include "base/text_pieces.h"

namespace tofu::backends {

// Options of a connection by their names, such as "host". Libpq adds those of the
// environment that are missing here.
using PgOptions = std::vector<std::pair<std::string, std::string>>;

// The contents of a connection string.
base::Result<PgOptions> parse_connection_string(const std::string& text);

class PgConnection {
 public:
  using Row = std::vector<std::optional<std::string>>;

  // `request_stop` returns the stop token for a new query.
  PgConnection(PgOptions options, std::function<std::stop_token()> request_stop)
      : options_(std::move(options)), request_stop_(std::move(request_stop)) {}
  ~PgConnection() { close(); }
  PgConnection(const PgConnection&) = delete;
  PgConnection& operator=(const PgConnection&) = delete;

  // The rows of the answer; `parameters` are $1 and so on, texts of the caller that end with
  // a zero. Nothing is tried twice. A server that does not answer is waited for, but not for
  // ever: the connection is given up then.
  base::Result<std::vector<Row>> query(const std::string& text,
                                       const std::vector<const char*>& parameters = {});
  // The same for an answer that is too large to have twice: `take` gets its rows one after the
  // other, with the bytes of each column in PostgreSQL's binary form.
  using BinaryRow = std::vector<std::string_view>;
  base::Result<void> read_rows(const std::string& text, const std::vector<const char*>& parameters,
                               const std::function<void(const BinaryRow&)>& take);
  // `statement` copies one row from the client, in binary format, and `column` is the only
  // column of it.
  base::Result<void> copy_row(const std::string& statement, const base::TextPieces& column);
  // The SQLSTATE of the last failed query; empty if the connection failed.
  const std::string& last_state() const { return last_state_; }

  // Counts sessions: another number is another session. 0 if there is none.
  std::uint64_t session() const { return session_; }
  // Makes a connection if there is none, or if the one there is does not answer.
  base::Result<void> ensure();

 private:
  using Answer = std::unique_ptr<PGresult, decltype(&::PQclear)>;

  base::Result<void> connect();
  // Until the server has accepted the connection that was begun. `is_silent`: whether it is there
  // and does not answer.
  base::Result<void> finish_connecting(bool& is_silent);
  void close();
  base::Result<void> make_ready();
  base::Result<Answer> ask(const std::string& text, const std::vector<const char*>& parameters);
  // Until the server has all that was sent.
  base::Result<void> flush(const base::StopDescriptor& stop);
  // The next part of the answer; null after the last one.
  base::Result<Answer> next(const base::StopDescriptor& stop);
  // To the end of an answer of which only success is of interest.
  base::Result<void> finish(const base::StopDescriptor& stop);
  // Whether it says that something failed, whose SQLSTATE is noted.
  bool is_refusal(const PGresult* answer);
  base::Result<void> send_row(const base::TextPieces& column, const base::StopDescriptor& stop);
  // Until there is something to read, or until the socket is writable if that is requested.
  base::Result<void> wait(bool wants_to_write, const base::StopDescriptor& stop);
  base::Error failure();

  PgOptions options_;
  std::function<std::stop_token()> request_stop_;
  PGconn* connection_ = nullptr;
  std::uint64_t session_ = 0;
  std::uint64_t sessions_ = 0;  // that were made so far
  std::string last_state_;
};

// As a name in a query.
std::string quote_identifier(std::string_view name);

}  // namespace tofu::backends
