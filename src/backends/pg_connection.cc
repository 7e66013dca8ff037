#include "backends/pg_connection.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <climits>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <poll.h>
#include <sys/socket.h>
#include <tuple>
#include <utility>

#include "base/trim.h"

namespace tofu::backends {

namespace {

// Writing a large state may take the server long, and it says nothing meanwhile.
constexpr std::chrono::seconds kPatience(120);
constexpr const char* kConnectSeconds = "10";
constexpr std::size_t kCopyPiece = 256 * 1024;
constexpr std::size_t kMaxColumnLength = std::size_t{1} << 30;

using Clock = std::chrono::steady_clock;

// libpq's own timeout for a connection: nothing for ever. The environment may say it.
bool has_connect_timeout(const PqLibrary& pq) {
  PQconninfoOption* found = pq.default_conninfo();
  bool has_it = false;
  for (const PQconninfoOption* each = found; each != nullptr && each->keyword != nullptr; ++each) {
    if (std::string_view(each->keyword) == "connect_timeout") has_it = each->val != nullptr;
  }
  if (found != nullptr) pq.free_conninfo(found);
  return has_it;
}

// How long each address of the server is tried, as libpq reads it; nothing: for ever.
base::Result<std::optional<std::chrono::seconds>> connect_timeout(const PqLibrary& pq,
                                                                  PGconn* connection) {
  constexpr int kLeast = 2;
  PQconninfoOption* used = pq.used_conninfo(connection);
  std::string value;
  for (const PQconninfoOption* each = used; each != nullptr && each->keyword != nullptr; ++each) {
    if (std::string_view(each->keyword) == "connect_timeout" && each->val != nullptr) {
      value = each->val;
    }
  }
  if (used != nullptr) pq.free_conninfo(used);
  const std::string_view text = base::trim_space(value);
  int seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (!text.empty() && (error != std::errc() || end != text.data() + text.size())) {
    return base::Error{
        fmt::format("its connect_timeout is {:?}; it must be a number of seconds", value)};
  }
  if (seconds <= 0) return std::optional<std::chrono::seconds>();
  return std::optional(std::chrono::seconds(std::max(seconds, kLeast)));
}

// The one of the server's addresses that libpq tries now.
using Address = std::tuple<std::string, std::string, std::string>;

Address address_of(const PqLibrary& pq, const PGconn* connection) {
  const auto text = [](const char* found) { return std::string(found == nullptr ? "" : found); };
  return {text(pq.host(connection)), text(pq.host_address(connection)), text(pq.port(connection))};
}

// Where there are other servers than the one that libpq tries now; empty if there are none.
PgOptions other_servers(const PqLibrary& pq, PGconn* connection) {
  std::map<std::string_view, std::vector<std::string>> lists{
      {"host", {}}, {"hostaddr", {}}, {"port", {}}};
  PQconninfoOption* used = pq.used_conninfo(connection);
  for (const PQconninfoOption* each = used; each != nullptr && each->keyword != nullptr; ++each) {
    const auto list = lists.find(each->keyword);
    if (list == lists.end() || each->val == nullptr) continue;
    for (const std::string_view one : base::split(each->val, ',')) list->second.emplace_back(one);
  }
  if (used != nullptr) pq.free_conninfo(used);
  const std::size_t count = std::max(lists["host"].size(), lists["hostaddr"].size());
  const auto is_this = [&](std::string_view name, std::size_t i, const char* now) {
    const auto& list = lists[name];
    return list.size() != count || (now != nullptr && list[i] == now);
  };
  std::size_t tried = 0;
  while (tried < count &&
         !(is_this(lists["host"].empty() ? "hostaddr" : "host", tried, pq.host(connection)) &&
           is_this("port", tried, pq.port(connection)))) {
    ++tried;
  }
  PgOptions others;
  if (count < 2 || tried == count) return others;
  for (auto& [name, list] : lists) {
    if (list.size() != count) continue;  // one port for all
    list.erase(list.begin() + static_cast<std::ptrdiff_t>(tried));
    others.emplace_back(name, fmt::format("{}", fmt::join(list, ",")));
  }
  return others;
}

enum class Wake : std::uint8_t { Ready, Stopped, TimedOut };

// Waits for `events` of a socket. Without an `end`, for ever.
Wake wait_for(int socket, short events, const base::StopDescriptor& stop,
              std::optional<Clock::time_point> end) {
  using std::chrono::milliseconds;
  pollfd waiting[] = {{socket, events, 0}, {stop.number(), POLLIN, 0}};
  while (true) {
    int left = -1;
    if (end) {
      const auto time = std::chrono::ceil<milliseconds>(*end - Clock::now());
      left = static_cast<int>(std::clamp<std::int64_t>(time.count(), 0, INT_MAX));
    }
    const int ready = ::poll(waiting, 2, left);
    if (ready < 0 && errno == EINTR) continue;
    if (ready > 0 && waiting[1].revents != 0) return Wake::Stopped;
    if (ready > 0) return Wake::Ready;
    // A day may be longer than poll() counts.
    if (ready < 0 || (end && Clock::now() >= *end)) return Wake::TimedOut;
  }
}

base::Error no_answer(std::chrono::seconds waited) {
  return base::Error{fmt::format("the server does not answer (waited {} seconds)", waited.count())};
}

// Notices, such as that a table is there already, are not for people.
void ignore_notice(void*, const char*) {}

// In one line, without the end that libpq gives them.
std::string in_one_line(std::string_view text) {
  std::string line;
  for (const char c : text) line += c == '\n' || c == '\t' ? ' ' : c;
  while (line.ends_with(' ') || line.ends_with('.')) line.pop_back();
  return line;
}

}  // namespace

base::Result<PgOptions> parse_connection_string(const std::string& text) {
  const auto& pq = pq_library();
  if (!pq) return pq.error();
  char* problem = nullptr;
  PQconninfoOption* found = pq->parse_conninfo(text.c_str(), &problem);
  if (problem != nullptr) pq->free_memory(problem);  // it repeats parts of the text
  if (found == nullptr) return base::Error{"it is not a connection string of PostgreSQL"};
  PgOptions options;
  for (const PQconninfoOption* each = found; each->keyword != nullptr; ++each) {
    if (each->val != nullptr) options.emplace_back(each->keyword, each->val);
  }
  pq->free_conninfo(found);
  return options;
}

void PgConnection::close() {
  if (connection_ != nullptr) pq_library()->finish(connection_);
  connection_ = nullptr;
  session_ = 0;
}

base::Result<void> PgConnection::connect() {
  const auto& pq = pq_library();
  if (!pq) return pq.error();
  PgOptions options = options_;
  if (std::ranges::find(options, "connect_timeout", &PgOptions::value_type::first) ==
          options.end() &&
      !has_connect_timeout(*pq)) {
    options.emplace_back("connect_timeout", kConnectSeconds);
  }
  while (true) {
    close();
    std::vector<const char*> names;
    std::vector<const char*> values;
    for (const auto& [name, value] : options) {
      names.push_back(name.c_str());
      values.push_back(value.c_str());
    }
    names.push_back(nullptr);
    values.push_back(nullptr);
    connection_ = pq->begin_connect(names.data(), values.data(), 0);
    last_state_.clear();
    if (connection_ == nullptr) return base::Error{"libpq is out of memory"};
    bool is_silent = false;
    auto connected = finish_connecting(is_silent);
    if (connected) break;
    const PgOptions others = is_silent ? other_servers(*pq, connection_) : PgOptions();
    close();
    if (others.empty()) return connected;
    // The last of two values counts.
    options.insert(options.end(), others.begin(), others.end());
  }
  pq->set_notice_processor(connection_, ignore_notice, nullptr);
  pq->set_nonblocking(connection_, 1);
  session_ = ++sessions_;
  return {};
}

// Replaces PQconnectdbParams, which no interrupt ends.
base::Result<void> PgConnection::finish_connecting(bool& is_silent) {
  const PqLibrary& pq = *pq_library();
  const auto refused = [&] { return base::Error{in_one_line(pq.error_message(connection_))}; };
  if (pq.status(connection_) == CONNECTION_BAD) return refused();
  const base::StopDescriptor stop(request_stop_());
  const auto timeout = connect_timeout(pq, connection_);
  if (!timeout) return timeout.error();
  const std::optional<std::chrono::seconds>& patience = *timeout;
  std::optional<Clock::time_point> end;
  std::optional<Address> tried;
  bool is_late = false;
  PostgresPollingStatusType next = PGRES_POLLING_WRITING;
  while (next != PGRES_POLLING_OK) {
    if (next == PGRES_POLLING_FAILED) return is_late ? no_answer(*patience) : refused();
    if (auto address = address_of(pq, connection_); address != tried) {
      tried = std::move(address);
      is_late = false;
      is_silent = false;
      if (patience) end = Clock::now() + *patience;
    } else if (is_late) {
      return no_answer(*patience);
    }
    const short events = next == PGRES_POLLING_READING ? POLLIN : POLLOUT;
    const Wake wake = wait_for(pq.socket(connection_), events, stop, end);
    if (wake == Wake::Stopped) return base::Error{"interrupted"};
    if (wake == Wake::TimedOut) {
      // Then libpq sees the connection as lost, and may try another address.
      is_late = true;
      is_silent = pq.status(connection_) != CONNECTION_STARTED;
      ::shutdown(pq.socket(connection_), SHUT_RDWR);
    }
    next = pq.go_on_connecting(connection_);
  }
  return {};
}

base::Result<void> PgConnection::ensure() {
  if (connection_ == nullptr) return connect();
  if (query("SELECT 1")) return {};
  return connection_ == nullptr ? connect() : base::Result<void>();
}

base::Error PgConnection::failure() {
  const PqLibrary& pq = *pq_library();
  base::Error error{in_one_line(pq.error_message(connection_))};
  if (pq.status(connection_) != CONNECTION_OK) close();
  return error;
}

base::Result<void> PgConnection::wait(bool wants_to_write, const base::StopDescriptor& stop) {
  const short events = static_cast<short>(POLLIN | (wants_to_write ? POLLOUT : 0));
  const Wake wake =
      wait_for(pq_library()->socket(connection_), events, stop, Clock::now() + kPatience);
  if (wake == Wake::Ready) return {};
  // The server may still run the query, so the connection cannot be used again.
  close();
  return wake == Wake::Stopped ? base::Error{"interrupted"} : no_answer(kPatience);
}

base::Result<void> PgConnection::flush(const base::StopDescriptor& stop) {
  const PqLibrary& pq = *pq_library();
  for (int left = 1; (left = pq.flush(connection_)) != 0;) {
    if (left < 0) return failure();
    if (auto waited = wait(true, stop); !waited) return waited;
    // The server may say something before it takes the rest.
    if (pq.consume_input(connection_) != 1) return failure();
  }
  return {};
}

base::Result<PgConnection::Answer> PgConnection::next(const base::StopDescriptor& stop) {
  const PqLibrary& pq = *pq_library();
  while (pq.is_busy(connection_) != 0) {
    if (auto waited = wait(false, stop); !waited) return waited.error();
    if (pq.consume_input(connection_) != 1) return failure();
  }
  return Answer(pq.next_result(connection_), pq.clear);
}

bool PgConnection::is_refusal(const PGresult* answer) {
  const PqLibrary& pq = *pq_library();
  const ExecStatusType status = pq.result_status(answer);
  if (status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK || status == PGRES_SINGLE_TUPLE ||
      status == PGRES_COPY_IN) {
    return false;
  }
  const char* state = answer != nullptr ? pq.error_field(answer, PG_DIAG_SQLSTATE) : nullptr;
  last_state_ = state == nullptr ? "" : state;
  return true;
}

base::Result<void> PgConnection::make_ready() {
  if (connection_ == nullptr) {
    if (auto connected = connect(); !connected) return connected;
  }
  last_state_.clear();
  return {};
}

// Replaces PQexecParams, which waits for ever.
base::Result<PgConnection::Answer> PgConnection::ask(const std::string& text,
                                                     const std::vector<const char*>& parameters) {
  const PqLibrary& pq = *pq_library();
  const base::StopDescriptor stop(request_stop_());
  if (pq.send_query(connection_, text.c_str(), static_cast<int>(parameters.size()), nullptr,
                    parameters.data(), nullptr, nullptr, 0) != 1) {
    return failure();
  }
  if (auto sent = flush(stop); !sent) return sent.error();
  Answer answer(nullptr, pq.clear);
  while (true) {
    auto part = next(stop);
    if (!part) return part;
    if (*part == nullptr) return answer;
    // After an error there is nothing of use.
    if (answer == nullptr) answer = std::move(*part);
  }
}

base::Result<std::vector<PgConnection::Row>> PgConnection::query(
    const std::string& text, const std::vector<const char*>& parameters) {
  if (auto ready = make_ready(); !ready) return ready.error();
  const PqLibrary& pq = *pq_library();
  const auto result = ask(text, parameters);
  if (!result) return result.error();
  if (is_refusal(result->get())) return failure();
  std::vector<Row> rows(static_cast<std::size_t>(pq.row_count(result->get())));
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const int number = static_cast<int>(row);
    for (int column = 0; column < pq.column_count(result->get()); ++column) {
      if (pq.is_null(result->get(), number, column) != 0) {
        rows[row].emplace_back();
      } else {
        rows[row].emplace_back(std::in_place, pq.value(result->get(), number, column),
                               static_cast<std::size_t>(pq.length(result->get(), number, column)));
      }
    }
  }
  return rows;
}

