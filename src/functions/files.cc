#include "functions/files.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "base/file.h"
#include "functions/file_path.h"
#include "functions/found_files.h"

namespace tofu::functions {

namespace {

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

FileError system_error(int number) {
  if (number == ENOENT) return {"there is no such file", true};
  if (number == EISDIR) return {"it is a directory, not a file"};
  if (number == EACCES || number == EPERM) return {"permission is denied"};
  return {std::strerror(number)};
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
  const std::unique_ptr<std::FILE, Close> file(std::fopen(place->c_str(), "rbe"));
  if (!file) return system_error(errno);
  std::array<char, 64 * 1024> piece;
  while (true) {
    errno = 0;
    const std::size_t count = std::fread(piece.data(), 1, piece.size(), file.get());
    if (count > 0 && !take({piece.data(), count})) return {};
    if (std::ferror(file.get()) != 0) return system_error(errno);
    if (count < piece.size()) return {};
  }
}

const std::string* found_before(const Environment& environment, std::string_view question,
                                std::string_view path) {
  if (environment.found_files == nullptr) return nullptr;
  const auto place = locate(environment, path);
  return place ? environment.found_files->answer(question, *place) : nullptr;
}

void note_found(const Environment& environment, std::string_view question, std::string_view path,
                std::string_view answer) {
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
    return content.size() <= base::kLargestFile;
  });
  if (!done) return done.error();
  if (content.size() > base::kLargestFile) return FileError{"it is larger than 4 GiB"};
  note_found(environment, "content", path, content);
  return content;
}

}  // namespace tofu::functions
