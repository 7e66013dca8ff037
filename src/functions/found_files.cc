#include "functions/found_files.h"

namespace tofu::functions {

namespace {

std::string key_of(std::string_view question, std::string_view path) {
  std::string key(question);
  key += '\0';
  key += path;
  return key;
}

}  // namespace

const std::string* FoundFiles::answer(std::string_view question, std::string_view path) const {
  if (!gives_) return nullptr;  // and recorded results never change
  const auto found = answers_.find(key_of(question, path));
  return found == answers_.end() ? nullptr : &found->second;
}

void FoundFiles::note(std::string_view question, std::string_view path, std::string_view answer) {
  if (gives_) return;
  const std::lock_guard lock(mutex_);
  // The last result counts: a data source may have written the file. Mostly it is the same.
  std::string& noted = answers_[key_of(question, path)];
  if (noted != answer) noted = answer;
}

FoundFiles::Answers FoundFiles::answers() const {
  const std::lock_guard lock(mutex_);
  return answers_;
}

}  // namespace tofu::functions