base::Result<void> PgConnection::read_rows(const std::string& text,
                                           const std::vector<const char*>& parameters,
                                           const std::function<void(const BinaryRow&)>& take) {
  if (auto ready = make_ready(); !ready) return ready;
  const PqLibrary& pq = *pq_library();
  const base::StopDescriptor stop(request_stop_());
  constexpr int kBinary = 1;
  if (pq.send_query(connection_, text.c_str(), static_cast<int>(parameters.size()), nullptr,
                    parameters.data(), nullptr, nullptr, kBinary) != 1 ||
      pq.set_single_row_mode(connection_) != 1) {
    return failure();
  }
  if (auto sent = flush(stop); !sent) return sent;
  bool is_refused = false;
  while (true) {
    const auto part = next(stop);
    if (!part) return part.error();
    if (*part == nullptr) break;
    const PGresult* answer = part->get();
    is_refused = is_refused || is_refusal(answer);
    if (is_refused || pq.row_count(answer) == 0) continue;
    BinaryRow row;
    for (int column = 0; column < pq.column_count(answer); ++column) {
      row.emplace_back(pq.value(answer, 0, column),
                       static_cast<std::size_t>(pq.length(answer, 0, column)));
    }
    take(row);
  }
  if (is_refused) return failure();
  return {};
}

