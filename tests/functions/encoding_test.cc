#include <array>
#include <gtest/gtest.h>

#include "tests/functions/evaluation.h"

namespace tofu::functions {
namespace {

TEST(Base64, ReadsWhatGoReads) {
  expect_same({
      {R"(base64encode("日本"))", R"("5pel5pys")"},
      {R"(base64encode(""))", R"("")"},
      {R"(base64decode("aGVs\nbG8=\r\n"))", R"("hello")"},
      {R"(base64decode("YR=="))", R"("a")"},
      {R"(base64decode(sensitive("aGk=")))", R"(sensitive("hi"))"},
  });
}

TEST(Base64, RefusesWhatGoRefuses) {
  expect_faults({
      R"(«base64decode(»"aGVsbG8"))",
      R"(«base64decode(»"aGVsbG8_"))",
      R"(«base64decode(»"aGk=x"))",
      R"(«base64decode(»"="))",
      R"(«base64decode(»"/w=="))",
      R"(base64decode(«null»))",
  });
}

TEST(Base64, DoesNotShowASensitiveTextInTheError) {
  const Evaluated got = Evaluation().run(R"(base64decode(sensitive("s3cret!")))");
  EXPECT_EQ(got.message.find("s3cret"), std::string::npos) << got.message;
  EXPECT_NE(got.message.find("(sensitive value)"), std::string::npos) << got.message;
}

TEST(Gzip, GivesBackWhatItTook) {
  expect_same({
      {R"(base64gunzip(base64gzip("日本 é")))", R"("日本 é")"},
      {R"(base64gunzip(base64gzip("")))", R"("")"},
      // Two members, one after the other, as `cat a.gz b.gz` makes them.
      {R"(base64gunzip("H4sIAAAAAAAAA0sEAEO+t+gBAAAAH4sIAAAAAAAAA0sCAPnvvnEBAAAA"))", R"("ab")"},
  });
}

TEST(Gzip, RefusesDamagedData) {
  expect_faults({
      R"(«base64gunzip(»""))",
      R"(«base64gunzip(»"aGVsbG8="))",
      R"(«base64gunzip(»"H4sIAAAAAAAAA0sEAEO+t+gB"))",
      R"(«base64gunzip(»"H4sIAAAAAAAAA0sEAEO+t+gCAAAA"))",
      R"(«base64gunzip(»"H4sIAAAAAAAAA0sEAEO+t+gBAAAAAAAA"))",
  });
}

TEST(Url, EscapesForTheQueryPart) {
  expect_same({
      {R"(urlencode("a b&c=é~-_.!"))", R"("a+b%26c%3D%C3%A9~-_.%21")"},
      {R"(urldecode("a+b%26%c3%A9"))", R"("a b&é")"},
      {R"(length(urldecode("%FF")))", "1"},
      // Bytes of a literal that stand for no character are passed on as they are.
      {"length(\"\xed\xa0\x80\")", "1"},
      {"length(\"\xc0\x80\")", "1"},
      {"base64encode(\"x\xc0\x80${1}\xed\xa0\x80\")", R"("eMCAMe2ggA==")"},
      {"base64encode(\"e\xcc\x81\xed\xa0\x80"
       "e\xcc\x81\")",
       R"("w6ntoIDDqQ==")"},
      {"jsonencode(\"a\xed\xa0\x80\")", R"("\"a\\ufffd\\ufffd\\ufffd\"")"},
  });
  expect_faults({R"(«urldecode(»"100%"))", R"(«urldecode(»"%zz"))", R"(«urldecode(»"%4"))"});
}

TEST(Json, EncodesAsGoDoes) {
  expect_same({
      {R"(jsonencode({b = 1, a = [null, true, "<é>"]}))",
       R"("{\"a\":[null,true,\"\\u003cé\\u003e\"],\"b\":1}")"},
      {R"(jsonencode(toset(["b", "a"])))", R"("[\"a\",\"b\"]")"},
      {R"(jsonencode(null))", R"("null")"},
      {R"(jsonencode({a = secret.number}))", R"(sensitive("{\"a\":7}"))"},
  });
  expect_faults({"«jsonencode(»1/0)"});
}

TEST(Json, AnUnknownResultKeepsItsFirstCharacter) {
  const auto prefix = [](std::string_view expression) {
    const Evaluated got = Evaluation().run(expression);
    EXPECT_TRUE(got.value && got.value->is_unknown()) << expression;
    EXPECT_TRUE(got.value->plain().refinements().not_null) << expression;
    return got.value->plain().refinements().prefix;
  };
  EXPECT_EQ(prefix("jsonencode({a = unk.any})"), "{");
  EXPECT_EQ(prefix("jsonencode([unk.any])"), "[");
  EXPECT_EQ(prefix("jsonencode(unk.string)"), "");
  EXPECT_EQ(prefix("jsonencode(unk.list)"), "");
}

TEST(Json, DecodesIntoTuplesAndObjects) {
  expect_same({
      {R"(jsondecode("[1, \"a\", null, {\"b\": true}]"))", R"([1, "a", null, {b = true}])"},
      {R"(jsondecode("{\"a\": 1, \"a\": 2}"))", "{a = 2}"},
      {R"(jsondecode(" 1e2 "))", "100"},
      {R"(jsondecode(sensitive("[]")))", "sensitive([])"},
  });
  expect_faults({R"(«jsondecode(»""))", R"(«jsondecode(»"[1,]"))", R"(«jsondecode(»"nul"))"});
}

TEST(Json, TheBeginningOfAnUnknownTextTellsItsType) {
  const auto type_of = [](std::string_view expression) {
    const Evaluated got = Evaluation().run(expression);
    return got.value ? got.value->type() : value::Type::set(value::Type::dynamic());
  };
  EXPECT_EQ(type_of(R"(jsondecode("51${unk.string}"))"), value::Type::number());
  EXPECT_EQ(type_of(R"(jsondecode("tr${unk.string}"))"), value::Type::boolean());
  EXPECT_EQ(type_of(R"(jsondecode(" \"x${unk.string}"))"), value::Type::string());
  EXPECT_EQ(type_of(R"(jsondecode("{ ${unk.string}"))"), value::Type::dynamic());
  expect_faults({R"(jsondecode("«xy${unk.string}»"))"});
}

TEST(Csv, RowsBecomeObjects) {
  expect_same({
      {R"(csvdecode("a,b\n1,2\n3,\"x,\"\"y\"\"\nz\"\n"))",
       R"(tolist([{a = "1", b = "2"}, {a = "3", b = "x,\"y\"\nz"}]))"},
      {R"(csvdecode("\r\na\r\n\r\n1\r\n\"p\r\nq\"\r"))", R"(tolist([{a = "1"}, {a = "p\nq"}]))"},
      {R"(csvdecode("a,\n1,2"))", R"(tolist([{a = "1", "" = "2"}]))"},
      {R"(length(csvdecode("a")))", "0"},
  });
  expect_faults({
      R"(«csvdecode(»""))",
      R"(«csvdecode(»"a,a\n1,2"))",
      R"(«csvdecode(»"a,b\n1"))",
      R"(«csvdecode(»"a\nx\"y"))",
      R"(«csvdecode(»"a\n\"x\"y"))",
      R"(«csvdecode(»"a\n\"x"))",
  });
}

