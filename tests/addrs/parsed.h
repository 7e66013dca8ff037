// A traversal read from text, with everything it points into.
//
// The text is its own file, so places in diagnostics are offsets into it and a
// test can write them down as "ERR begin-end".
#pragma once

#include <gtest/gtest.h>
#include <optional>
#include <string>

#include "diag/diagnostic.h"
#include "diag/source.h"
#include "syntax/parser.h"

namespace tofu::addrs {

class Parsed {
 public:
  explicit Parsed(std::string text)
      : id_(sources_.add("test.tf", std::move(text))),
        parsed_(syntax::parse_traversal(sources_, id_, false, diags)) {
    EXPECT_TRUE(parsed_) << sources_.text(id_);
  }

  const syntax::Traversal& operator*() const { return parsed_->traversal; }

  // "ERR begin-end" of the first diagnostic.
  std::string error() const {
    if (diags.empty()) return "no error";
    const auto& subject = diags.items()[0].subject;
    if (!subject) return "ERR";
    return "ERR " + std::to_string(subject->begin) + "-" + std::to_string(subject->end);
  }

  diag::Diagnostics diags;

 private:
  diag::SourceMap sources_;
  diag::FileId id_;
  std::optional<syntax::ParsedTraversal> parsed_;
};

}  // namespace tofu::addrs
