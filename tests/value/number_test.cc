#include "value/number.h"

#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

#include "value/number_rep.h"

namespace tofu::value {
namespace {

Number literal(std::string_view text) {
  const auto number = Number::parse(text);
  EXPECT_TRUE(number.has_value()) << text;
  return number.value_or(Number());
}

std::string repeated(std::string_view text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out.append(text);
  return out;
}

TEST(Number, ReadsDecimalTextAndPrintsItInFull) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"0", "0"},
      {"-0", "-0"},
      {"007", "7"},
      {"+5", "5"},
      {"5.", "5"},
      {".5", "0.5"},
      {"0.1", "0.1"},
      {"-12.50", "-12.5"},
      {"1e5", "100000"},
      {"1E+5", "100000"},
      {"25e-3", "0.025"},
      {"1p5", "32"},
      {"3p-1", "1.5"},
      {"123456789012345678901234567890", "123456789012345678901234567890"},
      {"0e9223372036854775807", "0"},
      {"Inf", "+Inf"},
      {"inf", "+Inf"},
      {"-Inf", "-Inf"},
      {"1e1000000000", "+Inf"},
      {"-1e1000000000", "-Inf"},
      {"1e-1000000000", "0"},
      {"1e100", "1" + repeated("0", 100)},
      {"1e-100", "0." + repeated("0", 99) + "1"},
  };
  for (const auto& [text, printed] : cases) {
    EXPECT_EQ(literal(text).to_string(), printed) << text;
  }
}

TEST(Number, RefusesTextThatIsNotANumberInFull) {
  for (const char* text : {"",
                           "+",
                           ".",
                           "e5",
                           "1e",
                           "1e+",
                           "1e5.5",
                           "0x10",
                           "0b1",
                           "1_000",
                           " 1",
                           "1 ",
                           "1,5",
                           "NaN",
                           "Infinity",
                           "INF",
                           "1e999999999999999999999",
                           "1e9223372036854775807",
                           "--1",
                           "1..2"}) {
    EXPECT_FALSE(Number::parse(text).has_value()) << text;
  }
  EXPECT_FALSE(Number::parse(std::string_view("1\0", 2)).has_value());
}

TEST(Number, PrintsTheShortestDigitsAtItsOwnPrecision) {
  EXPECT_EQ(Number::from_double(18446744073709551616.0).to_string(), "18446744073709550000");
  EXPECT_EQ(Number::from_double(0.1).to_string(), "0.1");
  EXPECT_EQ(Number::from_double(5e-324).text('g', -1), "4.940656458412465e-324");
  EXPECT_EQ(literal("18446744073709551616").to_string(), "18446744073709551616");
  EXPECT_EQ(Number(INT64_MIN).to_string(), "-9223372036854775808");
  EXPECT_EQ(divide(literal("1"), literal("3"))->to_string(), "0." + repeated("3", 154) + "5");
  EXPECT_EQ((*divide(Number(1), Number(3))).to_string(), "0.33333333333333333334");
}

TEST(Number, IsWrittenAsGoWritesIt) {
  struct Case {
    const char* text;
    char format;
    int digits;
    const char* written;
  };
  for (const Case& c : std::initializer_list<Case>{
           {"0", 'e', 2, "0.00e+00"},
           {"123.456", 'e', 2, "1.23e+02"},
           {"123.456", 'E', 2, "1.23E+02"},
           {"123.456", 'f', 2, "123.46"},
           {"0.5", 'f', 0, "0"},
           {"1.5", 'f', 0, "2"},
           {"2.5", 'f', 0, "2"},
           {"0.6", 'f', 0, "1"},
           {"0.001", 'f', 1, "0.0"},
           {"9.99", 'f', 1, "10.0"},
           {"1234567", 'g', -1, "1.234567e+06"},
           {"123456", 'g', -1, "123456"},
           {"0.00001", 'g', -1, "1e-05"},
           {"100000000000", 'g', 10, "1e+11"},
           {"12345678901", 'g', 10, "1.23456789e+10"},
           {"1e5000", 'e', 3, "1.000e+5000"},
           {"-1e-5000", 'e', -1, "-1e-5000"},
           {"Inf", 'f', 3, "+Inf"},
       }) {
    EXPECT_EQ(literal(c.text).text(c.format, c.digits), c.written) << c.text << ' ' << c.format;
  }
}

