#include "functions/files.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/descriptor.h"
#include "base/stop_wait.h"
#include "functions/file_path.h"
#include "functions/found_files.h"
#include "value/size_limit.h"

namespace tofu::functions {

namespace {

FileError system_error(int number) {
  if (number == ENOENT) return {"the file does not exist", true};
  if (number == EISDIR) return {"it is a directory, not a file"};
  if (number == EACCES || number == EPERM) return {"permission is denied"};
  return {std::strerror(number)};
}

FileError too_large() {
  return {
      fmt::format("it is larger than {} MiB, the limit for one string", value::kMaxTextSize >> 20)};
}

}  // namespace

base::Result<std::string> locate(const Environment& environment, std::string_view path) {
  auto expanded = expand_home(path, environment.home_directory);
  if (!expanded) return expanded;
  if (is_absolute(*expanded)) return clean_path(*expanded);
  return join_paths(environment.base_directory, *expanded);
}

base::Result<void, FileError> read_pieces(const Environment& environment, std::string_view path,
                                          const std::function<bool(std::string_view)>& take) {
  const auto place = locate(environment, path);
  if (!place) return FileError{place.error().what};
  // A NUL cannot be part of a name, and the system would stop reading there.
  if (place->find('\0') != std::string::npos) return FileError{"the path contains a NUL"};
  // Opening a pipe would wait for a writer.
  const base::Descriptor file = base::open_file(*place, O_RDONLY | O_NONBLOCK);
  if (!file.is_open()) return system_error(errno);
  // A device need not have an end.
  struct stat info {};
  const bool ends = ::fstat(file.number(), &info) == 0 && S_ISREG(info.st_mode);
  std::size_t total = 0;
  std::array<char, 64 * 1024> piece;
  while (true) {
    if (!ends && !base::wait_readable(file.number(), environment.stop)) {
      return FileError{"interrupted"};
    }
    const ssize_t count = ::read(file.number(), piece.data(), piece.size());
    if (count < 0 && (errno == EINTR || (errno == EAGAIN && !ends))) continue;
    if (count < 0) return system_error(errno);
    if (count == 0) return {};
    const auto bytes = static_cast<std::size_t>(count);
    total += bytes;
    if (!ends && total > value::kMaxTextSize) return too_large();
    if (!take({piece.data(), bytes})) return {};
  }
}

const std::string* found_before(const Environment& environment, std::string_view question,
                                std::string_view path) {
  if (environment.found_files == nullptr) return nullptr;
  const auto place = locate(environment, path);
  return place ? environment.found_files->answer(question, *place) : nullptr;
}

void record_file_exists(const Environment& environment, std::string_view question,
                        std::string_view path, std::string_view answer) {
  if (environment.found_files == nullptr) return;
  if (const auto place = locate(environment, path)) {
    environment.found_files->note(question, *place, answer);
  }
}

base::Result<std::string, FileError> read_file(const Environment& environment,
                                               std::string_view path) {
  if (const auto* before = found_before(environment, "content", path)) return *before;
  std::string content;
  const auto done = read_pieces(environment, path, [&content](std::string_view piece) {
    content += piece;
    return content.size() <= value::kMaxTextSize;
  });
  if (!done) return done.error();
  if (content.size() > value::kMaxTextSize) return too_large();
  record_file_exists(environment, "content", path, content);
  return content;
}

}  // namespace tofu::functions
