// librnp of a build that links it (TOFU_SHARED).
#include "fetch/rnp_library.h"

namespace tofu::fetch {

const base::Result<RnpLibrary>& rnp_library() {
  static const base::Result<RnpLibrary> library = RnpLibrary{
      .ffi_create = &::rnp_ffi_create,
      .ffi_destroy = &::rnp_ffi_destroy,
      .buffer_destroy = &::rnp_buffer_destroy,
      .result_to_string = &::rnp_result_to_string,
      .input_from_memory = &::rnp_input_from_memory,
      .input_destroy = &::rnp_input_destroy,
      .import_keys = &::rnp_import_keys,
      .verify_detached_create = &::rnp_op_verify_detached_create,
      .verify_execute = &::rnp_op_verify_execute,
      .verify_destroy = &::rnp_op_verify_destroy,
      .signature_count = &::rnp_op_verify_get_signature_count,
      .signature_at = &::rnp_op_verify_get_signature_at,
      .signature_status = &::rnp_op_verify_signature_get_status,
      .signature_key = &::rnp_op_verify_signature_get_key,
      .key_destroy = &::rnp_key_handle_destroy,
      .key_is_primary = &::rnp_key_is_primary,
      .key_is_expired = &::rnp_key_is_expired,
      .key_id = &::rnp_key_get_keyid,
      .primary_fingerprint = &::rnp_key_get_primary_fprint,
      .locate_key = &::rnp_locate_key,
  };
  return library;
}

}  // namespace tofu::fetch
