// One problem to report to the user, and the list that carries problems up.
//
// Input: finished text and source ranges. No values, scopes or expressions: code that reports a
// problem renders values at once, since the evaluator may be gone when the message is printed.
//
// Threads: a Diagnostics belongs to one task; tasks are joined with take().
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "diag/checked.h"
#include "diag/source.h"

namespace tofu::diag {

enum class Severity : std::uint8_t { Error, Warning };

// One line of the "with" part below a snippet: `var.region is "eu"`. The
// statement never has a sensitive value in it; the reporter saw to that.
struct ShownValue {
  std::string traversal;  // var.region
  std::string statement;  // is "eu"
};

// The signature in a diagnostic about a function call.
struct ShownCall {
  std::string name;       // length
  std::string signature;  // length(value); empty if there is no such function
  std::string json = {};  // the signature as a JSON object, for machine-readable output
};

// The two sides of an `==` that does not hold, as JSON documents: what a plan says of a change from
// the left side to the right one. None of them contains a sensitive value: it is replaced by a
// numbered text, with the same number where the values are the same.
struct ShownDifference {
  std::string before;
  std::string after;          // empty: unknown as a whole
  std::string after_unknown;  // true where a part is unknown
  std::string before_sensitive;
  std::string after_sensitive;
};

struct Diagnostic {
  Severity severity = Severity::Error;
  std::string summary;                 // a few words, no final period
  std::string detail;                  // whole sentences; ends with what to do
  std::optional<SourceRange> subject;  // exactly the faulty text
  std::optional<SourceRange> context;  // a wider piece worth showing around it
  std::string in;                      // header of the enclosing block: resource "a" "b"
  std::string address;                 // the object it is about: module.net.aws_x.y["k"]
  std::vector<ShownValue> values;      // values of the references in the faulty expression
  std::optional<ShownCall> call;
  std::optional<ShownDifference> difference;

  // A warning of a check block, which the apply of a plan evaluates again.
  bool of_check = false;
  // The object whose rule this is about: module.net.var.a, check.c. Empty if it is about
  // something else.
  std::string rule_of;
  // An error that is only a warning because a check block is concerned.
  bool softened = false;

  // For consolidate(): diagnostics with the same summary are similar only if this is equal as
  // well, and those with one that is not empty are about one thing, such as a declaration; one
  // that is kept apart is similar to none.
  std::string similar_if;
  bool keep_apart = false;
  std::vector<SourceRange> folded;  // subjects of similar ones that this one now speaks for
};

// Nearly every file has one, and few of them are filled: what takes code stands in the source,
// not at each of these places.
class Diagnostics {
 public:
  // Of each severity so many are kept. Input that is wrong in each of its bytes would fill the
  // memory, and this is more than a person can read. Omitted errors count as errors all the same.
  static constexpr std::size_t kMaxKept = 100'000;

  Diagnostics() = default;
  Diagnostics(const Diagnostics& other);
  Diagnostics(Diagnostics&& other) noexcept;
  Diagnostics& operator=(const Diagnostics& other);
  Diagnostics& operator=(Diagnostics&& other) noexcept;
  ~Diagnostics();

  // Fills in the entry just added. The entry exists from the start of the
  // chain: forgetting a step loses a detail, never the error.
  class Entry {
   public:
    Entry& detail(std::string text);
    Entry& at(SourceRange subject);
    Entry& at(std::optional<SourceRange> subject);
    Entry& within(SourceRange context);
    Entry& in(std::string block);
    Entry& about(std::string address);
    Entry& values(std::vector<ShownValue> shown);
    Entry& call(ShownCall shown);
    Entry& difference(std::optional<ShownDifference> shown);

   private:
    friend class Diagnostics;
    Entry(Diagnostics* list, std::size_t index) : list_(list), index_(index) {}
    Diagnostic& it() { return list_->entry(index_); }
    Diagnostics* list_;
    std::size_t index_;
  };

  // Few runs have any. Code that leads to them stands apart from the rest of the program, which
  // has fewer pages to bring in that way.
  [[gnu::cold]] Entry error(std::string summary);
  [[gnu::cold]] Entry warning(std::string summary);
  void add(Diagnostic diagnostic);

  // Moves everything out of `other`, keeping its order.
  void take(Diagnostics&& other);
  void clear();

  bool has_errors() const { return errors_ != 0; }
  bool empty() const { return items_.empty(); }
  std::size_t size() const { return items_.size(); }
  std::size_t error_count() const { return errors_; }
  std::span<const Diagnostic> items() const { return items_; }
  // For adding what only the caller knows (the enclosing block, an address) to
  // entries that were added since `from`.
  std::span<Diagnostic> items_from(std::size_t from) { return std::span(items_).subspan(from); }

  // By file, then place, then order of arrival; those without a place last.
  void sort_by_place();
  // The order in which a person is shown them, as OpenTofu has it: warnings
  // before errors, those without a place first, files near the root first, then
  // by name and place.
  void sort_for_display(const SourceMap& sources);

 private:
  Entry add(Severity severity, std::string summary);
  bool is_full(Severity severity) const;
  Diagnostic& entry(std::size_t index);

  std::vector<Diagnostic> items_;
  std::size_t errors_ = 0;  // also those left out
  std::size_t kept_errors_ = 0;
  std::unique_ptr<Diagnostic> left_out_;  // receives the fields of an entry that is not kept
};

}  // namespace tofu::diag
