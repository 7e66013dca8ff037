#include "functions/charset_table.h"

#include <algorithm>
#include <array>
#include <iconv.h>
#include <span>
#include <utility>
#include <vector>

#include "base/unicode.h"

namespace tofu::functions {

namespace {

using CodeAndCharacter = std::pair<std::uint16_t, char16_t>;

// iconv in one direction, one character at a time.
class Converter {
 public:
  Converter(const char* to, const char* from) : handle_(iconv_open(to, from)) {}
  Converter(const Converter&) = delete;
  Converter& operator=(const Converter&) = delete;
  ~Converter() {
    if (is_open()) iconv_close(handle_);
  }

  bool is_open() const { return handle_ != kClosed; }

  // The whole of `in`, converted. Empty if that is not possible.
  std::string convert(std::string in) const {
    std::array<char, 32> out;
    char* from = in.data();
    char* to = out.data();
    std::size_t from_left = in.size();
    std::size_t to_left = out.size();
    iconv(handle_, nullptr, nullptr, nullptr, nullptr);
    const bool done =
        iconv(handle_, &from, &from_left, &to, &to_left) == 0 && from_left == 0 &&
        iconv(handle_, nullptr, nullptr, &to, &to_left) != static_cast<std::size_t>(-1);
    return done ? std::string(out.data(), to) : std::string();
  }

 private:
  static inline const iconv_t kClosed = reinterpret_cast<iconv_t>(-1);
  iconv_t handle_;
};

class Decoder {
 public:
  explicit Decoder(const char* charset) : converter_("UTF-8", charset) {}

  bool is_open() const { return converter_.is_open(); }

  // Nothing unless the code stands for exactly one character.
  std::optional<char32_t> operator()(std::uint32_t code) const {
    std::string bytes;
    append_code(bytes, code);
    const std::string text = converter_.convert(std::move(bytes));
    const base::Decoded first = base::decode_utf8(text);
    if (text.empty() || first.length != text.size() || first.code == base::kReplacement) {
      return std::nullopt;
    }
    return first.code;
  }