base::Result<void> PgConnection::finish(const base::StopDescriptor& stop) {
  bool is_refused = false;
  while (true) {
    const auto part = next(stop);
    if (!part) return part.error();
    if (*part == nullptr) break;
    is_refused = is_refused || is_refusal(part->get());
  }
  if (is_refused) return failure();
  return {};
}

base::Result<void> PgConnection::send_row(const base::TextPieces& column,
                                          const base::StopDescriptor& stop) {
  const PqLibrary& pq = *pq_library();
  const auto put = [&](std::string_view bytes) -> base::Result<void> {
    if (pq.put_copy_data(connection_, bytes.data(), static_cast<int>(bytes.size())) != 1) {
      return failure();
    }
    return flush(stop);
  };
  // Flags and an extension that is not there; then one column and its length.
  std::string head("PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0\0", 19);
  head.append("\0\1", 2);
  for (const int shift : {24, 16, 8, 0}) head += static_cast<char>(column.size() >> shift);
  if (auto sent = put(head); !sent) return sent;
  std::string piece(kCopyPiece, '\0');
  base::TextPieces::Reader reader(column);
  while (const std::size_t count = reader.read(piece.data(), piece.size())) {
    if (auto sent = put(std::string_view(piece).substr(0, count)); !sent) return sent;
  }
  return put("\377\377");  // no further row
}

