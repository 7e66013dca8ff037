// libcurl, loaded when the first request is made.
//
// See base/dynamic_library.h for why; libcurl alone would bring some thirty libraries into
// every start. Types and constants come from its own header.
#pragma once

#include <curl/curl.h>

#include "base/result.h"

namespace tofu::net {

struct CurlLibrary {
  decltype(&::curl_easy_init) easy_init;
  decltype(&::curl_easy_cleanup) easy_cleanup;
  decltype(&::curl_easy_reset) easy_reset;
  decltype(&::curl_easy_setopt) easy_setopt;
  decltype(&::curl_easy_perform) easy_perform;
  decltype(&::curl_easy_getinfo) easy_getinfo;
  decltype(&::curl_easy_strerror) easy_strerror;
  decltype(&::curl_slist_append) slist_append;
  decltype(&::curl_slist_free_all) slist_free_all;
};

// The library, the same each time; an error if it is not there or too old. Safe to
// call from several threads.
const base::Result<CurlLibrary>& curl_library();

}  // namespace tofu::net
