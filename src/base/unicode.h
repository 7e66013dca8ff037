// Unicode functions for the language: validity, normal form, grapheme clusters, identifiers, simple
// case mapping.
//
// Text is UTF-8 in std::string_view everywhere. Functions that take text assume
// nothing about its validity: a byte that starts no valid sequence decodes to
// U+FFFD with length 1, as in Go. ASCII takes a fast path.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tofu::base {

inline constexpr char32_t kReplacement = 0xFFFD;

struct Decoded {
  char32_t code;        // kReplacement for a broken sequence
  std::uint8_t length;  // bytes consumed, at least 1 unless the text is empty
};

// The first code point of `text`.
Decoded decode_utf8(std::string_view text);
void append_utf8(std::string& out, char32_t code);
// Length of the first sequence of a text that is not empty, judged by its shape alone:
// overlong forms and surrogates pass, as in OpenTofu's scanner. 0 if it is none.
std::size_t sequence_length(std::string_view text);

bool is_valid_utf8(std::string_view text);
// Offset of the first byte that is not part of valid UTF-8, or npos.
std::size_t find_invalid_utf8(std::string_view text);
// Every broken sequence replaced by U+FFFD.
std::string to_valid_utf8(std::string_view text);
bool is_ascii(std::string_view text);
// Removes what is behind the byte `size`, and a character that this would break.
void cut_utf8(std::string& text, std::size_t size);

bool is_nfc(std::string_view text);         // quick: true for all ASCII
std::string to_nfc(std::string_view text);  // as Go's norm.NFC; broken bytes stay as they are

// Length in bytes of the first grapheme cluster (extended, UAX #29).
// CR LF is one cluster. 0 only for empty text.
std::size_t first_grapheme(std::string_view text);
std::size_t count_graphemes(std::string_view text);

bool is_identifier_start(char32_t code);  // ID_Start or '_' is the caller's affair: ID_Start only
bool is_identifier_continue(char32_t code);  // ID_Continue or '-'
bool is_identifier(std::string_view text);   // HCL's rule for a whole identifier

// Simple (one to one) case mapping, as Go's unicode package has it.
char32_t to_upper(char32_t code);
char32_t to_lower(char32_t code);
char32_t to_title(char32_t code);
bool is_letter(char32_t code);     // general category L*
bool is_digit(char32_t code);      // general category Nd
bool is_space(char32_t code);      // Unicode White_Space
bool is_printable(char32_t code);  // as Go's strconv.IsPrint, which %q follows

// Columns a terminal needs for the text (East Asian wide counts two).
std::size_t display_width(std::string_view text);

// The way Go's strconv.Quote (and %q) writes a string, quotes included.
std::string quote_go(std::string_view text);

}  // namespace tofu::base
