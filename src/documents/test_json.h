// Progress of tests, as messages for programs: the stream of `test -json`.
//
// OpenTofu's message types and fields. One line per message.
// A sensitive value is in none of them.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "diag/diagnostic.h"
#include "diag/source.h"
#include "plans/test_events.h"

namespace tofu::documents {

class TestMessages {
 public:
  // The plan or the state of a run as a JSON document; empty: there is none.
  using Document = std::function<std::string(const plans::TestRunEnded& event)>;

  // `timestamp` is called for each message. The sources outlive this.
  TestMessages(std::function<std::string()> timestamp, const diag::SourceMap& sources,
               Document document)
      : timestamp_(std::move(timestamp)), sources_(sources), document_(std::move(document)) {}

  // Complete lines with their line feeds; empty for events that the stream does not have.
  std::string operator()(const plans::TestEvent& event) const;
  // Problems of a run or a file; of neither if the place is empty.
  std::string problems(const diag::Diagnostics& diags, const plans::TestPlace& place) const;
  // A sentence.
  std::string message(std::string_view text) const;

 private:
  std::string timestamp() const { return timestamp_(); }

  std::function<std::string()> timestamp_;
  const diag::SourceMap& sources_;
  Document document_;
};

}  // namespace tofu::documents
