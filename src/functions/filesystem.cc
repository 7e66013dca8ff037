#include <cerrno>
#include <fmt/format.h>
#include <sys/stat.h>

#include "base/base64.h"
#include "base/unicode.h"
#include "functions/define.h"
#include "functions/errors.h"
#include "functions/families.h"
#include "functions/file_path.h"
#include "functions/files.h"
#include "functions/glob.h"

namespace tofu::functions {

namespace {

using syntax::Arguments;
using syntax::CallResult;
using value::Type;
using value::Value;

// The content of the file that the first argument names. Marks of the path go
// to `marks`, for the result.
CallResult<std::string> content_of(const Environment& environment, const Value& argument,
                                   value::Marks& marks) {
  const auto path = argument.unmarked();
  marks = argument.marks();
  auto content = read_file(environment, path.as_string());
  if (content) return *std::move(content);
  if (content.error().missing) {
    return syntax::argument_error(
        0, fmt::format("no file exists at {}. Only files that are part of the configuration can be "
                       "read: for one that a resource creates, use an attribute of that resource",
                       shown(path.as_string(), marks)));
  }
  return syntax::argument_error(
      0, fmt::format("cannot read {}: {}", shown(path.as_string(), marks), content.error().what));
}

CallResult<Value> file(const Environment& environment, Arguments args) {
  value::Marks marks;
  const auto content = content_of(environment, args[0], marks);
  if (!content) return content.error();
  if (!base::is_valid_utf8(*content)) {
    return call_error(fmt::format(
        "the content of {} is not text in UTF-8; use filebase64 for other content, or a function "
        "such as filesha256 for its hash",
        shown(args[0].unmarked().as_string(), marks)));
  }
  return Value::string(*content).with_marks(marks);
}

CallResult<Value> filebase64(const Environment& environment, Arguments args) {
  value::Marks marks;
  const auto content = content_of(environment, args[0], marks);
  if (!content) return content.error();
  return Value::string(base::base64_encode(*content)).with_marks(marks);
}

std::string_view kind_name(mode_t mode) {
  if (S_ISDIR(mode)) return "a directory";
  if (S_ISBLK(mode) || S_ISCHR(mode)) return "a device";
  if (S_ISFIFO(mode)) return "a named pipe";
  if (S_ISSOCK(mode)) return "a socket";
  return "a special file";
}

CallResult<Value> fileexists(const Environment& environment, Arguments args) {
  const auto path = args[0].unmarked();
  const value::Marks marks = args[0].marks();
  const auto place = locate(environment, path.as_string());
  if (!place) return call_error(place.error().what);
  if (place->find('\0') != std::string::npos) return call_error("the path contains a NUL");
  if (found_before(environment, "fileexists", *place) != nullptr) {
    return Value::boolean(true).with_marks(marks);
  }
  struct stat status {};
  if (::stat(place->c_str(), &status) != 0) {
    if (errno == ENOENT) return Value::boolean(false).with_marks(marks);
    return call_error(fmt::format("cannot look at {}", shown(*place, marks)));
  }
  if (S_ISREG(status.st_mode)) {
    record_file_exists(environment, "fileexists", *place, "");
    return Value::boolean(true).with_marks(marks);
  }
  return call_error(
      fmt::format("{} is {}, not a regular file", shown(*place, marks), kind_name(status.st_mode)));
}

std::vector<Value> strings_of(std::string_view names) {
  std::vector<Value> strings;
  while (!names.empty()) {
    const std::size_t end = names.find('\0');
    strings.push_back(Value::string(std::string(names.substr(0, end))));
    names.remove_prefix(end == std::string_view::npos ? names.size() : end + 1);
  }
  return strings;
}

CallResult<Value> fileset(const Environment& environment, Arguments args) {
  const value::Marks marks = args[0].marks().with(args[1].marks());
  const auto directory_argument = args[0].unmarked();
  const auto pattern_argument = args[1].unmarked();
  std::string directory(directory_argument.as_string());
  if (!is_absolute(directory)) directory = join_paths(environment.base_directory, directory);
  directory = directory.empty() ? directory : clean_path(directory);
  const std::string pattern = join_paths(directory, pattern_argument.as_string());
  const std::string question = "fileset " + directory;
  if (const auto* before = found_before(environment, question, pattern)) {
    return Value::set(Type::string(), strings_of(*before)).with_marks(marks);
  }
  const auto matches = glob(pattern);
  if (!matches) {
    return call_error(fmt::format("{} cannot be used as a pattern: {}", shown(pattern, marks),
                                  matches.error().what));
  }
  std::vector<Value> files;
  std::string names;  // each with a NUL after it, which no name has
  for (const std::string& match : *matches) {
    struct stat status {};
    if (::stat(match.c_str(), &status) != 0) {
      return call_error(fmt::format("cannot look at {}", shown(match, marks)));
    }
    if (!S_ISREG(status.st_mode)) continue;
    const auto relative = relative_path(directory, match);
    if (!relative) {
      return call_error(
          fmt::format("{} cannot be expressed relative to the directory", shown(match, marks)));
    }
    files.push_back(Value::string(*relative));
    names += *relative + '\0';
  }
  if (!names.empty()) record_file_exists(environment, question, pattern, names);
  return Value::set(Type::string(), std::move(files)).with_marks(marks);
}

CallResult<Value> abspath(const Environment& environment, Arguments args) {
  const std::string_view path = args[0].plain().as_string();
  if (is_absolute(path)) return Value::string(clean_path(path));
  return Value::string(join_paths(environment.working_directory, path));
}

CallResult<Value> pathexpand(const Environment& environment, Arguments args) {
  const auto path = expand_home(args[0].plain().as_string(), environment.home_directory);
  if (!path) return call_error(path.error().what);
  return Value::string(*path);
}

CallResult<Value> basename(Arguments args, Type) {
  return Value::string(base_name(args[0].plain().as_string()));
}

CallResult<Value> dirname(Arguments args, Type) {
  return Value::string(directory_name(args[0].plain().as_string()));
}

}  // namespace

void add_filesystem(List& list, const Environment& environment) {
  const Type text = Type::string();
  const Accepts with_marks{.marked = true};
  const auto in = [&environment](CallResult<Value> (*body)(const Environment&, Arguments)) {
    return [&environment, body](Arguments args, Type) { return body(environment, args); };
  };
  define(list, "abspath",
         "Makes a path absolute, starting from the working directory if it is relative.")
      .takes("path", text)
      .gives(text)
      .as(in(abspath));
  define(list, "basename", "The last part of a path.").takes("path", text).gives(text).as(basename);
  define(list, "dirname", "A path without its last part.")
      .takes("path", text)
      .gives(text)
      .as(dirname);
  define(list, "pathexpand", "Replaces a leading \"~\" of a path by the home directory.")
      .takes("path", text)
      .gives(text)
      .as(in(pathexpand));
  define(list, "file", "The content of a file, which must be text in UTF-8.")
      .takes("path", text, with_marks)
      .gives(text)
      .as(in(file));
  define(list, "filebase64", "The content of a file, encoded as Base64.")
      .takes("path", text, with_marks)
      .gives(text)
      .as(in(filebase64));
  define(list, "fileexists",
         "Whether a regular file exists at a path. A directory or special file is an error.")
      .takes("path", text, with_marks)
      .gives(Type::boolean())
      .as(in(fileexists));
  define(list, "fileset",
         "The regular files in a directory whose paths match a pattern with *, **, ?, [a-z] and "
         "{a,b}.")
      .takes("path", text, with_marks)
      .takes("pattern", text, with_marks)
      .gives(Type::set(text))
      .as(in(fileset));
}

}  // namespace tofu::functions
