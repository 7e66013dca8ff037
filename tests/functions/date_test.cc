#include <gtest/gtest.h>

#include "functions/table.h"
#include "functions/timestamp.h"
#include "syntax/function.h"
#include "tests/functions/evaluation.h"

namespace tofu::functions {
namespace {

TEST(FormatDate, LettersStandForPartsOfADate) {
  expect_same({
      {R"(formatdate("YYYY-MM-DD'T'hh:mm:ssZ", "2024-02-29T12:04:56.789Z"))",
       R"("2024-02-29T12:04:56Z")"},
      {R"(formatdate("YY M D h m s", "2009-01-03T00:07:08-03:30"))", R"("09 1 3 0 7 8")"},
      {R"(formatdate("MMM MMMM EEE EEEE", "2024-02-29T12:04:56Z"))",
       R"("Feb February Thu Thursday")"},
      {R"(formatdate("H HH AA aa", "2024-02-29T00:04:56Z"))", R"("12 12 AM am")"},
      {R"(formatdate("Z ZZZ ZZZZ ZZZZZ", "2024-02-29T00:04:56Z"))", R"("Z UTC +0000 +00:00")"},
      {R"(formatdate("Z ZZZ ZZZZ ZZZZZ", "2024-02-29T00:04:56-03:30"))",
       R"("-03:30 -0330 -0330 -03:30")"},
      {R"(formatdate("'it''s' '' 'x''", "2024-02-29T00:04:56Z"))", R"("it's ' x'")"},
  });
}

TEST(FormatDate, FaultsPointAtTheFormatOrTheTime) {
  expect_faults({
      R"(formatdate("«YYY»", "2024-02-29T12:04:56Z"))",
      R"(formatdate("«t»", "2024-02-29T12:04:56Z"))",
      R"(formatdate("«'open»", "2024-02-29T12:04:56Z"))",
      R"(formatdate("YYYY", "«2023-02-29T12:04:56Z»"))",
      R"(formatdate("YYYY", "«2024-02-29t12:04:56Z»"))",
      R"(formatdate("YYYY", "«2024-02-29T1:04:56Z»"))",
      R"(formatdate("YYYY", "«2024-02-29T12:04:56+24:00»"))",
  });
}

TEST(TimeAdd, CrossesDaysYearsAndTheEpoch) {
  expect_same({
      {R"(timeadd("2024-02-28T12:00:00Z", "24h"))", R"("2024-02-29T12:00:00Z")"},
      {R"(timeadd("1970-01-01T00:00:00+02:00", "-1.5h30m"))", R"("1969-12-31T22:00:00+02:00")"},
      {R"(timeadd("9999-12-31T23:59:59.9Z", "100ms"))", R"("10000-01-01T00:00:00Z")"},
      {R"(timeadd("0000-01-01T00:00:00Z", "-1ns"))", R"("-0001-12-31T23:59:59Z")"},
      {R"(timeadd("2024-01-01T00:00:00Z", "-9223372036854775808ns"))", R"("1731-09-22T00:12:43Z")"},
  });
  expect_faults({
      R"(«timeadd(»"2024-01-01", "1h"))",
      R"(«timeadd(»"2024-01-01T00:00:00Z", "1"))",
      R"(«timeadd(»"2024-01-01T00:00:00Z", "1d"))",
      R"(«timeadd(»"2024-01-01T00:00:00Z", ""))",
      R"(«timeadd(»"2024-01-01T00:00:00Z", "9223372036854775808ns"))",
  });
}

TEST(TimeCmp, ComparesInstantsLeniently) {
  expect_same({
      {R"(timecmp("2024-01-01T02:00:00+02:00", "2024-01-01T00:00:00Z"))", "0"},
      {R"(timecmp("2024-01-01T1:00:00,5Z", "2024-01-01T01:00:00.6Z"))", "-1"},
      {R"(timecmp("2024-01-03T00:00:00+24:00", "2024-01-01T00:00:00Z"))", "1"},
  });
  expect_faults({
      R"(timecmp("«x»", "2024-01-01T00:00:00Z"))",
      R"(timecmp("2024-01-01T00:00:00Z", "«x»"))",
  });
}

TEST(Duration, IsReadAsGoReadsIt) {
  EXPECT_EQ(*parse_duration("1h30m0.5s"), 5'400'500'000'000);
  EXPECT_EQ(*parse_duration("-.5\u00b5s"), -500);
  EXPECT_EQ(*parse_duration("+0"), 0);
  EXPECT_FALSE(parse_duration(".s").ok());
  EXPECT_FALSE(parse_duration("--1s").ok());
  EXPECT_FALSE(parse_duration("1h ").ok());
}

TEST(Clock, TimesComeFromTheEnvironment) {
  Environment environment;
  environment.now = [] { return std::pair<std::int64_t, std::int32_t>{1'700'000'000, 5}; };
  environment.plan_timestamp = "2024-01-01T00:00:00Z";
  const Table table(environment);
  EXPECT_EQ(call(*table.find("timestamp"), {})->plain().as_string(), "2023-11-14T22:13:20Z");
  EXPECT_EQ(call(*table.find("plantimestamp"), {})->plain().as_string(), "2024-01-01T00:00:00Z");
}

TEST(Clock, TheTimeOfAPlanThatIsNotMadeYetIsUnknown) {
  Environment environment;
  environment.plan_timestamp = "";
  const Table table(environment);
  EXPECT_TRUE(call(*table.find("plantimestamp"), {})->is_unknown());
}

}  // namespace
}  // namespace tofu::functions
