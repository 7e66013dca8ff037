// The current position of a check in a value, and its findings so far.
//
// Going on to a part costs next to nothing, since most parts are fine; a path is made of the steps
// only for a problem. Private to this component.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "schema/marks.h"
#include "syntax/shown.h"
#include "value/path.h"
#include "value/value.h"

namespace tofu::schema {

// `is "a"`, "is null", "is list of string with 2 elements".
inline std::string in_words(const value::Value& v) {
  return syntax::statement_about(v, {.unknown = true, .confidential = true});
}

class Findings {
 public:
  explicit Findings(std::span<const PathMarks> hidden) : hidden_(hidden) {}
  // Only whether there is anything: nothing is put into words.
  static Findings silent() {
    Findings made({});
    made.silent_ = true;
    return made;
  }

  // Something is wrong here, as make_text() says.
  template <class Make>
  void add(Make&& make_text) {
    found_ = true;
    if (!silent_) note(make_text(), {});
  }
  // The same, further on along `steps`.
  template <class Make>
  void add_along(std::vector<value::PathStep> steps, Make&& make_text) {
    found_ = true;
    if (!silent_) note(make_text(), std::move(steps));
  }

  // Does `what` one step further on. `name` lives as long as that takes.
  template <class What>
  void at(const std::string& name, What&& what) {
    steps_.push_back({&name, {}});
    what();
    steps_.pop_back();
  }
  template <class What>
  void at(value::Value key, What&& what) {
    steps_.push_back({nullptr, std::move(key)});
    what();
    steps_.pop_back();
  }
  template <class What>
  void at(std::size_t index, What&& what) {
    at(value::Value::integer(static_cast<std::int64_t>(index)), what);
  }

  bool any() const { return found_; }
  bool is_silent() const { return silent_; }
  // Once something is wrong, a silent search is over.
  bool is_over() const { return silent_ && found_; }
  // Whether something here is a secret of the author.
  bool is_hidden() const { return !hidden_.empty() && touches_sensitive(hidden_, path()); }
  std::size_t size() const { return problems_.size(); }
  // Drops all problems after the first `size`.
  void drop_after(std::size_t size) { problems_.resize(size); }
  std::vector<value::PathError> all() && { return std::move(problems_); }

 private:
  struct Step {
    const std::string* name;  // of an attribute, or null:
    value::Value key;
  };

  void note(std::string text, std::vector<value::PathStep> further);
  value::Path path() const;

  std::span<const PathMarks> hidden_;
  std::vector<Step> steps_;
  std::vector<value::PathError> problems_;
  bool silent_ = false;
  bool found_ = false;
};

}  // namespace tofu::schema
