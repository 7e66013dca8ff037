#include "documents/junit_xml.h"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>

#include "diag/render_text.h"
#include "views/difference_text.h"

namespace tofu::documents {

namespace {

using plans::TestStatus;

constexpr int kWidth = 78;

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&#34;"; break;
      case '\'': out += "&#39;"; break;
      case '\n': out += "&#xA;"; break;
      case '\r': out += "&#xD;"; break;
      case '\t': out += "&#x9;"; break;
      default:
        // XML has no way to write other control characters.
        if (static_cast<unsigned char>(c) < 0x20) {
          out += "\xef\xbf\xbd";
        } else {
          out += c;
        }
    }
  }
  return out;
}

// Text as it is, but for what would end it.
std::string cdata(std::string_view text) {
  std::string out = "<![CDATA[";
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find("]]>", at);
    if (end == std::string_view::npos) {
      out += text.substr(at);
      break;
    }
    out += text.substr(at, end + 2 - at);
    out += "]]><![CDATA[";
    at = end + 2;
  }
  return out + "]]>";
}

std::string errors_text(const diag::Diagnostics& diags, const diag::SourceMap& sources) {
  std::string text;
  for (const diag::Diagnostic& each : diags.items()) {
    if (each.severity != diag::Severity::Error) continue;
    text += diag::format_diagnostic(each, sources, {false, kWidth, views::difference_text});
  }
  return text;
}

bool is_failed_assertion(const diag::Diagnostic& each) {
  return each.severity == diag::Severity::Error;
}

// "1 of 2 assertions failed: what the author says of it"
std::string failure_message(const plans::TestRunEnded& run) {
  const auto count = std::ranges::count_if(run.problems.items(), is_failed_assertion);
  const auto first = std::ranges::find_if(run.problems.items(), is_failed_assertion);
  std::string text = fmt::format("{} assertion{} failed", count, count == 1 ? "" : "s");
  if (first != run.problems.items().end()) text += ": " + first->detail;
  return text;
}

std::string case_xml(const JunitCase& it, const std::string& file, const std::string& cause,
                     const diag::SourceMap& sources) {
  const plans::TestRunEnded& run = it.run;
  std::string out = fmt::format("    <testcase name=\"{}\" classname=\"{}\"",
                                escaped(run.place.run), escaped(file));
  if (run.status != TestStatus::Skip) {
    out += fmt::format(" time=\"{:.3f}\" timestamp=\"{}\"",
                       static_cast<double>(run.took.count()) / 1000.0, escaped(it.timestamp));
  }
  out += ">";
  const auto child = [&](std::string_view element, const std::string& message,
                         const std::string& text) {
    out += fmt::format("\n      <{0} message=\"{1}\">{2}</{0}>\n    ", element, escaped(message),
                       cdata(text));
  };
  switch (run.status) {
    case TestStatus::Pending:
    case TestStatus::Pass: break;
    case TestStatus::Skip:
      child("skipped", "Skipped",
            cause.empty() ? "The tests were interrupted."
                          : fmt::format("The run {:?} before it ended with an error.", cause));
      break;
    case TestStatus::Fail:
      child("failure", failure_message(run), errors_text(run.problems, sources));
      break;
    case TestStatus::Error:
      child("error", "Encountered an error", errors_text(run.problems, sources));
      break;
  }
  return out + "</testcase>\n";
}

}  // namespace

std::string junit_xml(const std::vector<JunitSuite>& suites, const diag::SourceMap& sources) {
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?><testsuites>\n";
  for (const JunitSuite& suite : suites) {
    plans::TestCounts counts;
    for (const JunitCase& each : suite.cases) counts.count(each.run.status);
    out += fmt::format(
        "  <testsuite name=\"{}\" tests=\"{}\" skipped=\"{}\" failures=\"{}\" errors=\"{}\">\n",
        escaped(suite.file), suite.cases.size(), counts.skipped, counts.failed, counts.errored);
    std::string cause;
    for (const JunitCase& each : suite.cases) {
      out += case_xml(each, suite.file, cause, sources);
      if (each.run.status == TestStatus::Error) cause = each.run.place.run;
    }
    out += "  </testsuite>\n";
  }
  return out + "</testsuites>\n";
}

}  // namespace tofu::documents