 private:
  Converter converter_;
};

bool is_private(char32_t c) { return c >= 0xE000 && c <= 0xF8FF; }

void add_ascii(CodeTable& table) {
  for (char32_t c = 0; c < 0x80; ++c) table.add(c, c);
}

struct Bytes {
  std::uint32_t first;
  std::uint32_t last;
};

// Every code of two bytes in these ranges, lowest first.
template <class Visit>
void for_each_pair(Bytes leads, Bytes trails, Visit visit) {
  for (std::uint32_t lead = leads.first; lead <= leads.last; ++lead) {
    for (std::uint32_t trail = trails.first; trail <= trails.last; ++trail) {
      visit(lead << 8 | trail);
    }
  }
}

struct SingleByte {
  std::string_view canonical;
  const char* system_name;
  bool has_controls = true;  // 0x80 to 0x9F stand for the C1 controls
  std::array<CodeAndCharacter, 2> corrections{};
};

constexpr std::array kSingleByte{
    SingleByte{"US-ASCII", "US-ASCII"},
    SingleByte{"IBM037", "IBM037"},
    SingleByte{"IBM437", "IBM437"},
    SingleByte{"IBM850", "IBM850"},
    SingleByte{"IBM852", "IBM852"},
    SingleByte{"IBM855", "IBM855"},
    SingleByte{"IBM00858", "IBM858"},
    SingleByte{"IBM860", "IBM860"},
    SingleByte{"IBM862", "IBM862"},
    SingleByte{"IBM863", "IBM863"},
    SingleByte{"IBM865", "IBM865"},
    SingleByte{"IBM866", "IBM866"},
    SingleByte{"IBM1047", "IBM1047"},
    SingleByte{"IBM01140", "IBM1140"},
    SingleByte{"ISO_8859-1:1987", "ISO-8859-1"},
    SingleByte{"ISO_8859-2:1987", "ISO-8859-2", false},
    SingleByte{"ISO_8859-3:1988", "ISO-8859-3", false},
    SingleByte{"ISO_8859-4:1988", "ISO-8859-4", false},
    SingleByte{"ISO_8859-5:1988", "ISO-8859-5", false},
    SingleByte{"ISO_8859-6:1987", "ISO-8859-6", false},
    SingleByte{"ISO_8859-6-E", "ISO-8859-6", false},
    SingleByte{"ISO_8859-6-I", "ISO-8859-6", false},
    SingleByte{"ISO_8859-7:1987", "ISO-8859-7", false},
    SingleByte{"ISO_8859-8:1988", "ISO-8859-8", false},
    SingleByte{"ISO_8859-8-E", "ISO-8859-8", false},
    SingleByte{"ISO_8859-8-I", "ISO-8859-8", false},
    SingleByte{"ISO_8859-9:1989", "ISO-8859-9"},
    SingleByte{"ISO-8859-10", "ISO-8859-10", false},
    SingleByte{"ISO-8859-13", "ISO-8859-13", false},
    SingleByte{"ISO-8859-14", "ISO-8859-14", false},
    SingleByte{"ISO-8859-15", "ISO-8859-15", false},
    SingleByte{"ISO-8859-16", "ISO-8859-16", false},
    SingleByte{"KOI8-R", "KOI8-R"},
    SingleByte{"KOI8-U", "KOI8-U", true, {{{0xAE, 0x045E}, {0xBE, 0x040E}}}},
    SingleByte{"macintosh", "MACINTOSH", true, {{{0xC6, 0x2206}, {0xF0, 0xF8FF}}}},
    SingleByte{"windows-874", "CP874"},
    SingleByte{"windows-1250", "CP1250"},
    SingleByte{"windows-1251", "CP1251"},
    SingleByte{"windows-1252", "CP1252"},
    SingleByte{"windows-1253", "CP1253"},
    SingleByte{"windows-1254", "CP1254"},
    SingleByte{"windows-1255", "CP1255", true, {{{0xCA, 0x05BA}}}},
    SingleByte{"windows-1256", "CP1256"},
    SingleByte{"windows-1257", "CP1257"},
    SingleByte{"windows-1258", "CP1258"},
};

// Codes that the WHATWG's Big5 has and the C library's Big5-HKSCS has not, or
// has for another character.
constexpr std::array<CodeAndCharacter, 142> kBig5Corrections{{
    {0x8E69, 0x7BB8}, {0x8E6F, 0x7C06}, {0x8E7E, 0x7CCE}, {0x8EAB, 0x7DD2}, {0x8EB4, 0x7E1D},
    {0x8ECD, 0x8005}, {0x8ED0, 0x8028}, {0x8F57, 0x83C1}, {0x8F69, 0x84A8}, {0x8F6E, 0x840F},
    {0x8FCB, 0x89A6}, {0x8FCC, 0x89A9}, {0x8FFE, 0x8D77}, {0x906D, 0x90FD}, {0x907A, 0x92B9},
    {0x90DC, 0x975C}, {0x90F1, 0x97FF}, {0x91BF, 0x9F16}, {0x9244, 0x8503}, {0x92AF, 0x5159},
    {0x92B0, 0x515B}, {0x92B1, 0x515D}, {0x92B2, 0x515E}, {0x92C8, 0x936E}, {0x92D1, 0x7479},
    {0x9447, 0x6D67}, {0x94CA, 0x799B}, {0x95D9, 0x9097}, {0x9644, 0x975D}, {0x96ED, 0x701E},
    {0x96FC, 0x5B28}, {0x9B76, 0x7201}, {0x9B78, 0x77D7}, {0x9B7B, 0x7E87}, {0x9BC6, 0x99D6},
    {0x9BDE, 0x91D4}, {0x9BEC, 0x60DE}, {0x9BF6, 0x6FB6}, {0x9C42, 0x8F36}, {0x9C53, 0x4FBB},
    {0x9C62, 0x71DF}, {0x9C68, 0x9104}, {0x9C6B, 0x9DF0}, {0x9C77, 0x83CF}, {0x9CBC, 0x5C10},
    {0x9CBD, 0x79E3}, {0x9CD0, 0x5A67}, {0x9D57, 0x8F0B}, {0x9D5A, 0x7B51}, {0x9DC4, 0x62D0},
    {0x9EA9, 0x6062}, {0x9EEF, 0x75F9}, {0x9EFD, 0x6C4A}, {0x9F60, 0x9B2E}, {0x9F66, 0x9F17},
    {0x9FCB, 0x50ED}, {0x9FD8, 0x5F0C}, {0xA063, 0x880F}, {0xA077, 0x62CE}, {0xA0D5, 0x7468},
    {0xA0DF, 0x7162}, {0xA0E4, 0x7250}, {0xA145, 0x2027}, {0xA14E, 0xFE51}, {0xA15A, 0x2574},
    {0xA1C2, 0x00AF}, {0xA1C3, 0xFFE3}, {0xA1C5, 0x02CD}, {0xA1E3, 0xFF5E}, {0xA1F2, 0x2295},
    {0xA1F3, 0x2299}, {0xA1FE, 0xFF0F}, {0xA240, 0xFF3C}, {0xA241, 0x2215}, {0xA242, 0xFE68},
    {0xA244, 0xFFE5}, {0xA246, 0xFFE0}, {0xA247, 0xFFE1}, {0xA2CC, 0x5341}, {0xA2CE, 0x5345},
    {0xA3C0, 0x2400}, {0xA3C1, 0x2401}, {0xA3C2, 0x2402}, {0xA3C3, 0x2403}, {0xA3C4, 0x2404},
    {0xA3C5, 0x2405}, {0xA3C6, 0x2406}, {0xA3C7, 0x2407}, {0xA3C8, 0x2408}, {0xA3C9, 0x2409},
    {0xA3CA, 0x240A}, {0xA3CB, 0x240B}, {0xA3CC, 0x240C}, {0xA3CD, 0x240D}, {0xA3CE, 0x240E},
    {0xA3CF, 0x240F}, {0xA3D0, 0x2410}, {0xA3D1, 0x2411}, {0xA3D2, 0x2412}, {0xA3D3, 0x2413},
    {0xA3D4, 0x2414}, {0xA3D5, 0x2415}, {0xA3D6, 0x2416}, {0xA3D7, 0x2417}, {0xA3D8, 0x2418},
    {0xA3D9, 0x2419}, {0xA3DA, 0x241A}, {0xA3DB, 0x241B}, {0xA3DC, 0x241C}, {0xA3DD, 0x241D},
    {0xA3DE, 0x241E}, {0xA3DF, 0x241F}, {0xA3E0, 0x2421}, {0xA3E1, 0x20AC}, {0xC6CF, 0x5EF4},
    {0xC6D3, 0x65E0}, {0xC6D5, 0x7676}, {0xC6D7, 0x96B6}, {0xC6DE, 0x3003}, {0xC6DF, 0x4EDD},
    {0xFA5F, 0x5029}, {0xFA66, 0x507D}, {0xFABD, 0x5305}, {0xFAC5, 0x5344}, {0xFAD5, 0x537F},
    {0xFB48, 0x5605}, {0xFBB8, 0x5A77}, {0xFBF3, 0x5E75}, {0xFBF9, 0x5ED0}, {0xFC4F, 0x5F58},
    {0xFC6C, 0x60A4}, {0xFCB9, 0x6490}, {0xFCE2, 0x6674}, {0xFCF1, 0x675E}, {0xFDB7, 0x6C9C},
    {0xFDB8, 0x6E1D}, {0xFDBB, 0x6E2F}, {0xFDF1, 0x716E}, {0xFE52, 0x732A}, {0xFE6F, 0x745C},
    {0xFEAA, 0x74E9}, {0xFEDD, 0x7809},
}};

// Added to GB18030 after the tables that OpenTofu uses were made. They keep the
// code of four bytes that follows the one of the character before them.
bool is_late_gb18030(char32_t c) {
  return c == 0x1E3F || (c >= 0x9FB4 && c <= 0x9FBB) || (c >= 0xFE10 && c <= 0xFE19) || c > 0xFFFF;
}

// Codes of two bytes; common to GBK and GB18030.
void add_gbk_pairs(CodeTable& table, const Decoder& decoder) {
  const auto add = [&](std::uint32_t code) {
    const auto c = decoder(code);
    if (c && !is_private(*c) && !is_late_gb18030(*c)) table.add(code, *c);
  };
  for (std::uint32_t lead = 0x81; lead <= 0xFE; ++lead) {
    for_each_pair({lead, lead}, {0x40, 0x7E}, add);
    for_each_pair({lead, lead}, {0x80, 0xFE}, add);
  }
  table.add_for_decoding(0xA3A0, 0x3000);
}

std::uint32_t code_of(std::string_view bytes) {
  std::uint32_t code = 0;
  for (const char c : bytes) code = code << 8 | static_cast<unsigned char>(c);
  return code;
}

// The code of four bytes after `code`: the last byte runs from 30 to 39, the
// one before it from 81 to FE, and so on.
std::uint32_t next_gb18030(std::uint32_t code) {
  constexpr std::array<Bytes, 4> kRanges{{{0x30, 0x39}, {0x81, 0xFE}, {0x30, 0x39}, {0x81, 0xFE}}};
  for (unsigned i = 0; i < kRanges.size(); ++i) {
    const std::uint32_t byte = code >> (8 * i) & 0xFF;
    if (byte < kRanges[i].last) return code + (1u << (8 * i));
    code -= (kRanges[i].last - kRanges[i].first) << (8 * i);
  }
  return code;
}

// JIS X 0208 with the extensions of NEC and IBM, in the bytes of Shift_JIS.
template <class Visit>
void for_each_jis_character(Visit visit) {
  const Decoder decoder("CP932");
  if (!decoder.is_open()) return;
  const auto one = [&](std::uint32_t code) {
    const auto c = decoder(code);
    if (c && !is_private(*c)) visit(code, *c);
  };
  for (std::uint32_t lead = 0x81; lead <= 0xFC; ++lead) {
    if (lead >= 0xA0 && lead < 0xE0) continue;
    for_each_pair({lead, lead}, {0x40, 0x7E}, one);
    for_each_pair({lead, lead}, {0x80, 0xFC}, one);
  }
}

constexpr char32_t kFirstKatakana = 0xFF61;  // of half width
constexpr std::uint32_t kKatakanaCount = 63;

}  // namespace

void append_code(std::string& out, std::uint32_t code) {
  for (int shift = 24; shift > 0; shift -= 8) {
    if (code >> shift != 0) out += static_cast<char>(code >> shift);
  }
  out += static_cast<char>(code);
}

void CodeTable::add(std::uint32_t code, char32_t character) {
  characters_.emplace(code, character);
  codes_.emplace(character, code);
}

void CodeTable::add_preferred(std::uint32_t code, char32_t character) {
  characters_.insert_or_assign(code, character);
  codes_.insert_or_assign(character, code);
}

void CodeTable::add_for_decoding(std::uint32_t code, char32_t character) {
  characters_.emplace(code, character);
}

std::optional<char32_t> CodeTable::character(std::uint32_t code) const {
  const auto found = characters_.find(code);
  return found == characters_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::uint32_t> CodeTable::code(char32_t character) const {
  const auto found = codes_.find(character);
  return found == codes_.end() ? std::nullopt : std::optional(found->second);
}

CodeTable single_byte_table(std::string_view canonical) {
  CodeTable table;
  const auto* found = std::ranges::find(kSingleByte, canonical, &SingleByte::canonical);
  if (found == kSingleByte.end()) return table;
  const Decoder decoder(found->system_name);
  if (!decoder.is_open()) return table;
  for (const auto& [code, character] : found->corrections) {
    if (code != 0) table.add(code, character);
  }
  for (std::uint32_t code = 0; code < 0x100; ++code) {
    if (!found->has_controls && code >= 0x80 && code < 0xA0) continue;
    if (table.character(code)) continue;
    if (const auto c = decoder(code)) table.add(code, *c);
  }
  return table;
}

CodeTable shift_jis_table() {
  CodeTable table;
  for_each_jis_character([&](std::uint32_t code, char32_t c) { table.add(code, c); });
  if (table.empty()) return table;
  add_ascii(table);
  table.add_for_decoding(0x80, 0x80);
  for (std::uint32_t i = 0; i < kKatakanaCount; ++i) table.add(0xA1 + i, kFirstKatakana + i);
  return table;
}

CodeTable euc_jp_table() {
  CodeTable table;
  for_each_jis_character([&](std::uint32_t code, char32_t c) {
    const std::uint32_t lead = code >> 8;
    const std::uint32_t trail = code & 0xFF;
    std::uint32_t row = (lead < 0xA0 ? lead - 0x81 : lead - 0xC1) * 2;
    std::uint32_t cell = trail - 0x40 - (trail > 0x7F ? 1 : 0);
    if (cell >= 94) {
      ++row;
      cell -= 94;
    }
    if (row < 94) table.add((0xA1 + row) << 8 | (0xA1 + cell), c);
  });
  if (table.empty()) return table;
  add_ascii(table);
  for (std::uint32_t i = 0; i < kKatakanaCount; ++i) table.add(0x8EA1 + i, kFirstKatakana + i);
  const Decoder decoder("EUC-JP");  // for JIS X 0212
  for_each_pair({0xA1, 0xFE}, {0xA1, 0xFE}, [&](std::uint32_t pair) {
    if (const auto c = decoder(0x8F0000 | pair)) table.add(0x8F0000 | pair, *c);
  });
  return table;
}

CodeTable euc_kr_table() {
  CodeTable table;
  const Decoder decoder("UHC");
  if (!decoder.is_open()) return table;
  add_ascii(table);
  for_each_pair({0x81, 0xFE}, {0x41, 0xFE}, [&](std::uint32_t code) {
    if (const auto c = decoder(code)) table.add(code, *c);
  });
  return table;
}

CodeTable gbk_table() {
  CodeTable table = gb2312_table();
  if (!table.empty()) table.add_preferred(0x80, 0x20AC);
  return table;
}

CodeTable gb2312_table() {
  CodeTable table;
  const Decoder decoder("GB18030");
  if (!decoder.is_open()) return table;
  add_ascii(table);
  add_gbk_pairs(table, decoder);
  return table;
}

CodeTable gb18030_table() {
  CodeTable table;
  const Decoder decoder("GB18030");
  const Converter encoder("GB18030", "UTF-8");
  if (!decoder.is_open() || !encoder.is_open()) return table;
  add_ascii(table);
  add_gbk_pairs(table, decoder);
  table.add_for_decoding(0x80, 0x20AC);
  std::uint32_t previous = 0;
  for (char32_t c = 0x80; c < 0x10000; ++c) {
    if ((c >= 0xD800 && c < 0xE000) || is_private(c) || table.code(c)) continue;
    std::string text;
    base::append_utf8(text, c);
    const std::uint32_t code =
        is_late_gb18030(c) ? next_gb18030(previous) : code_of(encoder.convert(std::move(text)));
    if (code > 0xFFFFFF) table.add(code, c);
    previous = code;
  }
  return table;
}

CodeTable big5_table() {
  CodeTable table;
  const Decoder decoder("BIG5-HKSCS");
  if (!decoder.is_open()) return table;
  add_ascii(table);
  // A later code is preferred, so the corrections have to come in their places.
  const auto add = [&](std::uint32_t code) {
    const auto* corrected =
        std::ranges::lower_bound(kBig5Corrections, code, {}, &CodeAndCharacter::first);
    if (corrected != kBig5Corrections.end() && corrected->first == code) {
      table.add_preferred(code, corrected->second);
    } else if (const auto c = decoder(code); c && !is_private(*c)) {
      table.add_preferred(code, *c);
    }
  };
  for (std::uint32_t lead = 0x81; lead <= 0xFE; ++lead) {
    for_each_pair({lead, lead}, {0x40, 0x7E}, add);
    for_each_pair({lead, lead}, {0xA1, 0xFE}, add);
  }
  return table;
}

}  // namespace tofu::functions
