#include "net/markup.h"

#include <gtest/gtest.h>

namespace tofu::net {
namespace {

std::string meta(std::string_view page) {
  const auto found = find_meta_content(page, "terraform-get");
  return found ? *found : "error: " + found.error().what;
}

TEST(MetaSource, IsFoundInTheHeadOfAPage) {
  EXPECT_EQ(meta("<meta name=terraform-get content=https://x/y>"), "https://x/y");
  EXPECT_EQ(meta("<!DOCTYPE html><META CONTENT='a&#38;b' NAME='terraform-get' />"), "a&b");
  EXPECT_EQ(meta("<meta name=\"other\" content=\"no\"><meta\nname=\"terraform-get\" "
                 "content=\"yes\">"),
            "yes");
  EXPECT_EQ(meta("<!-- <meta name=terraform-get content=no> --><meta "
                 "name=terraform-get content=yes>"),
            "yes");
  for (const char* none : {"", "<", "<meta", "<meta name=terraform-get", "text",
                           "<body><meta name=terraform-get content=no>",
                           "<head></head><meta name=terraform-get content=no>",
                           "<!-- <meta name=terraform-get content=no>"}) {
    EXPECT_EQ(meta(none), "") << none;
  }
}

TEST(Xml, ElementsHaveTextAndChildren) {
  const auto list = parse_xml(
      "<?xml version=\"1.0\"?><a:List xmlns:a=\"http://x\"><!-- <Key>no</Key> --><Key>1&lt;2"
      "&#x41;</Key><Key><![CDATA[<b>]]> &amp;</Key><Empty/></a:List>");
  ASSERT_TRUE(list);
  EXPECT_EQ(list->name, "List");
  ASSERT_EQ(list->children.size(), 3u);
  EXPECT_EQ(list->text_of("Key"), "1<2A");
  EXPECT_EQ(list->children[1].text, "<b> &");
  EXPECT_NE(list->child("Empty"), nullptr);
  EXPECT_EQ(list->child("Missing"), nullptr);
  EXPECT_EQ(list->text_of("Missing"), "");
}

TEST(Xml, HostileDocumentsAreRefused) {
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "<a>";
  const std::string bomb =
      "<!DOCTYPE l [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;\">]><l>&b;</l>";
  const std::string outside = "<!DOCTYPE l [<!ENTITY f SYSTEM \"file:///etc/passwd\">]><l>&f;</l>";
  for (const std::string& text :
       {std::string(), std::string("text"), std::string("<a>"), std::string("<a></b>"),
        std::string("<a>&nope;</a>"), deep, bomb, outside}) {
    EXPECT_FALSE(parse_xml(text)) << text.substr(0, 60);
  }
  const auto refused = parse_xml(outside);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().what, "it has a document type declaration");
}

}  // namespace
}  // namespace tofu::net
