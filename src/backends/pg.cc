// States in a table of PostgreSQL, a row for each workspace.
//
// The schema, the table with its sequence and index, and the numbers of the locks are
// OpenTofu's. A lock is an advisory lock of the session: it ends with the connection, so
// that no lock is ever left behind, and none can be taken away.
#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <utility>

#include "backends/kinds.h"
#include "backends/pg_connection.h"
#include "backends/remote.h"
#include "backends/settings.h"

namespace tofu::backends {

namespace {

constexpr int kReadPiece = 256 * 1024;
constexpr std::size_t kMaxReserve = std::size_t{256} << 20;
// Larger states are worth a few more requests, so that they are not copied.
constexpr std::size_t kLargeState = std::size_t{8} << 20;

struct PgSettings {
  PgOptions options;
  std::string schema;
  std::string table;
  std::string index;
  std::string server;  // host, port and database as far as they are known
  bool make_schema = true;
  bool make_table = true;
  bool make_index = true;

  std::string place() const {
    return fmt::format("{}.{}", quote_identifier(schema), quote_identifier(table));
  }
  std::string option(std::string_view name) const {
    std::string found;
    for (const auto& [key, value] : options) {
      if (key == name) found = value;
    }
    return found;
  }
};

const schema::Block& pg_schema() {
  using value::Type;
  static const schema::Block kSchema = settings_schema({
      {.name = "conn_str", .about = "The connection string, postgres://…", .sensitive = true},
      {.name = "schema_name", .about = "The schema of the table."},
      {.name = "table_name", .about = "The table of the states."},
      {.name = "index_name", .about = "The index of the table."},
      {.name = "skip_schema_creation",
       .type = Type::boolean(),
       .about = "Do not create the schema; it exists."},
      {.name = "skip_table_creation",
       .type = Type::boolean(),
       .about = "Do not create the table; it exists."},
      {.name = "skip_index_creation",
       .type = Type::boolean(),
       .about = "Do not create the index; it exists."},
  });
  return kSchema;
}

// The defaults of a connection, which its string or libpq's environment can override.
void add_usual_options(const Settings& settings, PgSettings& pg) {
  struct Usual {
    const char* name;
    const char* value;
    const char* variable;
  };
  static constexpr Usual kUsual[] = {
      {"sslmode", "require", "PGSSLMODE"},  // as OpenTofu; sockets of this machine need none
      {"connect_timeout", "15", "PGCONNECT_TIMEOUT"},
      {"tcp_user_timeout", "60000", ""},
      {"fallback_application_name", "tofu", ""},
      {"client_encoding", "UTF8", ""},  // as OpenTofu, whatever the database has
  };
  for (const Usual& each : kUsual) {
    const bool in_environment = *each.variable != '\0' && !settings.variable(each.variable).empty();
    if (pg.option(each.name).empty() && !in_environment) {
      pg.options.emplace_back(each.name, each.value);
    }
  }
}

std::optional<PgSettings> read_pg_settings(const value::Value& values,
                                           const net::EnvironmentVariable& environment,
                                           diag::Diagnostics& diags) {
  const Settings settings("pg", values, environment, diags);
  PgSettings pg;
  auto options = parse_connection_string(settings.text("conn_str", {"PG_CONN_STR"}));
  if (options) {
    pg.options = std::move(*options);
  } else {
    settings.refuse("conn_str", options.error().what);
  }
  add_usual_options(settings, pg);
  // libpq reads these variables itself.
  const auto option = [&](const char* name, const char* variable) {
    const std::string chosen = pg.option(name);
    return chosen.empty() ? settings.variable(variable) : chosen;
  };
  pg.server = fmt::format("{}:{}/{}", option("host", "PGHOST"), option("port", "PGPORT"),
                          option("dbname", "PGDATABASE"));
  pg.schema = settings.text("schema_name", {"PG_SCHEMA_NAME"}, "terraform_remote_state");
  pg.table = settings.text("table_name", {"PG_TABLE_NAME"}, "states");
  pg.index = settings.text("index_name", {"PG_INDEX_NAME"}, "states_by_name");
  pg.make_schema = !settings.flag("skip_schema_creation", {"PG_SKIP_SCHEMA_CREATION"});
  pg.make_table = !settings.flag("skip_table_creation", {"PG_SKIP_TABLE_CREATION"});
  pg.make_index = !settings.flag("skip_index_creation", {"PG_SKIP_INDEX_CREATION"});
  for (const auto& [name, text] :
       {std::pair("schema_name", &pg.schema), std::pair("table_name", &pg.table),
        std::pair("index_name", &pg.index)}) {
    if (text->empty()) settings.refuse(name, "it is empty");
  }
  if (!settings.ok()) return std::nullopt;
  return pg;
}

class PgStorage final : public RemoteStorage {
 public:
  PgStorage(PgSettings settings, const BackendContext& context)
      : settings_(std::move(settings)), connection_(settings_.options, request_stop(context)) {}

