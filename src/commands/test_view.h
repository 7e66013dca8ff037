// What `tofu test` tells: lines for people, messages for programs, and a report for build
// servers.
//
// Threads: any; runs may be made side by side.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "commands/command.h"
#include "commands/json_log.h"
#include "commands/option_groups.h"
#include "config/tree.h"
#include "diag/diagnostic.h"
#include "plans/test_events.h"
#include "views/junit_xml.h"
#include "views/test_json.h"

namespace tofu::commands {

class TestView final : public plans::TestSink {
 public:
  // Null after an error, which was printed.
  static std::unique_ptr<TestView> open(const JsonOptions& json, World& world);
  TestView(const JsonOptions& json, World& world);
  TestView(const TestView&) = delete;
  TestView& operator=(const TestView&) = delete;
  ~TestView() override;

  void on(const plans::TestEvent& event) override;
  // What is not about a single file.
  void problems(const diag::Diagnostics& diags);
  void message(std::string_view text);
  // The tested configuration, which documents about plans tell of.
  void set_tree(const config::Tree& tree) { tree_ = &tree; }

  // Everything so far, in the format of JUnit.
  std::string junit() const { return views::junit_xml(suites_, world_.sources); }

 private:
  void tell_people(const plans::TestEvent& event);
  void tell_run(const plans::TestRunEnded& event);
  void tell_left(const plans::TestCleanedUp& event);
  void record(const plans::TestEvent& event);
  void show_progress(const std::string& text);
  std::string document(const plans::TestRunEnded& event) const;
  void write(const std::string& messages);

  World& world_;
  const bool for_people_;
  bool has_live_line_ = false;
  std::unique_ptr<PrivateFile> file_;
  std::vector<Output*> streams_;  // of messages
  views::TestMessages messages_;
  const config::Tree* tree_ = nullptr;

  std::mutex mutex_;  // for everything that is written, and what follows
  std::vector<views::JunitSuite> suites_;
};

}  // namespace tofu::commands
