#include "fetch/rnp_library.h"

#include "base/dynamic_library.h"

namespace tofu::fetch {

namespace {

base::Result<RnpLibrary> load() {
  auto library = base::DynamicLibrary::load("librnp.so.0", "librnp0");
  if (!library) return std::move(library).error();
  RnpLibrary rnp{};
  library->find("rnp_ffi_create", rnp.ffi_create);
  library->find("rnp_ffi_destroy", rnp.ffi_destroy);
  library->find("rnp_buffer_destroy", rnp.buffer_destroy);
  library->find("rnp_result_to_string", rnp.result_to_string);
  library->find("rnp_input_from_memory", rnp.input_from_memory);
  library->find("rnp_input_destroy", rnp.input_destroy);
  library->find("rnp_import_keys", rnp.import_keys);
  library->find("rnp_op_verify_detached_create", rnp.verify_detached_create);
  library->find("rnp_op_verify_execute", rnp.verify_execute);
  library->find("rnp_op_verify_destroy", rnp.verify_destroy);
  library->find("rnp_op_verify_get_signature_count", rnp.signature_count);
  library->find("rnp_op_verify_get_signature_at", rnp.signature_at);
  library->find("rnp_op_verify_signature_get_status", rnp.signature_status);
  library->find("rnp_op_verify_signature_get_key", rnp.signature_key);
  library->find("rnp_key_handle_destroy", rnp.key_destroy);
  library->find("rnp_key_is_primary", rnp.key_is_primary);
  library->find("rnp_key_is_expired", rnp.key_is_expired);
  library->find("rnp_key_get_keyid", rnp.key_id);
  library->find("rnp_key_get_primary_fprint", rnp.primary_fingerprint);
  library->find("rnp_locate_key", rnp.locate_key);
  if (auto found = library->check(); !found) return found.error();
  return rnp;
}

}  // namespace

const base::Result<RnpLibrary>& rnp_library() {
  static const base::Result<RnpLibrary> library = load();
  return library;
}

}  // namespace tofu::fetch
