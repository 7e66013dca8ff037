#include <array>
#include <fmt/format.h>

#include "base/ascii.h"
#include "functions/define.h"
#include "functions/errors.h"
#include "functions/families.h"
#include "functions/timestamp.h"

namespace tofu::functions {

namespace {

using syntax::Arguments;
using syntax::CallResult;
using value::Type;
using value::Value;

constexpr std::array<std::string_view, 12> kMonths{"January",   "February", "March",    "April",
                                                   "May",       "June",     "July",     "August",
                                                   "September", "October",  "November", "December"};
constexpr std::array<std::string_view, 7> kWeekdays{"Sunday",   "Monday", "Tuesday", "Wednesday",
                                                    "Thursday", "Friday", "Saturday"};

// One or two letters: the number as it is, or with two digits at least.
std::optional<std::string> one_or_two(std::size_t letters, int number) {
  if (letters == 1) return fmt::format("{}", number);
  if (letters == 2) return fmt::format("{:02}", number);
  return std::nullopt;
}

// Three or four letters: the name cut after three, or whole.
std::optional<std::string> name_of(std::size_t letters, std::string_view name) {
  if (letters == 3) return std::string(name.substr(0, 3));
  if (letters == 4) return std::string(name);
  return std::nullopt;
}

std::optional<std::string> zone(std::size_t letters, const Timestamp& time) {
  switch (letters) {
    case 1: return time.offset == 0 ? "Z" : format_offset(time, ":");
    case 3: return time.offset == 0 ? "UTC" : format_offset(time, "");
    case 4: return format_offset(time, "");
    case 5: return format_offset(time, ":");
    default: return std::nullopt;
  }
}

// The meaning of a run of one letter. Nothing if it stands for nothing.
std::optional<std::string> verb(char letter, std::size_t letters, const Timestamp& time) {
  const Civil at = civil(time);
  switch (letter) {
    case 'Y':
      if (letters == 2) return fmt::format("{:02}", at.year % 100);
      if (letters == 4) return fmt::format("{:04}", at.year);
      return std::nullopt;
    case 'M':
      if (letters > 2) return name_of(letters, kMonths[static_cast<std::size_t>(at.month - 1)]);
      return one_or_two(letters, at.month);
    case 'D': return one_or_two(letters, at.day);
    case 'E': return name_of(letters, kWeekdays[static_cast<std::size_t>(at.weekday)]);
    case 'h': return one_or_two(letters, at.hour);
    case 'H': return one_or_two(letters, at.hour % 12 == 0 ? 12 : at.hour % 12);
    case 'A': return letters == 2 ? std::optional(at.hour < 12 ? "AM" : "PM") : std::nullopt;
    case 'a': return letters == 2 ? std::optional(at.hour < 12 ? "am" : "pm") : std::nullopt;
    case 'm': return one_or_two(letters, at.minute);
    case 's': return one_or_two(letters, at.second);
    case 'Z': return zone(letters, time);
    default: return std::nullopt;
  }
}

// Literal text in single quotes; '' inside or alone is one quote. `rest` starts
// at the opening quote. A doubled quote at the very end closes the text as well,
// as in OpenTofu. False if it is not closed.
bool take_quoted(std::string_view& rest, std::string& out) {
  if (rest.starts_with("''")) {
    out += '\'';
    rest.remove_prefix(2);
    return true;
  }
  rest.remove_prefix(1);
  while (!rest.empty()) {
    const char c = rest.front();
    rest.remove_prefix(1);
    if (c != '\'') {
      out += c;
    } else if (rest.starts_with('\'')) {
      out += '\'';
      rest.remove_prefix(1);
      if (rest.empty()) return true;
    } else {
      return true;
    }
  }
  return false;
}

CallResult<Value> formatdate(Arguments args, Type) {
  const auto time = parse_strict_rfc3339(args[1].plain().as_string());
  if (!time) return syntax::argument_error(1, time.error().what);
  std::string out;
  std::string_view rest = args[0].plain().as_string();
  while (!rest.empty()) {
    const char first = rest.front();
    if (first == '\'') {
      if (!take_quoted(rest, out)) {
        return syntax::argument_error(0, "the literal text after ' is not closed");
      }
    } else if (!base::is_ascii_letter(first)) {
      out += first;
      rest.remove_prefix(1);
    } else {
      std::size_t letters = rest.find_first_not_of(first);
      if (letters == std::string_view::npos) letters = rest.size();
      const auto text = verb(first, letters, *time);
      if (!text) {
        return syntax::argument_error(
            0, fmt::format("the letters at offset {} are not a date format verb; put literal "
                           "letters in single quotes",
                           rest.data() - args[0].plain().as_string().data()));
      }
      out += *text;
      rest.remove_prefix(letters);
    }
  }
  return Value::string(out);
}

CallResult<Value> timeadd(Arguments args, Type) {
  const auto time = parse_strict_rfc3339(args[0].plain().as_string());
  if (!time) return call_error(time.error().what);
  const auto duration = parse_duration(args[1].plain().as_string());
  if (!duration) return call_error(duration.error().what);
  return Value::string(format_rfc3339(*time + *duration));
}

CallResult<Value> timecmp(Arguments args, Type) {
  std::array<Timestamp, 2> times;
  for (std::size_t i = 0; i < times.size(); ++i) {
    const auto time = parse_rfc3339(args[i].plain().as_string());
    if (!time) return syntax::argument_error(i, time.error().what);
    times[i] = *time;
  }
  const auto key = [](const Timestamp& t) { return std::pair(t.seconds, t.nanoseconds); };
  if (key(times[0]) == key(times[1])) return Value::integer(0);
  return Value::integer(key(times[0]) < key(times[1]) ? -1 : 1);
}

}  // namespace

void add_date(List& list, const Environment& environment) {
  const Type text = Type::string();
  define(list, "formatdate",
         "Writes a timestamp in another form, which is given with letters such as YYYY, MM and DD.")
      .takes("format", text)
      .takes("time", text)
      .gives(text)
      .as(formatdate);
  define(list, "timeadd", "Adds a duration such as \"1h30m\" to a timestamp.")
      .takes("timestamp", text)
      .takes("duration", text)
      .gives(text)
      .may_give_null()
      .as(timeadd);
  define(list, "timecmp",
         "Compares two points in time: -1 if the first is earlier, 0 if they are the same, 1 if it "
         "is later.")
      .takes("timestamp_a", text)
      .takes("timestamp_b", text)
      .gives(Type::number())
      .as(timecmp);
  const auto now = environment.pure_only ? nullptr : environment.now;
  define(list, "timestamp", "The current time in UTC, in RFC 3339 form.")
      .gives(text)
      .as([now](Arguments, Type type) -> CallResult<Value> {
        if (!now) return Value::unknown(type);
        const auto [seconds, nanoseconds] = now();
        return Value::string(format_rfc3339({seconds, nanoseconds, 0}));
      });
  if (!environment.plan_timestamp) return;
  define(list, "plantimestamp", "The time at which the plan was made, in RFC 3339 form.")
      .gives(text)
      .may_give_null()
      .as([time = *environment.plan_timestamp](Arguments, Type type) -> CallResult<Value> {
        return time.empty() ? Value::unknown(type) : Value::string(time);
      });
}

}  // namespace tofu::functions
