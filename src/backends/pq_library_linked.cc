// libpq of a build that links it (TOFU_SHARED).
#include "backends/pq_library.h"

namespace tofu::backends {

const base::Result<PqLibrary>& pq_library() {
  static const base::Result<PqLibrary> library = PqLibrary{
      .begin_connect = &::PQconnectStartParams,
      .go_on_connecting = &::PQconnectPoll,
      .used_conninfo = &::PQconninfo,
      .host = &::PQhost,
      .host_address = &::PQhostaddr,
      .port = &::PQport,
      .finish = &::PQfinish,
      .status = &::PQstatus,
      .error_message = &::PQerrorMessage,
      .send_query = &::PQsendQueryParams,
      .set_nonblocking = &::PQsetnonblocking,
      .set_single_row_mode = &::PQsetSingleRowMode,
      .put_copy_data = &::PQputCopyData,
      .put_copy_end = &::PQputCopyEnd,
      .flush = &::PQflush,
      .socket = &::PQsocket,
      .consume_input = &::PQconsumeInput,
      .is_busy = &::PQisBusy,
      .next_result = &::PQgetResult,
      .result_status = &::PQresultStatus,
      .error_field = &::PQresultErrorField,
      .row_count = &::PQntuples,
      .column_count = &::PQnfields,
      .value = &::PQgetvalue,
      .length = &::PQgetlength,
      .is_null = &::PQgetisnull,
      .clear = &::PQclear,
      .parse_conninfo = &::PQconninfoParse,
      .default_conninfo = &::PQconndefaults,
      .free_conninfo = &::PQconninfoFree,
      .free_memory = &::PQfreemem,
      .set_notice_processor = &::PQsetNoticeProcessor,
  };
  return library;
}

}  // namespace tofu::backends
