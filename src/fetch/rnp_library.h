// librnp, loaded when the first OpenPGP signature is checked.
//
// See base/dynamic_library.h for why. Types and constants come from its own header.
// Private to openpgp.cc.
#pragma once

#include <rnp/rnp.h>
#include <rnp/rnp_err.h>

#include "base/result.h"

namespace tofu::fetch {

struct RnpLibrary {
  decltype(&::rnp_ffi_create) ffi_create;
  decltype(&::rnp_ffi_destroy) ffi_destroy;
  decltype(&::rnp_buffer_destroy) buffer_destroy;
  decltype(&::rnp_result_to_string) result_to_string;
  decltype(&::rnp_input_from_memory) input_from_memory;
  decltype(&::rnp_input_destroy) input_destroy;
  decltype(&::rnp_import_keys) import_keys;
  decltype(&::rnp_op_verify_detached_create) verify_detached_create;
  decltype(&::rnp_op_verify_execute) verify_execute;
  decltype(&::rnp_op_verify_destroy) verify_destroy;
  decltype(&::rnp_op_verify_get_signature_count) signature_count;
  decltype(&::rnp_op_verify_get_signature_at) signature_at;
  decltype(&::rnp_op_verify_signature_get_status) signature_status;
  decltype(&::rnp_op_verify_signature_get_key) signature_key;
  decltype(&::rnp_key_handle_destroy) key_destroy;
  decltype(&::rnp_key_is_primary) key_is_primary;
  decltype(&::rnp_key_is_expired) key_is_expired;
  decltype(&::rnp_key_get_keyid) key_id;
  decltype(&::rnp_key_get_primary_fprint) primary_fingerprint;
  decltype(&::rnp_locate_key) locate_key;
};

// The library, the same each time; an error if it is not there. Safe to call from
// several threads.
const base::Result<RnpLibrary>& rnp_library();

}  // namespace tofu::fetch
