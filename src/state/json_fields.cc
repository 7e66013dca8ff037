#include "state/json_fields.h"

#include <charconv>
#include <fmt/format.h>

#include "base/ascii.h"
#include "base/json_layout.h"
#include "base/json_text.h"

namespace tofu::state {

bool is_field(std::string_view name, std::string_view field) {
  return name == field || (name.size() == field.size() && base::equal_ignoring_case(name, field));
}

std::string UnknownMembers::text() const {
  std::string text;
  for (const auto& [name, json] : members_) {
    if (!text.empty()) text += ',';
    base::append_json_string(text, name);
    text += ':';
    text += json;
  }
  return text;
}

void JsonFields::fail(std::string_view field, std::string_view wanted) {
  if (!fault_.empty()) return;
  fault_ = fmt::format("\"{}\" must be {}", field, wanted);
}

bool JsonFields::is_null() {
  if (scanner_.peek() != 'n') return false;
  skip();
  return true;
}

bool JsonFields::enter(std::string_view field, char bracket, std::string_view wanted) {
  if (is_null()) return false;
  if (peek() != bracket) {
    fail(field, wanted);
    skip();
    return false;
  }
  return scanner_.expect(bracket);
}

std::string_view JsonFields::raw() {
  const std::size_t start = scanner_.offset();
  const std::size_t end = base::json_value_end(text_, start);
  scanner_.seek(end);
  return text_.substr(start, end - start);
}

void JsonFields::text(std::string_view field, std::string& into) {
  if (is_null()) return;
  if (peek() != '"') {
    fail(field, "a string");
    return skip();
  }
  if (const auto found = scanner_.string()) into = *found;
}

void JsonFields::number(std::string_view field, std::uint64_t& into) {
  if (is_null()) return;
  const std::string_view digits = raw();
  std::uint64_t found = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), found);
  if (error != std::errc() || end != digits.data() + digits.size()) {
    return fail(field, "a whole number that is not negative");
  }
  into = found;
}

void JsonFields::boolean(std::string_view field, bool& into) {
  if (is_null()) return;
  const std::string_view word = raw();
  if (word != "true" && word != "false") return fail(field, "true or false");
  into = word == "true";
}

}  // namespace tofu::state
