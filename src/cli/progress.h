// What commands tell while they work: lines for people, messages for programs.
//
// People read standard output; -json turns that into a stream of messages, and
// -json-into writes the same stream to a file beside it. Any thread may report.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/environment.h"
#include "cli/json_log.h"
#include "cli/option_groups.h"
#include "cli/terminal.h"
#include "cli/view_options.h"
#include "diag/diagnostic.h"

namespace tofu::cli {

class Progress {
 public:
  // Null after an error, which was printed.
  static std::unique_ptr<Progress> open(const JsonOptions& options, Terminal& terminal,
                                        const Environment& environment);

  // The beginning of a step, which stands out.
  void step(std::string_view text);
  // One thing of a step: "- text" for people.
  void item(std::string_view text) { item(text, text); }
  void item(std::string_view for_people, std::string_view for_programs);
  // The same for what programs are warned of.
  void warned_item(std::string_view text);
  // Something that happens meanwhile.
  void line(std::string_view text);
  // The same with more for programs: `more` writes "type" and what else the message has.
  void typed_line(std::string_view text, const std::function<void(base::JsonWriter&)>& more) {
    typed_line(text, text, more);
  }
  void typed_line(std::string_view for_people, std::string_view for_programs,
                  const std::function<void(base::JsonWriter&)>& more);
  // Several sentences, which are written out at once.
  void note(std::string_view text);
  void success(std::string_view text);
  void blank_line();  // for people
  // `text` in bold, if colors are wanted.
  std::string emphasized(std::string_view text) const {
    return colored(terminal_.view, Color::None, text);
  }
  void failure(std::string_view text);
  void problems(const diag::Diagnostics& diags);
  // How far something is, on a terminal: one line that the next takes the place of.
  void status(std::string_view text);

  // open() is the usual way.
  explicit Progress(Terminal& terminal);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

 private:
  // These need the lock.
  void tell(std::string_view message);
  void clear_status();
  void flush();

  Terminal& terminal_;
  bool for_people_ = true;
  std::unique_ptr<PrivateFile> file_;

  std::mutex mutex_;  // for everything below
  std::vector<JsonLog> logs_;
  bool has_status_ = false;
};

// "1.2 MB", "7 bytes".
std::string bytes_text(std::uint64_t bytes);

// Runs a command that tells its progress: the problems it found come last, and errors
// among them decide the exit status.
int run_with_progress(const JsonOptions& options, Terminal& terminal,
                      const Environment& environment,
                      const std::function<void(Progress&, diag::Diagnostics&)>& work);

}  // namespace tofu::cli
