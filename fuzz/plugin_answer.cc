// What a plugin says, by the first byte: its schema in both protocols, an answer with a
// value and diagnostics, its first line, its log. Each is read or refused.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "providers/grpc_connection.h"
#include "providers/handshake.h"
#include "providers/plugin_log.h"
#include "providers/plugin_messages.h"
#include "providers/plugin_schema.h"
#include "providers/reattach.h"

namespace {

using tofu::providers::Problem;

void read_schema(int protocol, std::string_view bytes) {
  const std::size_t half = bytes.size() / 2;
  const auto owned =
      tofu::providers::own_schema(protocol, std::string(bytes), std::string(bytes.substr(half)));
  std::vector<Problem> problems = tofu::providers::check_schema(owned);
  const auto schema = tofu::providers::read_schema(owned, problems);
  if (!schema) return;
  for (const auto& [type, resource] : schema->schema.resources) {
    (void)resource.block.implied_type();
    if (resource.identity) (void)resource.identity->type();
  }
  (void)schema->schema.provider.implied_type();
}

void read_answer(std::string_view bytes) {
  tofu::wire6::PlanResourceChange::Response answer;
  if (!answer.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return;
  std::vector<Problem> problems;
  tofu::providers::add_problems(answer.diagnostics(), problems);
  for (const auto& path : answer.requires_replace()) (void)tofu::providers::to_path(path);
  (void)tofu::providers::read_value(answer.planned_state(), tofu::value::Type::dynamic());
}

void read_log(std::string_view bytes) {
  tofu::providers::PluginLog log("fuzz", {});
  log.receive(bytes);
  log.end();
  (void)log.last_lines();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data + 1), size - 1);
  switch (data[0]) {
    case '5': read_schema(5, bytes); break;
    case '6': read_schema(6, bytes); break;
    case 'a': read_answer(bytes); break;
    case 'h': (void)tofu::providers::parse_handshake(bytes).ok(); break;
    case 'l': read_log(bytes); break;
    case 'r': (void)tofu::providers::parse_reattach(bytes).ok(); break;
    case 'm': {
      tofu::providers::GrpcUnframer unframer(1024);
      (void)unframer.receive(bytes, [](const std::string&) {});
      break;
    }
    default: break;
  }
  return 0;
}