TEST(Number, WritesItselfWithAnExponentWhereThePlainFormWouldFillTheMemory) {
  EXPECT_EQ(literal("1e600000000").to_string(), "1e+600000000");
  EXPECT_EQ(literal("-25e-600000001").to_string(), "-2.5e-600000000");
  EXPECT_EQ(literal("1e600000000").integer_text(16), "1e+600000000");
  EXPECT_EQ(literal("1e10000").to_string().size(), 10001u);
}

TEST(Number, TakesThePrecisionOfTheMorePreciseOperand) {
  EXPECT_EQ(literal("1").precision(), 512);
  EXPECT_EQ(Number(1).precision(), 64);
  EXPECT_EQ(Number::from_double(1).precision(), 53);
  EXPECT_EQ((Number(1) + literal("1")).precision(), 512);
  EXPECT_EQ((Number(1) + Number::from_double(1)).precision(), 64);
  EXPECT_EQ(modulo(Number(7), literal("4"))->precision(), 64);
  // A product has as many bits as it needs.
  const Number wide = Number::from_double(9007199254740991) * Number::from_double(9007199254740991);
  EXPECT_EQ(wide.precision(), 106);
  EXPECT_EQ(wide.to_string(), "81129638414606663681390495662081");
}

TEST(Number, KeepsTheSignOfZero) {
  EXPECT_TRUE(Number(0).negated().is_negative_zero());
  EXPECT_TRUE((Number(0) * Number(-1)).is_negative_zero());
  EXPECT_TRUE(divide(Number(0), Number(-3))->is_negative_zero());
  EXPECT_TRUE((literal("-0") + literal("-0")).is_negative_zero());
  EXPECT_FALSE((literal("-0") + literal("0")).is_negative_zero());
  EXPECT_FALSE(modulo(Number(-3), Number(3))->is_negative_zero());
  EXPECT_TRUE(modulo(literal("-0"), Number(3))->is_negative_zero());
  EXPECT_FALSE(literal("-0.5").ceil().is_negative_zero());
  EXPECT_TRUE(literal("-0") == Number(0));
  EXPECT_EQ(literal("-0").hash(), Number(0).hash());
}

TEST(Number, FailsWhereTheResultWouldNotBeANumber) {
  const Number inf = Number::infinity();
  EXPECT_FALSE(divide(Number(0), Number(0)).ok());
  EXPECT_FALSE(divide(inf, inf).ok());
  EXPECT_FALSE(checked_subtract(inf, inf).ok());
  EXPECT_FALSE(checked_add(inf, inf.negated()).ok());
  EXPECT_FALSE(checked_multiply(inf, Number(0)).ok());
  EXPECT_FALSE(modulo(inf, Number(5)).ok());
  EXPECT_FALSE(modulo(Number(5), inf).ok());
  EXPECT_TRUE(divide(Number(5), Number(0))->is_infinite());
  EXPECT_EQ(modulo(Number(5), Number(0))->to_string(), "5");
  EXPECT_TRUE(modulo(inf, Number(0))->is_infinite());
  EXPECT_FALSE(modulo(literal("1e600000000"), literal("1e-600000000")).ok());
}

TEST(Number, ComparesFractionsOfDifferentPrecisionByTheDigitsTheyPrint) {
  const Number narrow = Number::from_double(0.1);
  const Number wide = literal("0.1");
  EXPECT_TRUE(narrow == wide);
  EXPECT_EQ(narrow.hash(), wide.hash());
  EXPECT_TRUE(narrow > wide);
  EXPECT_FALSE(narrow == literal("0.1000000000000000055511151231257827"));
  EXPECT_TRUE(Number::from_double(0.5) == literal("0.5"));
  EXPECT_TRUE(Number::from_double(1e300) == Number::from_double(1e300));
  EXPECT_FALSE(Number::from_double(1e300) == literal("1e300"));  // whole: by value
}

TEST(Number, RemainderFollowsTheLeftSideAndItsPrecision) {
  EXPECT_EQ(modulo(literal("-7"), literal("3"))->to_string(), "-1");
  EXPECT_EQ(modulo(literal("10.5"), literal("3"))->to_string(), "1.5");
  EXPECT_EQ(modulo(literal("1e30"), literal("7"))->to_string(), "1");
  EXPECT_EQ(modulo(literal("5"), literal("0.3"))->to_string(), "0.1" + repeated("9", 152) + "76");
}

TEST(Number, RoundsToWholeNumbersTheWayTheFunctionsDo) {
  EXPECT_EQ(literal("-1.5").floor().to_string(), "-2");
  EXPECT_EQ(literal("-1.5").ceil().to_string(), "-1");
  EXPECT_EQ(literal("-1.5").truncated().to_string(), "-1");
  EXPECT_EQ(literal("1e40").floor().to_string(), literal("1e40").to_string());
  EXPECT_EQ(literal("2.5").truncated().precision(), 64);
  EXPECT_TRUE(Number::infinity().ceil().is_infinite());
}

