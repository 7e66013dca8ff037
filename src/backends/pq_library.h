// libpq, the client library of PostgreSQL, loaded when the first connection is made.
//
// See base/dynamic_library.h for why; libpq alone would bring some twenty libraries into
// every start. Types and constants come from its own header.
#pragma once

#include <libpq-fe.h>

#include "base/result.h"

namespace tofu::backends {

struct PqLibrary {
  decltype(&::PQconnectStartParams) begin_connect;
  decltype(&::PQconnectPoll) go_on_connecting;
  decltype(&::PQconninfo) used_conninfo;
  decltype(&::PQhost) host;
  decltype(&::PQhostaddr) host_address;
  decltype(&::PQport) port;
  decltype(&::PQfinish) finish;
  decltype(&::PQstatus) status;
  decltype(&::PQerrorMessage) error_message;
  decltype(&::PQsendQueryParams) send_query;
  decltype(&::PQsetnonblocking) set_nonblocking;
  decltype(&::PQsetSingleRowMode) set_single_row_mode;
  decltype(&::PQputCopyData) put_copy_data;
  decltype(&::PQputCopyEnd) put_copy_end;
  decltype(&::PQflush) flush;
  decltype(&::PQsocket) socket;
  decltype(&::PQconsumeInput) consume_input;
  decltype(&::PQisBusy) is_busy;
  decltype(&::PQgetResult) next_result;
  decltype(&::PQresultStatus) result_status;
  decltype(&::PQresultErrorField) error_field;
  decltype(&::PQntuples) row_count;
  decltype(&::PQnfields) column_count;
  decltype(&::PQgetvalue) value;
  decltype(&::PQgetlength) length;
  decltype(&::PQgetisnull) is_null;
  decltype(&::PQclear) clear;
  decltype(&::PQconninfoParse) parse_conninfo;
  decltype(&::PQconndefaults) default_conninfo;
  decltype(&::PQconninfoFree) free_conninfo;
  decltype(&::PQfreemem) free_memory;
  decltype(&::PQsetNoticeProcessor) set_notice_processor;
};

// The library, the same each time; an error if it is not there. Safe to call from several
// threads.
const base::Result<PqLibrary>& pq_library();

}  // namespace tofu::backends
