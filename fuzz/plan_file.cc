// Bytes as a saved plan: they are one or there is an error, and a plan that was read can
// be shown for people and for programs.
#include "commands/plan_file.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "diag/diagnostic.h"
#include "views/plan_json.h"
#include "views/plan_text.h"
#include "views/state_decode.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  tofu::diag::Diagnostics diags;
  const auto file = tofu::commands::read_plan_bytes(bytes, "plan", diags);
  TOFU_CHECK(file.has_value() != diags.has_errors(), "there is a plan or an error");
  if (!file) return 0;
  const auto& schemas = file->context.schemas;
  std::string text;
  const auto out = [&](std::string_view piece) { text += piece; };
  tofu::views::write_plan_text(file->planned.plan, schemas, {}, out);
  const auto prior = tofu::views::state_records(file->planned.prior, schemas, diags);
  tofu::views::write_plan_json(file->planned.plan, schemas,
                               {.version = "0", .prior = prior ? &*prior : nullptr}, out);
  return 0;
}
