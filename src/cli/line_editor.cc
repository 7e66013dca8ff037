#include "cli/line_editor.h"

#include <algorithm>
#include <cerrno>
#include <clocale>
#include <csignal>
#include <cstdio>
#include <histedit.h>

#include "base/ascii.h"

namespace tofu::cli {

namespace {

// Set by Control-C, which ends the line being read and not the program.
volatile std::sig_atomic_t interrupted = 0;

void note_interrupt(int) { interrupted = 1; }

bool is_word_byte(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x80 || base::is_ascii_alphanumeric(c) || c == '_' || c == '-' || c == '.' ||
         c == ':';
}

std::string common_start(const std::vector<std::string>& words) {
  std::string common = words.front();
  for (const std::string& word : words) {
    const auto differ = std::ranges::mismatch(common, word);
    common.erase(differ.in1, common.end());
  }
  return common;
}

}  // namespace

struct LineEditor::Impl {
  EditLine* editor = nullptr;
  History* history = nullptr;
  std::string prompt;
  Complete complete;

  unsigned char complete_here();
  static Impl& of(EditLine* editor) {
    void* inside = nullptr;
    ::el_get(editor, EL_CLIENTDATA, &inside);
    return *static_cast<Impl*>(inside);
  }
};

// Completes the word before the cursor as far as it is certain, and lists what
// is possible where it is not.
unsigned char LineEditor::Impl::complete_here() {
  const LineInfo* line = ::el_line(editor);
  const char* start = line->cursor;
  while (start > line->buffer && is_word_byte(start[-1])) --start;
  const std::string word(start, line->cursor);
  const std::vector<std::string> choices = complete(word);
  if (choices.empty()) return CC_REFRESH_BEEP;
  const std::string common = common_start(choices);
  if (common.size() > word.size()) {
    ::el_insertstr(editor, common.c_str() + word.size());
    return CC_REFRESH;
  }
  if (choices.size() == 1) return CC_REFRESH;
  std::fputc('\n', stdout);
  for (const std::string& choice : choices) std::fprintf(stdout, "%s  ", choice.c_str());
  std::fputc('\n', stdout);
  std::fflush(stdout);
  return CC_REDISPLAY;
}

LineEditor::LineEditor(Complete complete) : impl_(std::make_unique<Impl>()) {
  // libedit reads multi-byte characters by the locale; ours is always UTF-8.
  std::setlocale(LC_CTYPE, "C.UTF-8");
  impl_->complete = std::move(complete);
  impl_->editor = ::el_init("tofu", stdin, stdout, stderr);
  impl_->history = ::history_init();
  HistEvent event;
  ::history(impl_->history, &event, H_SETSIZE, 1000);
  ::history(impl_->history, &event, H_SETUNIQUE, 1);
  ::el_set(impl_->editor, EL_CLIENTDATA, impl_.get());
  ::el_set(impl_->editor, EL_HIST, ::history, impl_->history);
  ::el_set(impl_->editor, EL_EDITOR, "emacs");
  ::el_set(
      impl_->editor, EL_PROMPT, +[](EditLine* editor) { return Impl::of(editor).prompt.data(); });
  ::el_set(
      impl_->editor, EL_ADDFN, "tofu-complete", "Complete a name",
      +[](EditLine* editor, int) { return Impl::of(editor).complete_here(); });
  ::el_set(impl_->editor, EL_BIND, "\t", "tofu-complete", nullptr);
  ::el_set(impl_->editor, EL_BIND, "^R", "em-inc-search-prev", nullptr);
}

LineEditor::~LineEditor() {
  ::history_end(impl_->history);
  ::el_end(impl_->editor);
}

std::optional<LineEditor::Line> LineEditor::read(std::string_view prompt) {
  impl_->prompt = prompt;
  interrupted = 0;
  struct sigaction ours {};
  struct sigaction before {};
  ours.sa_handler = note_interrupt;  // no SA_RESTART: the read has to end
  ::sigaction(SIGINT, &ours, &before);
  int length = 0;
  const char* text = ::el_gets(impl_->editor, &length);
  ::sigaction(SIGINT, &before, nullptr);

  if (interrupted != 0) {
    std::fputs("^C\n", stdout);
    std::fflush(stdout);
    ::el_reset(impl_->editor);
    return Line{text != nullptr ? text : "", true};
  }
  if (text == nullptr || length <= 0) return std::nullopt;
  Line line{std::string(text, static_cast<std::size_t>(length))};
  while (line.text.ends_with('\n') || line.text.ends_with('\r')) line.text.pop_back();
  if (!line.text.empty()) {
    HistEvent event;
    ::history(impl_->history, &event, H_ENTER, line.text.c_str());
  }
  return line;
}

}  // namespace tofu::cli