  std::string identity() const override {
    const std::string host = settings_.option("host");
    const std::string database = settings_.option("dbname");
    return fmt::format("the table {} of PostgreSQL{}{}", settings_.place(),
                       database.empty() ? "" : fmt::format(", database {:?}", database),
                       host.empty() ? "" : fmt::format(", at {}", host));
  }
  std::string service_address() const override { return settings_.server; }

  base::Result<std::vector<std::string>> list() override {
    const auto rows = query(fmt::format("SELECT name FROM {}", settings_.place()));
    if (!rows) return rows.error();
    std::vector<std::string> names;
    for (const PgConnection::Row& row : *rows) {
      if (row[0]) names.push_back(*row[0]);
    }
    return names;
  }

  base::Result<void> remove(const std::string& workspace) override {
    const auto removed = query(fmt::format("DELETE FROM {} WHERE name = $1", settings_.place()),
                               {workspace.c_str()});
    if (!removed) return removed.error();
    return {};
  }

  std::unique_ptr<RemoteClient> client(const std::string& workspace) override;

  const PgSettings& settings() const { return settings_; }
  PgConnection& connection() { return connection_; }
  // Makes the table, once for each process.
  base::Result<void> prepare();
  // After that.
  base::Result<std::vector<PgConnection::Row>> query(
      const std::string& text, const std::vector<const char*>& parameters = {}) {
    if (auto ready = prepare(); !ready) return ready.error();
    return connection_.query(text, parameters);
  }

 private:
  base::Result<bool> exists(const std::string& relation);
  base::Result<void> make(const std::string& statement);

  PgSettings settings_;
  PgConnection connection_;
  bool is_prepared_ = false;
};

base::Result<bool> PgStorage::exists(const std::string& relation) {
  const auto found = connection_.query("SELECT to_regclass($1)", {relation.c_str()});
  if (!found) return found.error();
  return (*found)[0][0].has_value();
}

// Two who make the same thing at once: the second one gets an error that a schema, a table, a
// table's type or a row about one of these exists.
base::Result<void> PgStorage::make(const std::string& statement) {
  const auto made = connection_.query(statement);
  const auto is_there = {"42P06", "42P07", "42710", "23505"};
  if (made || std::ranges::find(is_there, connection_.last_state()) != is_there.end()) return {};
  return made.error();
}

base::Result<void> PgStorage::prepare() {
  if (is_prepared_) return {};
  if (settings_.make_schema) {
    const auto found =
        connection_.query("SELECT 1 FROM information_schema.schemata WHERE schema_name = $1",
                          {settings_.schema.c_str()});
    if (!found) return found.error();
    if (found->empty()) {
      const auto made =
          make(fmt::format("CREATE SCHEMA IF NOT EXISTS {}", quote_identifier(settings_.schema)));
      if (!made) return made;
    }
  }
  if (settings_.make_table) {
    const auto found = exists(settings_.place());
    if (!found) return found.error();
    if (!*found) {
      // The numbers of rows are numbers of locks, so they have to differ between all
      // tables of the database: the sequence is shared.
      for (const std::string& statement :
           {std::string("CREATE SEQUENCE IF NOT EXISTS public.global_states_id_seq AS bigint"),
            fmt::format("CREATE TABLE IF NOT EXISTS {} (id bigint NOT NULL DEFAULT "
                        "nextval('public.global_states_id_seq') PRIMARY KEY, name text UNIQUE, "
                        "data text)",
                        settings_.place())}) {
        if (auto made = make(statement); !made) return made;
      }
    }
  }
  if (settings_.make_index) {
    const auto found = exists(fmt::format("{}.{}", quote_identifier(settings_.schema),
                                          quote_identifier(settings_.index)));
    if (!found) return found.error();
    if (!*found) {
      const auto made = make(fmt::format("CREATE UNIQUE INDEX IF NOT EXISTS {} ON {} (name)",
                                         quote_identifier(settings_.index), settings_.place()));
      if (!made) return made;
    }
  }
  is_prepared_ = true;
  return {};
}

class PgClient final : public RemoteClient {
 public:
  PgClient(PgStorage& storage, std::string workspace)
      : storage_(storage), workspace_(std::move(workspace)) {}

