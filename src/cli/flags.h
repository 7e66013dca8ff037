// Go-style flags: a command declares each of its flags once, bound to a field of its
// options; parsing, help and completion read that declaration.
//
// `-name`, `--name`, `-name=value` and `-name value` are the same thing; a bool takes
// its value only after `=`. The first argument that is not a flag, and everything after
// it, is positional; so is everything after `--`. A field's own initial value is the
// flag's default. Of a flag that is given again the last value counts, unless it is
// bound to a list.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "diag/diagnostic.h"

namespace tofu::cli {

enum class Completes : std::uint8_t {
  Nothing,
  Files,
  Directories,
  Addresses,  // of what is in the state
  Workspaces,
};

// What help says about a flag.
struct FlagText {
  std::string_view value = {};  // stands for the value in help: "FILE"; not for a bool
  std::string_view help = {};   // our sentences about it
  Completes completes = Completes::Nothing;
  bool hidden = false;  // neither in help nor in completion
};

// A flag as help and completion see it.
struct FlagInfo {
  std::string_view name;  // without dashes
  FlagText text = {};
  std::string_view heading = {};  // of the group in help
  bool is_bool = false;
  bool is_on = false;                          // the default of a bool
  std::vector<std::string_view> choices = {};  // all values, if they are few words

  std::string shown() const;  // as help writes it: "-lock=false", "-json-into=FILE"
};

template <class T>
struct Choice {
  std::string_view word;
  T means;
};

struct NumberRange {
  int least = std::numeric_limits<int>::min();
  int most = std::numeric_limits<int>::max();
};

inline constexpr std::string_view kMainHeading = "Options";

// What is bound outlives the set.
class FlagSet {
 public:
  void add(std::string_view name, bool& target, const FlagText& text);
  // Absent: not given.
  void add(std::string_view name, std::optional<bool>& target, bool preset, const FlagText& text);
  void add(std::string_view name, std::string& target, const FlagText& text);
  void add(std::string_view name, std::optional<std::string>& target, const FlagText& text);
  // May be given again: every value counts.
  void add(std::string_view name, std::vector<std::string>& target, const FlagText& text);
  void add(std::string_view name, int& target, NumberRange range, const FlagText& text);
  void add(std::string_view name, std::chrono::milliseconds& target, const FlagText& text);
  // One word of a few, for a T or an optional<T>. The choices outlive the set too.
  template <class Target, class T, std::size_t kCount>
  void add(std::string_view name, Target& target, const Choice<T> (&choices)[kCount],
           const FlagText& text);

  // A flag with a value of another kind. The error of `set` is a sentence about the
  // flag, without the period.
  using Set = std::function<base::Result<void>(std::string_view value)>;
  void add_valued(std::string_view name, const FlagText& text, Set set);

  // The flags of a group, which has a function declare() like a command's options.
  template <class Group>
  void include(Group& group) {
    const std::string_view before = heading_;
    group.declare(*this);
    heading_ = before;
  }
  // For groups: what help calls the flags that follow.
  void heading(std::string_view text) { heading_ = text; }

  // Where the positional arguments go. Without one there may be none.
  void arguments(std::vector<std::string>& target) { arguments_ = &target; }
  void ignore_arguments() { ignores_arguments_ = true; }

  // Sets what is bound.
  diag::Checked<void> parse(std::span<const std::string> arguments, diag::Diagnostics& diags);
  // Takes out the arguments that are flags of this set, wherever they stand before `--`, and sets
  // what is bound to them. Values stand after `=` here.
  diag::Checked<void> take(std::vector<std::string>& arguments, diag::Diagnostics& diags);

  std::vector<FlagInfo> infos() const;

 private:
  struct Entry {
    FlagInfo info;
    Set set;
  };

  Entry& add_entry(std::string_view name, const FlagText& text, Set set);
  void add_bool(std::string_view name, bool preset, const FlagText& text,
                std::function<void(bool)> set);
  Entry* find(std::string_view name);
  void report_unknown(std::string_view name, diag::Diagnostics& diags) const;

  std::vector<Entry> entries_;
  std::string_view heading_ = kMainHeading;
  std::vector<std::string>* arguments_ = nullptr;
  bool ignores_arguments_ = false;
};

// For commands that work on the working directory and take no arguments.
diag::Checked<void> check_no_arguments(std::span<const std::string> arguments,
                                       diag::Diagnostics& diags);

// What Go reads as a bool: 1, t, T, true, True, TRUE and their opposites.
std::optional<bool> parse_bool(std::string_view text);

// "a, b or c"
std::string alternatives(std::span<const std::string_view> words);

template <class Target, class T, std::size_t kCount>
void FlagSet::add(std::string_view name, Target& target, const Choice<T> (&choices)[kCount],
                  const FlagText& text) {
  std::vector<std::string_view> words;
  for (const Choice<T>& choice : choices) words.push_back(choice.word);
  const std::string expected =
      "-" + std::string(name) + " can only be " + alternatives(words) + ", not ";
  Entry& entry = add_entry(
      name, text, [&target, &choices, expected](std::string_view word) -> base::Result<void> {
        for (const Choice<T>& choice : choices) {
          if (choice.word != word) continue;
          target = choice.means;
          return {};
        }
        return base::Error{expected + '"' + std::string(word) + '"'};
      });
  entry.info.choices = std::move(words);
}

}  // namespace tofu::cli