TEST(Number, ConvertsToMachineNumbersOnlyWhereItFits) {
  EXPECT_EQ(literal("9223372036854775807").to_int64(), INT64_MAX);
  EXPECT_EQ(literal("-9223372036854775808").to_int64(), INT64_MIN);
  EXPECT_EQ(literal("9223372036854775808").to_int64(), std::nullopt);
  EXPECT_EQ(literal("1.5").to_int64(), std::nullopt);
  EXPECT_EQ(Number::infinity().to_int64(), std::nullopt);
  EXPECT_EQ(literal("1e40").to_int64_truncated(), INT64_MAX);
  EXPECT_EQ(literal("-1.9").to_int64_truncated(), -1);
  EXPECT_EQ(literal("0.1").to_double(), 0.1);
}

TEST(Number, ReadsWholeNumbersInAnyBase) {
  EXPECT_EQ(Number::parse_integer("ff", 16)->to_string(), "255");
  EXPECT_EQ(Number::parse_integer("FF", 16)->to_string(), "255");
  EXPECT_EQ(Number::parse_integer("-101", 2)->to_string(), "-5");
  EXPECT_EQ(Number::parse_integer("aA", 62)->to_string(), "656");  // lower case first
  EXPECT_EQ(Number::parse_integer(repeated("f", 200), 16)->precision(), 800);
  for (const char* text : {"", "-", "12", "1 ", "0x1", "1_0"}) {
    EXPECT_FALSE(Number::parse_integer(text, 2).has_value()) << text;
  }
  EXPECT_EQ(literal("255.9").integer_text(16), "ff");
  EXPECT_EQ(literal("-8").integer_text(2), "-1000");
}

// What the short ways for whole numbers in the handle give must be what MPFR
// gives, in value, precision and sign of zero.
class ShortWays : public testing::Test {
 protected:
  Number random() {
    const std::uint64_t bits = engine_();
    auto whole = static_cast<std::int64_t>(engine_()) >> (bits % 62);
    if (bits % 11 == 0) whole = static_cast<std::int64_t>(bits % 7) - 3;
    if (bits % 13 == 0) whole = (std::int64_t{1} << (bits % 61)) + static_cast<int>(bits % 3) - 1;
    switch ((bits >> 32) % 3) {
      case 0: return Number(whole);
      case 1: return *Number::parse(std::to_string(whole));
      default: return Number::from_double(static_cast<double>(whole));
    }
  }

  static std::string described(const base::Result<Number>& result) {
    if (!result) return "error";
    return result->to_string() + " with " + std::to_string(result->precision()) + " bits";
  }

  std::mt19937_64 engine_{20240607};
};

TEST_F(ShortWays, GiveWhatTheLongWaysGive) {
  using Operation = base::Result<Number> (*)(const Number&, const Number&);
  const std::vector<std::pair<const char*, Operation>> operations = {{"+", checked_add},
                                                                     {"-", checked_subtract},
                                                                     {"*", checked_multiply},
                                                                     {"/", divide},
                                                                     {"%", modulo}};
  for (int i = 0; i < 20'000; ++i) {
    const Number a = random();
    const Number b = random();
    const Number long_a = NumberRep::in_heap_form(a);
    const Number long_b = NumberRep::in_heap_form(b);
    for (const auto& [name, operation] : operations) {
      ASSERT_EQ(described(operation(a, b)), described(operation(long_a, long_b)))
          << a.to_string() << ' ' << name << ' ' << b.to_string() << " with " << a.precision()
          << " and " << b.precision() << " bits";
    }
    ASSERT_EQ(a <=> b, long_a <=> long_b);
    ASSERT_EQ(a == b, long_a == long_b);
    ASSERT_EQ(a.hash(), long_a.hash());
    ASSERT_EQ(a.to_string(), long_a.to_string());
    ASSERT_EQ(described(a.negated()), described(long_a.negated()));
    ASSERT_EQ(described(a.floor()), described(long_a.floor()));
  }
}

TEST(Number, SurvivesDigitsWithoutEnd) {
  const std::string digits(200'000, '7');
  EXPECT_TRUE(literal(digits + "e-200000") < Number(1));
  EXPECT_TRUE(literal("0." + digits) < Number(1));
  EXPECT_EQ(Number::parse_integer(digits, 10)->integer_text(10), digits);
}

}  // namespace
}  // namespace tofu::value