base::Result<void> PgConnection::copy_row(const std::string& statement,
                                          const base::TextPieces& column) {
  if (column.size() > kMaxColumnLength) return base::Error{"PostgreSQL takes texts of up to 1 GB"};
  if (auto ready = make_ready(); !ready) return ready;
  const PqLibrary& pq = *pq_library();
  const base::StopDescriptor stop(request_stop_());
  if (pq.send_query(connection_, statement.c_str(), 0, nullptr, nullptr, nullptr, nullptr, 0) !=
      1) {
    return failure();
  }
  if (auto sent = flush(stop); !sent) return sent;
  {
    const auto begun = next(stop);
    if (!begun) return begun.error();
    if (pq.result_status(begun->get()) != PGRES_COPY_IN) {
      (void)is_refusal(begun->get());
      base::Error why = failure();
      if (connection_ != nullptr) (void)finish(stop).ok();
      return why;
    }
  }
  if (auto sent = send_row(column, stop); !sent) {
    close();  // in the middle of a message
    return sent;
  }
  if (pq.put_copy_end(connection_, nullptr) != 1) return failure();
  if (auto sent = flush(stop); !sent) return sent;
  return finish(stop);
}

std::string quote_identifier(std::string_view name) {
  std::string quoted = "\"";
  for (const char c : name) quoted.append(c == '"' ? 2 : 1, c);
  return quoted + "\"";
}

}  // namespace tofu::backends
