#include "cli/json_log.h"

#include <cerrno>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json_writer.h"
#include "cli/version_info.h"
#include "diag/render_json.h"
#include "diag/source.h"
#include "diag/wrap.h"

namespace tofu::cli {

namespace {

constexpr std::string_view kUiVersion = "1.2";

// A file that was there before may be one that others can read. What is not a file, such
// as a pipe, has no content to protect. False with errno set.
bool make_private(int file) {
  struct stat info {};
  if (::fstat(file, &info) != 0) return false;
  if (!S_ISREG(info.st_mode)) return true;
  if ((info.st_mode & 07777) != 0600 && ::fchmod(file, 0600) != 0) return false;
  return ::ftruncate(file, 0) == 0;
}

}  // namespace

std::string timestamp(const Environment& environment) {
  const auto [seconds, nanoseconds] = environment.now();
  const std::time_t time = seconds;
  std::tm parts{};
  ::gmtime_r(&time, &parts);
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:06}Z", parts, nanoseconds / 1000);
}

diag::Checked<std::unique_ptr<PrivateFile>> PrivateFile::open(const std::string& path,
                                                              diag::Diagnostics& diags) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0 || !make_private(file)) {
    diags.error("Cannot open the -json-into file")
        .detail(fmt::format("Opening {} failed: {}. Specify a file path that can be written.", path,
                            std::strerror(errno)));
    if (file >= 0) ::close(file);
    return nullptr;
  }
  return std::make_unique<PrivateFile>(file);
}

PrivateFile::~PrivateFile() {
  out_.flush();
  ::close(file_);
}

template <class More>
void JsonLog::message(std::string_view level, std::string_view text, More&& more) {
  std::string line;
  base::JsonWriter json(line);
  json.begin_object();
  json.field("@level", level);
  json.field("@message", text);
  json.field("@module", "tofu.ui");
  json.field("@timestamp", timestamp(environment_));
  more(json);
  json.end_object();
  out_.line(diag::json_safe_for_terminal(line));
  out_.flush();  // a program that follows sees every message at once
}

JsonLog::JsonLog(Output& out, const Environment& environment, const diag::SourceMap& sources)
    : out_(out), environment_(environment), sources_(sources) {
  message("info", fmt::format("OpenTofu {}", kTofuVersion), [](base::JsonWriter& json) {
    json.field("tofu", kTofuVersion);
    json.field("type", "version");
    json.field("ui", kUiVersion);
  });
}

void JsonLog::info(std::string_view text) {
  message("info", text, [](base::JsonWriter&) {});
}

void JsonLog::warning(std::string_view text) {
  message("warn", text, [](base::JsonWriter&) {});
}

void JsonLog::error(std::string_view text) {
  message("error", text, [](base::JsonWriter&) {});
}

void JsonLog::typed(std::string_view text, const std::function<void(base::JsonWriter&)>& more) {
  message("info", text, more);
}

void JsonLog::diagnostics(const diag::Diagnostics& diags) {
  for (const diag::Diagnostic& diagnostic : diags.items()) {
    const bool error = diagnostic.severity == diag::Severity::Error;
    message(error ? "error" : "warn",
            fmt::format("{}: {}", error ? "Error" : "Warning", diagnostic.summary),
            [&](base::JsonWriter& json) {
              json.key("diagnostic");
              diag::write_json(json, diagnostic, sources_);
              json.field("type", "diagnostic");
            });
  }
}

}  // namespace tofu::cli
