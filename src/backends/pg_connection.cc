#include "backends/pg_connection.h"

#include <memory>

namespace tofu::backends {

namespace {

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
  close();
  std::vector<const char*> names;
  std::vector<const char*> values;
  for (const auto& [name, value] : options_) {
    names.push_back(name.c_str());
    values.push_back(value.c_str());
  }
  names.push_back(nullptr);
  values.push_back(nullptr);
  connection_ = pq->connect(names.data(), values.data(), 0);
  last_state_.clear();
  if (connection_ == nullptr) return base::Error{"libpq is out of memory"};
  if (pq->status(connection_) != CONNECTION_OK) {
    const std::string why = in_one_line(pq->error_message(connection_));
    close();
    return base::Error{why};
  }
  pq->set_notice_processor(connection_, ignore_notice, nullptr);
  session_ = ++sessions_;
  return {};
}

base::Result<void> PgConnection::ensure() {
  if (connection_ == nullptr) return connect();
  if (query("SELECT 1")) return {};
  return connection_ == nullptr ? connect() : base::Result<void>();
}

base::Result<std::vector<PgConnection::Row>> PgConnection::query(
    const std::string& text, const std::vector<std::string>& parameters) {
  if (connection_ == nullptr) {
    if (auto connected = connect(); !connected) return connected.error();
  }
  const PqLibrary& pq = *pq_library();
  std::vector<const char*> values;
  for (const std::string& each : parameters) values.push_back(each.c_str());
  const std::unique_ptr<PGresult, decltype(pq.clear)> result(
      pq.execute(connection_, text.c_str(), static_cast<int>(values.size()), nullptr, values.data(),
                 nullptr, nullptr, 0),
      pq.clear);
  const ExecStatusType status = pq.result_status(result.get());
  if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK) {
    const char* state = result ? pq.error_field(result.get(), PG_DIAG_SQLSTATE) : nullptr;
    last_state_ = state == nullptr ? "" : state;
    const std::string why = in_one_line(pq.error_message(connection_));
    if (pq.status(connection_) != CONNECTION_OK) close();
    return base::Error{why};
  }
  std::vector<Row> rows(static_cast<std::size_t>(pq.row_count(result.get())));
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const int number = static_cast<int>(row);
    for (int column = 0; column < pq.column_count(result.get()); ++column) {
      if (pq.is_null(result.get(), number, column) != 0) {
        rows[row].emplace_back();
      } else {
        rows[row].emplace_back(std::in_place, pq.value(result.get(), number, column),
                               static_cast<std::size_t>(pq.length(result.get(), number, column)));
      }
    }
  }
  return rows;
}

std::string quote_identifier(std::string_view name) {
  std::string quoted = "\"";
  for (const char c : name) quoted.append(c == '"' ? 2 : 1, c);
  return quoted + "\"";
}

}  // namespace tofu::backends
