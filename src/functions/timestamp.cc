#include "functions/timestamp.h"

#include <array>
#include <fmt/format.h>
#include <utility>

#include "base/ascii.h"

namespace tofu::functions {

namespace {

constexpr std::int64_t kDaySeconds = 86'400;
constexpr std::int64_t kNanosecondsPerSecond = 1'000'000'000;

bool is_leap(std::int64_t year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }

int days_in(int month, std::int64_t year) {
  constexpr std::array kDays{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return month == 2 && is_leap(year) ? 29 : kDays[static_cast<std::size_t>(month - 1)];
}

std::int64_t floor_divide(std::int64_t a, std::int64_t b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}

// Days since 1970-01-01 in the proleptic Gregorian calendar, and back. Years
// are counted from March, so that the leap day is the last of its year.
std::int64_t days_from_civil(std::int64_t year, int month, int day) {
  if (month <= 2) --year;
  const std::int64_t era = floor_divide(year, 400);
  const std::int64_t year_of_era = year - era * 400;
  const std::int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  const std::int64_t day_of_era =
      year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return era * 146'097 + day_of_era - 719'468;
}

void civil_from_days(std::int64_t days, Civil& out) {
  days += 719'468;
  const std::int64_t era = floor_divide(days, 146'097);
  const std::int64_t day_of_era = days - era * 146'097;
  const std::int64_t year_of_era =
      (day_of_era - day_of_era / 1'460 + day_of_era / 36'524 - day_of_era / 146'096) / 365;
  const std::int64_t day_of_year =
      day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const std::int64_t month = (5 * day_of_year + 2) / 153;
  out.day = static_cast<int>(day_of_year - (153 * month + 2) / 5 + 1);
  out.month = static_cast<int>(month < 10 ? month + 3 : month - 9);
  out.year = year_of_era + era * 400 + (out.month <= 2 ? 1 : 0);
}

// Which spellings a parser lets pass.
struct Leniency {
  bool short_date = false;  // month and day of one digit
  bool short_hour = false;
  bool short_clock = false;  // minute and second of one digit
  bool comma = false;        // before the fraction of a second
  int largest_offset_hour = 23;
  int largest_offset_minute = 59;
};

constexpr Leniency kStrict{};
constexpr Leniency kGo{
    .short_hour = true, .comma = true, .largest_offset_hour = 24, .largest_offset_minute = 60};
constexpr Leniency kYaml{.short_date = true,
                         .short_hour = true,
                         .short_clock = true,
                         .comma = true,
                         .largest_offset_hour = 24,
                         .largest_offset_minute = 60};

// Takes a timestamp apart from the left; `problem` is empty unless an error occurred.
class Parser {
 public:
  Parser(std::string_view text, const Leniency& leniency) : rest_(text), leniency_(leniency) {}

  void date() {
    year_ = number(4, 4, "the year");
    literal('-', "the year");
    month_ = within(number(leniency_.short_date ? 1 : 2, 2, "the month"), 1, 12, "the month");
    literal('-', "the month");
    day_ = number(leniency_.short_date ? 1 : 2, 2, "the day");
  }

  void clock() {
    const int shortest = leniency_.short_clock ? 1 : 2;
    hour_ = within(number(leniency_.short_hour ? 1 : 2, 2, "the hour"), 0, 23, "the hour");
    literal(':', "the hour");
    minute_ = within(number(shortest, 2, "the minute"), 0, 59, "the minute");
    literal(':', "the minute");
    second_ = within(number(shortest, 2, "the second"), 0, 59, "the second");
    fraction();
  }

  void offset() {
    if (ok() && rest_.starts_with('Z')) {
      rest_.remove_prefix(1);
      return;
    }
    if (ok() && (rest_.empty() || (rest_.front() != '+' && rest_.front() != '-'))) {
      problem_ = "it must end with an offset from UTC, such as Z or +02:00";
    }
    if (!ok()) return;
    const bool west = rest_.front() == '-';
    rest_.remove_prefix(1);
    const int hours = within(number(2, 2, "the offset's hour"), 0, leniency_.largest_offset_hour,
                             "the offset's hour");
    literal(':', "the offset's hour");
    const int minutes = within(number(2, 2, "the offset's minute"), 0,
                               leniency_.largest_offset_minute, "the offset's minute");
    offset_ = (hours * 60 + minutes) * 60;
    if (west) offset_ = -offset_;
  }

  void literal(char c, std::string_view after) {
    if (!ok()) return;
    if (rest_.empty() || rest_.front() != c) {
      problem_ = fmt::format("\"{}\" is expected after {}", c, after);
      return;
    }
    rest_.remove_prefix(1);
  }

  void spaces() {
    literal(' ', "the day");
    while (rest_.starts_with(' ')) rest_.remove_prefix(1);
  }

  base::Result<Timestamp> finish() {
    if (ok() && !rest_.empty()) problem_ = "unexpected text after the end";
    if (ok() && (day_ < 1 || day_ > days_in(month_, year_))) {
      problem_ = "the month has no such day";
    }
    if (!ok()) return base::Error{std::move(problem_)};
    Timestamp time;
    time.seconds = days_from_civil(year_, month_, day_) * kDaySeconds + hour_ * 3'600 +
                   minute_ * 60 + second_ - offset_;
    time.nanoseconds = nanoseconds_;
    time.offset = offset_;
    return time;
  }

 private:
  bool ok() const { return problem_.empty(); }

  int number(int shortest, int longest, std::string_view what) {
    if (!ok()) return 0;
    int digits = 0;
    int result = 0;
    for (; digits < longest && !rest_.empty() && base::is_ascii_digit(rest_.front()); ++digits) {
      result = result * 10 + (rest_.front() - '0');
      rest_.remove_prefix(1);
    }
    if (digits < shortest) {
      problem_ = fmt::format("{} must have {} digits", what, longest);
    }
    return result;
  }

  int within(int number, int least, int most, std::string_view what) {
    if (ok() && (number < least || number > most)) {
      problem_ = fmt::format("{} must be between {:02} and {:02}", what, least, most);
    }
    return number;
  }

  // Digits beyond the ninth are read and dropped.
  void fraction() {
    if (!ok() || rest_.size() < 2 || !base::is_ascii_digit(rest_[1])) return;
    if (rest_[0] != '.' && !(rest_[0] == ',' && leniency_.comma)) return;
    rest_.remove_prefix(1);
    std::int32_t unit = 100'000'000;
    for (; !rest_.empty() && base::is_ascii_digit(rest_.front()); unit /= 10) {
      nanoseconds_ += (rest_.front() - '0') * unit;
      rest_.remove_prefix(1);
    }
  }

  std::string_view rest_;
  Leniency leniency_;
  std::string problem_;
  int year_ = 0;
  int month_ = 1;
  int day_ = 1;
  int hour_ = 0;
  int minute_ = 0;
  int second_ = 0;
  std::int32_t nanoseconds_ = 0;
  std::int32_t offset_ = 0;
};

base::Result<Timestamp> parse(std::string_view text, const Leniency& leniency) {
  Parser parser(text, leniency);
  parser.date();
  parser.literal('T', "the date");
  parser.clock();
  parser.offset();
  auto time = parser.finish();
  if (!time) return base::Error{"not a timestamp in RFC 3339 form: " + time.error().what};
  return time;
}

// The largest magnitude of a duration, 2^63, which only a negative one may have.
constexpr std::uint64_t kDurationLimit = std::uint64_t{1} << 63;

std::optional<std::uint64_t> unit_nanoseconds(std::string_view unit) {
  constexpr std::array<std::pair<std::string_view, std::uint64_t>, 8> kUnits{{
      {"ns", 1},
      {"us", 1'000},
      {"\u00b5s", 1'000},  // micro sign
      {"\u03bcs", 1'000},  // Greek letter mu
      {"ms", 1'000'000},
      {"s", 1'000'000'000},
      {"m", 60'000'000'000},
      {"h", 3'600'000'000'000},
  }};
  for (const auto& [name, nanoseconds] : kUnits) {
    if (name == unit) return nanoseconds;
  }
  return std::nullopt;
}

// Digits from the left of `rest`. Nothing if they overflow.
std::optional<std::uint64_t> take_integer(std::string_view& rest) {
  std::uint64_t result = 0;
  while (!rest.empty() && base::is_ascii_digit(rest.front())) {
    if (result > kDurationLimit / 10) return std::nullopt;
    result = result * 10 + static_cast<std::uint64_t>(rest.front() - '0');
    if (result > kDurationLimit) return std::nullopt;
    rest.remove_prefix(1);
  }
  return result;
}

// The digits after a period as a numerator and the power of ten below it.
// Digits that no longer fit are dropped.
std::pair<std::uint64_t, double> take_fraction(std::string_view& rest) {
  std::uint64_t numerator = 0;
  double scale = 1;
  bool full = false;
  for (; !rest.empty() && base::is_ascii_digit(rest.front()); rest.remove_prefix(1)) {
    if (full || numerator > (kDurationLimit - 1) / 10) {
      full = true;
      continue;
    }
    const std::uint64_t next = numerator * 10 + static_cast<std::uint64_t>(rest.front() - '0');
    if (next > kDurationLimit) {
      full = true;
      continue;
    }
    numerator = next;
    scale *= 10;
  }
  return {numerator, scale};
}

// One number with its unit, such as "1.5h".
base::Result<std::uint64_t> take_duration_part(std::string_view& rest) {
  const base::Error too_long{"the duration is too long"};
  const std::size_t start = rest.size();
  const auto whole = take_integer(rest);
  if (!whole) return too_long;
  bool has_digits = rest.size() != start;
  std::pair<std::uint64_t, double> fraction{0, 1};
  if (rest.starts_with('.')) {
    rest.remove_prefix(1);
    has_digits = has_digits || (!rest.empty() && base::is_ascii_digit(rest.front()));
    fraction = take_fraction(rest);
  }
  if (!has_digits) return base::Error{"a number is expected"};
  std::size_t length = 0;
  while (length < rest.size() && rest[length] != '.' && !base::is_ascii_digit(rest[length])) {
    ++length;
  }
  if (length == 0) return base::Error{"a unit is missing after a number"};
  const auto unit = unit_nanoseconds(rest.substr(0, length));
  if (!unit) return base::Error{"the units are \"h\", \"m\", \"s\", \"ms\", \"us\" and \"ns\""};
  rest.remove_prefix(length);

  if (*whole > kDurationLimit / *unit) return too_long;
  std::uint64_t result = *whole * *unit;
  // In floating point, as Go does it: some fractions of an hour depend on it.
  result += static_cast<std::uint64_t>(static_cast<double>(fraction.first) *
                                       (static_cast<double>(*unit) / fraction.second));
  if (result > kDurationLimit) return too_long;
  return result;
}

}  // namespace

Civil civil(const Timestamp& time) {
  const std::int64_t local = time.seconds + time.offset;
  const std::int64_t days = floor_divide(local, kDaySeconds);
  const auto in_day = static_cast<int>(local - days * kDaySeconds);
  Civil out{};
  civil_from_days(days, out);
  out.weekday = static_cast<int>(((days + 4) % 7 + 7) % 7);  // 1970-01-01 was a Thursday
  out.hour = in_day / 3'600;
  out.minute = in_day / 60 % 60;
  out.second = in_day % 60;
  return out;
}

base::Result<Timestamp> parse_strict_rfc3339(std::string_view text) { return parse(text, kStrict); }

base::Result<Timestamp> parse_rfc3339(std::string_view text) { return parse(text, kGo); }

std::optional<Timestamp> parse_yaml_timestamp(std::string_view text) {
  enum class Form { Upper, Lower, Spaced, DateOnly };
  for (const Form form : {Form::Upper, Form::Lower, Form::Spaced, Form::DateOnly}) {
    Parser parser(text, kYaml);
    parser.date();
    switch (form) {
      case Form::Upper: parser.literal('T', "the date"); break;
      case Form::Lower: parser.literal('t', "the date"); break;
      case Form::Spaced: parser.spaces(); break;
      case Form::DateOnly: break;
    }
    if (form != Form::DateOnly) parser.clock();
    if (form == Form::Upper || form == Form::Lower) parser.offset();
    if (const auto time = parser.finish()) return *time;
  }
  return std::nullopt;
}

std::string format_offset(const Timestamp& time, std::string_view separator) {
  const int minutes = time.offset / 60;
  const int magnitude = minutes < 0 ? -minutes : minutes;
  return fmt::format("{}{:02}{}{:02}", minutes < 0 ? '-' : '+', magnitude / 60, separator,
                     magnitude % 60);
}

std::string format_rfc3339(const Timestamp& time) {
  const Civil at = civil(time);
  return fmt::format("{}{:04}-{:02}-{:02}T{:02}:{:02}:{:02}{}", at.year < 0 ? "-" : "",
                     at.year < 0 ? -at.year : at.year, at.month, at.day, at.hour, at.minute,
                     at.second, time.offset == 0 ? "Z" : format_offset(time, ":"));
}

base::Result<std::int64_t> parse_duration(std::string_view text) {
  std::string_view rest = text;
  const bool negative = rest.starts_with('-');
  if (negative || rest.starts_with('+')) rest.remove_prefix(1);
  if (rest == "0") return 0;
  if (rest.empty()) return base::Error{"not a duration: it is empty"};
  std::uint64_t total = 0;
  while (!rest.empty()) {
    const auto part = take_duration_part(rest);
    if (!part) return base::Error{"not a duration such as \"1h30m\": " + part.error().what};
    total += *part;
    if (total > kDurationLimit || (total == kDurationLimit && !negative)) {
      return base::Error{"the duration is too long"};
    }
  }
  return negative ? static_cast<std::int64_t>(0 - total) : static_cast<std::int64_t>(total);
}

Timestamp operator+(const Timestamp& time, std::int64_t nanoseconds) {
  std::int64_t seconds = nanoseconds / kNanosecondsPerSecond;
  std::int64_t fraction = time.nanoseconds + nanoseconds % kNanosecondsPerSecond;
  if (fraction < 0) {
    fraction += kNanosecondsPerSecond;
    --seconds;
  } else if (fraction >= kNanosecondsPerSecond) {
    fraction -= kNanosecondsPerSecond;
    ++seconds;
  }
  return Timestamp{time.seconds + seconds, static_cast<std::int32_t>(fraction), time.offset};
}

}  // namespace tofu::functions
