// Results of functions about files, kept for another run.
//
// While creating a plan for a plan file, the results are recorded: contents, hashes, which files
// there are. Apply gets the same results from the plan, so that it does what the plan says even if
// the files are missing or have changed. Files that were missing, or whose path was not known
// before, are looked up on disk: a resource may create a file that an output describes.
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

  // Null if there is no recorded result. Lives as long as this.
  const std::string* answer(std::string_view question, std::string_view path) const;
  void note(std::string_view question, std::string_view path, std::string_view answer);

  Answers answers() const;

 private:
  mutable std::mutex mutex_;  // for answers_, while they are noted
  Answers answers_;
  bool gives_ = false;
};

}  // namespace tofu::functions