struct EncodingRow {
  std::string_view name;
  std::string_view text;
  std::string_view base64;
};

TEST(TextEncoding, EncodesAndDecodesByIanaNames) {
  constexpr std::array kRows{
      EncodingRow{"UTF-16", "hé", "/v8AaADp"},
      EncodingRow{"utf-16le", "h😀", "aAA92ADe"},
      EncodingRow{"csUTF16BE", "h", "AGg="},
      EncodingRow{" latin1 ", "é", "6Q=="},
      EncodingRow{"windows-1252", "€", "gA=="},
      EncodingRow{"IBM037", "A1", "wfE="},
      EncodingRow{"KOI8-U", "ў", "rg=="},
      EncodingRow{"Shift_JIS", "日本", "k/qWew=="},
      EncodingRow{"EUC-JP", "日ｱ丂", "xvyOsY+woQ=="},
      EncodingRow{"ISO-2022-JP", "a日", "YRskQkZ8GyhC"},
      EncodingRow{"EUC-KR", "한", "x9E="},
      EncodingRow{"GBK", "中€", "1tCA"},
      EncodingRow{"GB18030", "中é😀", "1tCoppQ5/DY="},
      EncodingRow{"HZ-GB-2312", "a~中", "YX5+fntWUA=="},
      EncodingRow{"Big5", "中包", "pKT6vQ=="},
  };
  Evaluation evaluation;
  for (const EncodingRow& row : kRows) {
    const auto encoded = evaluation.run("textencodebase64(\"" + std::string(row.text) + "\", \"" +
                                        std::string(row.name) + "\")");
    const auto decoded = evaluation.run("textdecodebase64(\"" + std::string(row.base64) + "\", \"" +
                                        std::string(row.name) + "\")");
    ASSERT_TRUE(encoded.value && decoded.value) << row.name << encoded.message << decoded.message;
    EXPECT_EQ(encoded.value->plain().as_string(), row.base64) << row.name;
    EXPECT_EQ(decoded.value->plain().as_string(), row.text) << row.name;
  }
}

TEST(TextEncoding, NeverReplacesACharacter) {
  expect_faults({
      R"(textencodebase64("«日»", "ISO-8859-1"))",
      R"(textencodebase64("«\u0080»", "ISO-8859-2"))",
      R"(textencodebase64("a", "«latin»"))",
      R"(textdecodebase64("«/w==»", "UTF-8"))",
      R"(textdecodebase64("«2AA=»", "UTF-16BE"))",
      R"(textdecodebase64("«AA==»", "UTF-16"))",
      R"(textdecodebase64("«gg==»", "Shift_JIS"))",
      R"(textdecodebase64("«!!»", "UTF-8"))",
      R"(textdecodebase64("!!", "«NOPE»"))",
  });
}

}  // namespace
}  // namespace tofu::functions
