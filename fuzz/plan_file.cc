// The parts of a saved plan with bytes changed: each is read or refused, and a plan that was
// read can be shown for people and for programs.
//
// A plan file is a zip file, whose checksums would stop every change; archives have a
// target of their own. So the input is a list of changes to parts that are good.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "diag/diagnostic.h"
#include "documents/plan_json.h"
#include "fuzz/changes.h"
#include "plans/plan_codec.h"
#include "schema/schema_codec.h"
#include "tests/plans/whole_plan.h"
#include "views/plan_text.h"

namespace {

tofu::schema::KeptSchemas kept() {
  tofu::schema::KeptSchemas kept;
  kept.providers.emplace("terraform.io/builtin/terraform", tofu::schema::builtin_terraform());
  return kept;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string plan_bytes = tofu::plans::encode_plan(tofu::plans::whole_plan());
  static const std::string schema_bytes = tofu::schema::encode_schemas(kept());
  if (size == 0) return 0;
  const std::string_view changes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const bool of_schemas = data[0] % 2 == 1;

  const auto schemas = tofu::schema::decode_schemas(
      of_schemas ? fuzz::changed(schema_bytes, changes) : schema_bytes);
  if (!schemas) return 0;
  tofu::diag::Diagnostics diags;
  const auto plan =
      tofu::plans::decode_plan(of_schemas ? plan_bytes : fuzz::changed(plan_bytes, changes), diags);
  TOFU_CHECK(plan.has_value() != diags.has_errors(), "there is a plan or an error");
  if (!plan) return 0;
  std::string text;
  const auto out = [&](std::string_view piece) { text += piece; };
  tofu::views::write_plan_text(*plan, *schemas, {}, out);
  tofu::documents::write_plan_json(*plan, *schemas, {.version = "0"}, out);
  return 0;
}
