// What functions found out about files, kept for another run.
//
// While a plan is made that is going to be saved, what is found is noted: contents, hashes,
// which files there are. Whoever applies the plan gets the same answers again, so that it
// does what it says where the files are not there, or have changed. What was not asked
// before, because its path was not known, and what was not there, is looked up on disk: a
// resource may make a file that an output tells about.
//
// Threads: any number.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace tofu::functions {

class FoundFiles {
 public:
  // By question and path, with a NUL between them.
  using Answers = std::map<std::string, std::string, std::less<>>;

  FoundFiles() = default;
  // Gives these answers, and notes nothing.
  explicit FoundFiles(Answers answers) : answers_(std::move(answers)), gives_(true) {}

  // Null if it was not asked before. Lives as long as this.
  const std::string* answer(std::string_view question, std::string_view path) const;
  void note(std::string_view question, std::string_view path, std::string_view answer);

  Answers answers() const;

 private:
  mutable std::mutex mutex_;  // for answers_, while they are noted
  Answers answers_;
  bool gives_ = false;
};

}  // namespace tofu::functions
