// The built-in functions, gathered in one table.
//
// Made for one evaluation context: its creator supplies the base of relative paths, the time, and
// whether impure functions may run. Nothing here reads the environment, the clock or the working
// directory by itself.
//
// The table owns its functions; pointers stay valid while it lives. Making one costs next to
// nothing: the functions are created when the first is used.
//
// Threads: a table may be used from several at once.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "syntax/function.h"

namespace tofu::functions {

class FoundFiles;

struct Environment {
  std::string base_directory = ".";  // file functions resolve relative paths from here
  std::string home_directory;        // for pathexpand
  std::string working_directory;     // for abspath; absolute
  // Seconds and nanoseconds since the epoch, for timestamp(). Null: unknown.
  std::function<std::pair<std::int64_t, std::int32_t>()> now;
  // The fixed time of the plan, for plantimestamp(). Empty: not known yet, as
  // while validating. Absent: there is no such function (as in the console).
  std::optional<std::string> plan_timestamp;
  bool pure_only = false;  // impure functions answer unknown, as while planning
  // Leaves out every function that depends_on_outside(), also inside templates.
  bool self_contained = false;
  bool console = false;  // adds type()
  int template_recursion_limit = 1024;
  // Records results about files, or returns recorded ones. Null: that is not needed. Outlives the
  // functions.
  FoundFiles* found_files = nullptr;
  // Ends the reading of files that have to be waited for, such as pipes.
  std::stop_token stop = {};
};

// Whether the result of a built-in function depends on more than its arguments: on
// files, the clock, chance, or the user's directories.
bool depends_on_outside(std::string_view name);

class Table {
 public:
  explicit Table(Environment environment);
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;
  ~Table();

  // By plain name or as `core::name`. Null if there is none.
  const syntax::Function* find(std::string_view name) const;
  // Plain names, sorted.
  std::vector<std::string_view> names() const;
  // Whether Environment::stop was requested.
  bool is_interrupted() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tofu::functions
