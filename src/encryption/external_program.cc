#include "encryption/external_program.h"

#include <chrono>
#include <fmt/format.h>
#include <optional>
#include <utility>

#include "base/json_layout.h"
#include "base/quotation.h"
#include "encryption/key.h"
#include "process/process.h"
#include "state/json_fields.h"

namespace tofu::encryption {

namespace {

constexpr std::chrono::milliseconds kDeadline = std::chrono::minutes(1);

// The error in the first line; empty if nothing.
std::string header_error(std::string_view line, std::string_view magic) {
  std::string text;
  if (!base::append_compact_json(text, line)) return "its first line is not JSON";
  std::string found;
  std::uint64_t version = 0;
  state::JsonFields fields(text);
  fields.members("header", [&](std::string_view name) {
    if (state::is_field(name, "magic")) {
      fields.text("magic", found);
    } else if (state::is_field(name, "version")) {
      fields.number("version", version);
    } else {
      fields.skip();
    }
  });
  if (!fields.fault().empty()) return "in its first line, " + fields.fault();
  if (found != magic) return fmt::format("its first line has not the \"magic\" {:?}", magic);
  if (version != 1) {
    return fmt::format("it speaks version {} of the protocol, not version 1", version);
  }
  return {};
}

std::string with_errors(std::string what, std::string_view errors) {
  errors = base::without_full_stop(errors);
  if (errors.empty()) return what;
  return fmt::format("{}. It wrote to standard error:\n{}", what, errors);
}

}  // namespace

base::Result<std::string> run_external(const ExternalProgram& program, std::string input) {
  std::string output;
  std::optional<std::string> fault;  // of the header, once it was seen
  process::GuardedProcess process{program.command};
  process.input = std::move(input);
  process.deadline = kDeadline;
  process.stop = program.stop;
  bool is_too_long = false;
  process.on_output = [&](std::string_view piece) {
    if (piece.size() > program.output_limit - output.size()) is_too_long = true;
    if (is_too_long) return false;
    output += piece;
    const std::size_t end = output.find('\n');
    if (fault || end == std::string::npos) return true;
    fault = header_error(std::string_view(output).substr(0, end), program.magic);
    return fault->empty();
  };
  const auto ran = process::run_guarded(process);
  wipe(process.input);
  const auto failed = [&](std::string what) {
    wipe(output);
    return base::Error{fmt::format("the program {:?} failed: {}", program.command[0], what)};
  };
  if (is_too_long) return failed(fmt::format("it wrote more than {} bytes", program.output_limit));
  if (fault && !fault->empty()) return failed(*fault);
  if (!ran) return failed(ran.error().what);
  if (ran->exit_status != 0) {
    return failed(
        with_errors(fmt::format("it ended with status {}", ran->exit_status), ran->errors));
  }
  if (!fault) return failed(with_errors("it wrote no header line", ran->errors));
  std::string answer = output.substr(output.find('\n') + 1);
  wipe(output);
  return answer;
}

}  // namespace tofu::encryption
