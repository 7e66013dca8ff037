#include "cli/man_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "commands/table.h"

namespace tofu::commands {
namespace {

using ::testing::HasSubstr;

const cli::ManPage* page_named(const std::vector<cli::ManPage>& pages, std::string_view file) {
  for (const cli::ManPage& page : pages) {
    if (page.file == file) return &page;
  }
  return nullptr;
}

TEST(ManPage, EveryCommandHasOne) {
  const std::vector<cli::ManPage> pages = cli::all_man_pages(command_table());
  EXPECT_NE(page_named(pages, "tofu.1"), nullptr);
  EXPECT_NE(page_named(pages, "tofu-plan.1"), nullptr);
  EXPECT_NE(page_named(pages, "tofu-state-mv.1"), nullptr);
  EXPECT_EQ(page_named(pages, "tofu-state.1"), nullptr);
}

TEST(ManPage, NamesEveryFlagThatIsNotHidden) {
  const std::vector<cli::ManPage> pages = cli::all_man_pages(command_table());
  const cli::ManPage* page = page_named(pages, "tofu-plan.1");
  ASSERT_NE(page, nullptr);
  EXPECT_THAT(page->text, HasSubstr(".TP\n.B \\-detailed\\-exitcode\n"));
  EXPECT_THAT(page->text, HasSubstr(".TP\n.B \\-no\\-color\n"));
  EXPECT_THAT(page->text, HasSubstr(".SH NAME\ntofu\\-plan \\- "));
}

// A line that begins with a dot is a request; none but ours may be in a page.
TEST(ManPage, HasNoRequestsByAccident) {
  const std::vector<std::string_view> known = {".TH", ".SH", ".PP", ".TP", ".B",
                                               ".BR", ".I",  ".nf", ".fi"};
  for (const cli::ManPage& page : cli::all_man_pages(command_table())) {
    std::string_view rest = page.text;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find('\n'), rest.size() - 1) + 1;
      const std::string_view line = rest.substr(0, end - 1);
      rest.remove_prefix(end);
      if (!line.starts_with('.') && !line.starts_with('\'')) continue;
      EXPECT_THAT(known, ::testing::Contains(line.substr(0, line.find(' ')))) << page.file;
    }
  }
}

}  // namespace
}  // namespace tofu::commands
