// Points in time as text: RFC 3339, what YAML calls a timestamp, and durations.
//
// Written by hand because the C library's functions depend on the locale and on the machine's time
// zone. The accepted syntax is exactly that of Go's time package, leniencies included, since
// OpenTofu uses it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace tofu::functions {

struct Timestamp {
  std::int64_t seconds = 0;  // since 1970-01-01T00:00:00Z
  std::int32_t nanoseconds = 0;
  std::int32_t offset = 0;  // of the local clock it was written in, in seconds east
};

// The local calendar and clock of a Timestamp.
struct Civil {
  std::int64_t year;
  int month;    // 1 to 12
  int day;      // 1 to 31
  int weekday;  // 0 is Sunday
  int hour;
  int minute;
  int second;
};
Civil civil(const Timestamp& time);

// Only what RFC 3339 allows.
base::Result<Timestamp> parse_strict_rfc3339(std::string_view text);
// Also hours of one digit, a comma before the fraction, and offsets of up to
// 24:60.
base::Result<Timestamp> parse_rfc3339(std::string_view text);
// A date, or a date and time, with one or two digits in each part.
std::optional<Timestamp> parse_yaml_timestamp(std::string_view text);

// Whole seconds: 2006-01-02T15:04:05Z, or with an offset at the end.
std::string format_rfc3339(const Timestamp& time);
// "+hhmm" or with a separator between hours and minutes.
std::string format_offset(const Timestamp& time, std::string_view separator);

// Such as "-1h30m" or "1.5s": nanoseconds.
base::Result<std::int64_t> parse_duration(std::string_view text);
Timestamp operator+(const Timestamp& time, std::int64_t nanoseconds);

}  // namespace tofu::functions