  base::Result<std::optional<std::string>> get() override;
  base::Result<void> put(const std::string& bytes) override;
  base::Result<void> put_pieces(const base::TextPieces& bytes) override;

  base::Result<void> remove() override { return storage_.remove(workspace_); }

  bool has_locks() const override { return true; }
  LockAnswer lock(LockInfo& info) override;
  base::Result<void> unlock(const std::string& id) override;
  LockHold holds(const std::string& id) override {
    if (id != held_id_ || !storage_.connection().ensure()) return LockHold::Lost;
    return storage_.connection().session() == session_ ? LockHold::Ours : LockHold::Lost;
  }

 private:
  // Nothing if the server does not permit that.
  base::Result<std::optional<bool>> put_large(const base::TextPieces& bytes);
  LockAnswer held_by_another(const std::string& number);
  std::string creation_lock() const;
  void release(const std::string& number) {
    (void)storage_.query("SELECT pg_advisory_unlock($1)", {number.c_str()}).ok();
  }

  PgStorage& storage_;
  std::string workspace_;
  std::string held_id_;
  std::string number_;         // of the advisory lock
  std::uint64_t session_ = 0;  // that holds it
};

// Libpq has each row twice, and the one row of a state would be all of it. So it is read as
// many small ones. Lengths and places are numbers of four bytes.
base::Result<std::optional<std::string>> PgClient::get() {
  if (auto ready = storage_.prepare(); !ready) return ready.error();
  const std::string text = fmt::format(
      "SELECT octet_length(d.bytes), n, substr(d.bytes, n, {0}) FROM (SELECT textsend(data) AS "
      "bytes FROM {1} WHERE name = $1 OFFSET 0) AS d, generate_series(1, octet_length(d.bytes), "
      "{0}) AS n",
      kReadPiece, storage_.settings().place());
  const auto number = [](std::string_view bytes) {
    std::size_t result = 0;
    for (const char byte : bytes) result = result << 8 | static_cast<unsigned char>(byte);
    return result;
  };
  std::optional<std::string> found;
  std::size_t length = 0;
  bool is_whole = true;
  const auto read = storage_.connection().read_rows(
      text, {workspace_.c_str()}, [&](const PgConnection::BinaryRow& row) {
        if (!found) {
          length = number(row[0]);
          found.emplace().reserve(std::min(length, kMaxReserve));
        }
        is_whole = is_whole && number(row[1]) == found->size() + 1;
        if (is_whole) found->append(row[2]);
      });
  if (!read) return read.error();
  if (found && (!is_whole || found->size() != length)) {
    return base::Error{"PostgreSQL did not give all of it"};
  }
  return found;
}

base::Result<void> PgClient::put(const std::string& bytes) {
  const auto stored =
      storage_.query(fmt::format("INSERT INTO {} (name, data) VALUES ($1, $2) ON CONFLICT (name) "
                                 "DO UPDATE SET data = EXCLUDED.data",
                                 storage_.settings().place()),
                     {workspace_.c_str(), bytes.c_str()});
  if (!stored) return stored.error();
  return {};
}

// Libpq keeps a query and its parameters until all of it is sent. Only COPY takes a text in
// parts, and it cannot take the place of a row, so that the text comes by a table of the session.
base::Result<std::optional<bool>> PgClient::put_large(const base::TextPieces& bytes) {
  PgConnection& connection = storage_.connection();
  if (const auto begun = connection.query("BEGIN"); !begun) return begun.error();
  const auto undo = [&] {
    if (connection.session() != 0) (void)connection.query("ROLLBACK").ok();
  };
  // PostgreSQL's default compression takes longer than all the rest.
  const auto quicker = connection.query(
      "SELECT set_config(name, 'lz4', true) FROM pg_settings WHERE name = "
      "'default_toast_compression' AND 'lz4' = ANY (enumvals)");
  if (!quicker) {
    undo();
    return quicker.error();
  }
  const auto made =
      connection.query("CREATE TEMPORARY TABLE tofu_upload (data text) ON COMMIT DROP");
  if (!made) {
    const bool may_not = connection.last_state() == "42501";
    undo();
    if (may_not) return std::optional<bool>();
    return made.error();
  }
  if (const auto sent =
          connection.copy_row("COPY pg_temp.tofu_upload FROM STDIN (FORMAT binary)", bytes);
      !sent) {
    undo();
    return sent.error();
  }
  const auto stored = connection.query(
      fmt::format("INSERT INTO {} (name, data) SELECT $1, data FROM pg_temp.tofu_upload ON "
                  "CONFLICT (name) DO UPDATE SET data = EXCLUDED.data",
                  storage_.settings().place()),
      {workspace_.c_str()});
  if (!stored) {
    undo();
    return stored.error();
  }
  if (const auto done = connection.query("COMMIT"); !done) return done.error();
  return std::optional(true);
}

base::Result<void> PgClient::put_pieces(const base::TextPieces& bytes) {
  if (bytes.size() < kLargeState) return put(bytes.joined());
  if (auto ready = storage_.prepare(); !ready) return ready.error();
  const auto stored = put_large(bytes);
  if (!stored) return stored.error();
  return *stored ? base::Result<void>() : put(bytes.joined());
}

// Guards the making of rows: FNV-1 of the names, negative as no row's number is.
std::string PgClient::creation_lock() const {
  std::uint32_t hash = 2166136261U;
  const PgSettings& settings = storage_.settings();
  for (const char c : settings.schema + std::string(1, '\0') + settings.table) {
    hash = (hash * 16777619U) ^ static_cast<unsigned char>(c);
  }
  return std::to_string(-static_cast<std::int64_t>(hash));
}

LockAnswer PgClient::held_by_another(const std::string& number) {
  const auto rows = storage_.query(
      "SELECT a.pid, a.usename, coalesce(host(a.client_addr), 'this machine'), a.backend_start "
      "FROM pg_locks l JOIN pg_stat_activity a USING (pid) WHERE l.locktype = 'advisory' AND "
      "l.granted AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database()) "
      "AND ((l.classid::bigint << 32) | l.objid::bigint) = $1::bigint",
      {number.c_str()});
  std::string who = "another session of the database holds its lock";
  if (rows && !rows->empty()) {
    const PgConnection::Row& row = (*rows)[0];
    who = fmt::format(
        "session {} of the database user {:?}, connected from {} since {}, holds its lock, which "
        "ends with that session",
        row[0].value_or("?"), row[1].value_or("?"), row[2].value_or("?"), row[3].value_or("?"));
  }
  return {LockAnswer::Verdict::Held, {}, std::move(who)};
}

LockAnswer PgClient::lock(LockInfo& info) {
  const auto failed = [](const base::Error& why) {
    return LockAnswer{LockAnswer::Verdict::Failed, {}, why.what};
  };
  const std::string creation = creation_lock();
  const auto row = storage_.query(
      fmt::format("SELECT id, pg_try_advisory_lock(id), pg_try_advisory_lock($1) FROM {} WHERE "
                  "name = $2",
                  storage_.settings().place()),
      {creation.c_str(), workspace_.c_str()});
  if (!row) return failed(row.error());
  const auto is_true = [](const std::optional<std::string>& answer) { return answer == "t"; };
  if (row->empty()) {
    const auto tried = storage_.query("SELECT pg_try_advisory_lock($1)", {creation.c_str()});
    if (!tried) return failed(tried.error());
    if (!is_true((*tried)[0][0])) return held_by_another(creation);
    number_ = creation;
  } else {
    const PgConnection::Row& answer = (*row)[0];
    const std::string id = answer[0].value_or("");
    const bool has_row = is_true(answer[1]);
    const bool has_creation = is_true(answer[2]);
    if (has_creation) release(creation);
    if (has_row && !has_creation) release(id);
    if (!has_row) return held_by_another(id);
    if (!has_creation) return held_by_another(creation);
    number_ = id;
  }
  info.path = number_;
  held_id_ = info.id;
  session_ = storage_.connection().session();
  return {};
}

base::Result<void> PgClient::unlock(const std::string& id) {
  if (held_id_.empty() || id != held_id_) {
    return base::Error{
        "this backend's locks belong to a database session and end with it; to end a session, use "
        "pg_terminate_backend in the database"};
  }
  held_id_.clear();
  // A session that ended has no locks any more.
  if (storage_.connection().session() != session_) return {};
  const auto released = storage_.query("SELECT pg_advisory_unlock($1)", {number_.c_str()});
  if (!released && storage_.connection().session() == session_) return released.error();
  return {};
}

std::unique_ptr<RemoteClient> PgStorage::client(const std::string& workspace) {
  return std::make_unique<PgClient>(*this, workspace);
}

}  // namespace

const Kind kPgKind = remote_kind<PgStorage, read_pg_settings>("pg", pg_schema);

}  // namespace tofu::backends
