#include "backends/pq_library.h"

#include <utility>

#include "base/dynamic_library.h"

namespace tofu::backends {

namespace {

base::Result<PqLibrary> load() {
  auto library = base::DynamicLibrary::load("libpq.so.5", "libpq5");
  if (!library) return std::move(library).error();
  PqLibrary pq{};
  library->find("PQconnectStartParams", pq.begin_connect);
  library->find("PQconnectPoll", pq.go_on_connecting);
  library->find("PQconninfo", pq.used_conninfo);
  library->find("PQhost", pq.host);
  library->find("PQhostaddr", pq.host_address);
  library->find("PQport", pq.port);
  library->find("PQfinish", pq.finish);
  library->find("PQstatus", pq.status);
  library->find("PQerrorMessage", pq.error_message);
  library->find("PQsendQueryParams", pq.send_query);
  library->find("PQsetnonblocking", pq.set_nonblocking);
  library->find("PQsetSingleRowMode", pq.set_single_row_mode);
  library->find("PQputCopyData", pq.put_copy_data);
  library->find("PQputCopyEnd", pq.put_copy_end);
  library->find("PQflush", pq.flush);
  library->find("PQsocket", pq.socket);
  library->find("PQconsumeInput", pq.consume_input);
  library->find("PQisBusy", pq.is_busy);
  library->find("PQgetResult", pq.next_result);
  library->find("PQresultStatus", pq.result_status);
  library->find("PQresultErrorField", pq.error_field);
  library->find("PQntuples", pq.row_count);
  library->find("PQnfields", pq.column_count);
  library->find("PQgetvalue", pq.value);
  library->find("PQgetlength", pq.length);
  library->find("PQgetisnull", pq.is_null);
  library->find("PQclear", pq.clear);
  library->find("PQconninfoParse", pq.parse_conninfo);
  library->find("PQconndefaults", pq.default_conninfo);
  library->find("PQconninfoFree", pq.free_conninfo);
  library->find("PQfreemem", pq.free_memory);
  library->find("PQsetNoticeProcessor", pq.set_notice_processor);
  if (auto found = library->check(); !found) return found.error();
  return pq;
}

}  // namespace

const base::Result<PqLibrary>& pq_library() {
  static const base::Result<PqLibrary> library = load();
  return library;
}

}  // namespace tofu::backends
