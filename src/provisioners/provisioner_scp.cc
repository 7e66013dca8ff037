#include "provisioners/provisioner_scp.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "base/file.h"
#include "functions/file_path.h"

namespace tofu::provisioners {

namespace {

constexpr std::size_t kPiece = std::size_t{64} << 10;
constexpr unsigned kDeepest = 100;  // a link can lead back to where it is

// A name goes on a line of its own.
base::Result<void> check_name(std::string_view name) {
  if (name.find('\n') == std::string_view::npos) return {};
  return base::Error{"the name of a file has a newline in it, so it cannot be copied"};
}

std::string file_line(unsigned mode, std::uint64_t size, std::string_view name) {
  return fmt::format("C{:04o} {} {}\n", mode, size, name);
}

}  // namespace

void ScpSource::add_text(std::string_view name, unsigned mode, std::string content) {
  steps_.push_back({file_line(mode, content.size(), name), std::move(content)});
}

base::Result<void> ScpSource::add_file(std::string_view name, const std::string& path) {
  if (auto fits = check_name(name); !fits) return fits;
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) {
    return base::Error{fmt::format("{} cannot be read: {}", path, base::system_error(errno).what)};
  }
  if (!S_ISREG(status.st_mode)) return base::Error{fmt::format("{} is no file", path)};
  const auto size = static_cast<std::uint64_t>(status.st_size);
  steps_.push_back({file_line(0644, size, name), FromFile{path, size}});
  return {};
}

base::Result<void> ScpSource::add_directory(const std::string& path) {
  if (path.ends_with('/')) return add_entries(path, 0);
  return add_inside(functions::base_name(path), path, 0);
}

base::Result<void> ScpSource::add_inside(std::string_view name, const std::string& path,
                                         unsigned depth) {
  if (auto fits = check_name(name); !fits) return fits;
  steps_.push_back({fmt::format("D0755 0 {}\n", name)});
  if (auto added = add_entries(path, depth); !added) return added;
  steps_.push_back({"E\n"});
  return {};
}

base::Result<void> ScpSource::add_entries(const std::string& path, unsigned depth) {
  if (depth > kDeepest) {
    return base::Error{fmt::format("{} is nested too deeply, or links lead in a circle", path)};
  }
  const auto entries = base::list_directory(path);
  if (!entries)
    return base::Error{fmt::format("{} cannot be read: {}", path, entries.error().what)};
  for (const base::DirectoryEntry& entry : *entries) {
    const std::string inside = path + (path.ends_with('/') ? "" : "/") + entry.name;
    auto added = entry.kind == base::FileKind::Directory ? add_inside(entry.name, inside, depth + 1)
                                                         : add_file(entry.name, inside);
    if (!added) return added;
  }
  return {};
}

process::GuardedProcess::Input ScpSource::fail(std::string problem) {
  problem_ = std::move(problem);
  return {"", true};
}

// The rest of a file, piece by piece. A zero byte says that it was read to its end.
process::GuardedProcess::Input ScpSource::content() {
  const Step& step = steps_[next_step_ - 1];
  if (const auto* text = std::get_if<std::string>(&step.content)) {
    in_content_ = is_answered_ = false;
    return {*text + '\0'};
  }
  std::string piece(std::min<std::uint64_t>(left_, kPiece), '\0');
  const ssize_t count = piece.empty() ? 0 : ::read(file_.number(), piece.data(), piece.size());
  if (count < 0 && errno == EINTR) return content();
  const std::string& path = std::get<FromFile>(step.content).path;
  if (count < 0 || (count == 0 && left_ != 0)) {
    return fail(fmt::format("{} cannot be read: {}", path,
                            count < 0 ? base::system_error(errno).what : "it became shorter"));
  }
  piece.resize(static_cast<std::size_t>(count));
  left_ -= static_cast<std::uint64_t>(count);
  if (left_ != 0) return {std::move(piece)};
  in_content_ = is_answered_ = false;
  file_.close();
  return {piece + '\0'};
}

process::GuardedProcess::Input ScpSource::next() {
  if (in_content_ && is_answered_) return content();
  if (!is_answered_) return {};
  if (next_step_ == steps_.size()) return {"", true};
  const Step& step = steps_[next_step_++];
  is_answered_ = false;
  in_content_ = step.content.index() != 0;
  if (const auto* from = std::get_if<FromFile>(&step.content)) {
    file_ = base::open_file(from->path, O_RDONLY);
    if (!file_.is_open()) {
      return fail(fmt::format("{} cannot be read: {}", from->path, base::system_error(errno).what));
    }
    left_ = from->size;
  }
  return {step.line};
}

bool ScpSource::heard(std::string_view answers) {
  for (const char c : answers) {
    if (in_message_) {
      if (c == '\n' && problem_.empty()) problem_ = "the other machine refused it";
      if (c == '\n') return false;
      if (static_cast<unsigned char>(c) >= 0x20) problem_ += c;
    } else if (c == '\0') {
      is_answered_ = true;
    } else {
      in_message_ = true;
      // A number, or the beginning of what a start-up file of a shell prints.
      if (static_cast<unsigned char>(c) >= 0x20) problem_ += c;
    }
  }
  return true;
}

std::string quote_for(std::string_view word, bool is_windows) {
  if (is_windows) {
    // One of the shells there prints a quoted path instead of running it.
    if (word.find_first_of(" \t") == std::string_view::npos) return std::string(word);
    return fmt::format("\"{}\"", word);
  }
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? R"('\'')" : std::string(1, c);
  return quoted + "'";
}

base::Result<void> copy_over(const SshConnection& connection, ScpSource source,
                             const CopyTarget& target, const std::stop_token& stop) {
  const std::string where = (target.directory.starts_with('-') ? "./" : "") + target.directory;
  process::GuardedProcess process;
  process.next_input = [&] { return source.next(); };
  process.on_output = [&](std::string_view answers) { return source.heard(answers); };
  const std::string command = fmt::format("scp {} -t {}", target.is_there ? "-d" : "-r",
                                          quote_for(where, target.is_windows));
  const auto ended = connection.talk(command, std::move(process), stop);
  if (stop.stop_requested()) return base::Error{"it was interrupted"};
  if (!source.problem().empty()) return base::Error{"copying failed: " + source.problem()};
  if (!ended) return base::Error{"ssh cannot be run: " + ended.error().what};
  constexpr int kNoSuchProgram = 127;
  if (ended->exit_status == kNoSuchProgram) {
    return base::Error{"copying failed: the remote host has no scp program"};
  }
  if (ended->exit_status == 0 && source.is_done()) return {};
  return base::Error{"copying failed: " + last_words(ended->errors)};
}

}  // namespace tofu::provisioners
