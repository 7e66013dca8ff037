// Tables of characters and the bytes that stand for them.
//
// A code is the bytes as one big-endian number; codes of one to four bytes are distinguished by
// their size. Several codes may stand for one character, and one of them is used for encoding.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace tofu::functions {

class CodeTable {
 public:
  // The first code of a character is the one that encodes it.
  void add(std::uint32_t code, char32_t character);
  // The last one is.
  void add_preferred(std::uint32_t code, char32_t character);
  void add_for_decoding(std::uint32_t code, char32_t character);

  bool empty() const { return characters_.empty(); }
  std::optional<char32_t> character(std::uint32_t code) const;
  std::optional<std::uint32_t> code(char32_t character) const;

 private:
  std::unordered_map<std::uint32_t, char32_t> characters_;
  std::unordered_map<char32_t, std::uint32_t> codes_;
};

// All from the C library, corrected; empty if it does not know them.
CodeTable single_byte_table(std::string_view canonical);
CodeTable shift_jis_table();
CodeTable euc_jp_table();  // also what ISO-2022-JP is made of
CodeTable euc_kr_table();
CodeTable gbk_table();
CodeTable gb2312_table();   // and more, but only codes of one and two bytes
CodeTable gb18030_table();  // without the characters beyond U+FFFF, which are computed
CodeTable big5_table();

void append_code(std::string& out, std::uint32_t code);

}  // namespace tofu::functions
