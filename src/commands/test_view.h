// What `tofu test` tells: lines for people, messages for programs, and a report for build
// servers.
//
// Threads: any; runs may be made side by side.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/json_log.h"
#include "cli/option_groups.h"
#include "cli/output.h"
#include "commands/context.h"
#include "config/tree.h"
#include "diag/diagnostic.h"
#include "documents/junit_xml.h"
#include "documents/test_json.h"
#include "plans/test_events.h"

namespace tofu::commands {

class TestView final : public plans::TestSink {
 public:
  // Null after an error, which was printed.
  static std::unique_ptr<TestView> open(const cli::JsonOptions& json, Context& context);
  TestView(const cli::JsonOptions& json, Context& context);
  TestView(const TestView&) = delete;
  TestView& operator=(const TestView&) = delete;
  ~TestView() override;

  void on(const plans::TestEvent& event) override;
  // What is not about a single file.
  void problems(diag::Diagnostics diags);
  void message(std::string_view text);
  // The tested configuration, which documents about plans tell of.
  void set_tree(const config::Tree& tree) { tree_ = &tree; }

  // Everything so far, in the format of JUnit.
  std::string junit() const { return documents::junit_xml(suites_, context_.sources); }

 private:
  void tell_people(const plans::TestEvent& event);
  void tell_problems(const diag::Diagnostics& diags);
  void leave_out_repeated(diag::Diagnostics& diags);  // the same topic at the same place
  void tell_topics();
  void tell_run(const plans::TestRunEnded& event);
  void tell_left(const plans::TestCleanedUp& event);
  void record(const plans::TestEvent& event);
  void show_progress(const std::string& text);
  std::string document(const plans::TestRunEnded& event) const;
  void write(const std::string& messages);

  Context& context_;
  const bool for_people_;
  bool has_live_line_ = false;
  std::unique_ptr<cli::PrivateFile> file_;
  std::vector<cli::Output*> streams_;  // of messages
  documents::TestMessages messages_;
  const config::Tree* tree_ = nullptr;

  std::mutex mutex_;  // for everything that is written, and what follows
  std::vector<documents::JunitSuite> suites_;
  // Warnings about one topic come from many runs. People get one of each at the end, programs one
  // for each place.
  std::set<std::pair<std::string, std::optional<diag::SourceRange>>> topics_;
  diag::Diagnostics of_topics_;
};

}  // namespace tofu::commands
