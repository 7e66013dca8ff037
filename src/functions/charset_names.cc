// The names that IANA has registered for the encodings we know.
#include <array>
#include <string>

#include "base/ascii.h"
#include "base/trim.h"
#include "base/unicode.h"
#include "functions/charset.h"

namespace tofu::functions {

namespace {

struct CharsetNames {
  std::string_view canonical;
  std::string_view aliases;  // lower case, each followed by a space
};

constexpr std::array kNames{
    CharsetNames{"Big5", "big5 csbig5 "},
    CharsetNames{"EUC-KR", "cseuckr euc-kr "},
    CharsetNames{"EUC-JP",
                 "cseucpkdfmtjapanese euc-jp extended_unix_code_packed_format_for_japanese "},
    CharsetNames{"GB18030", "csgb18030 gb18030 "},
    CharsetNames{"GBK", "cp936 csgbk gbk ms936 windows-936 "},
    CharsetNames{"HZ-GB-2312", "hz-gb-2312 "},
    CharsetNames{"IBM00858", "ccsid00858 cp00858 csibm00858 ibm00858 pc-multilingual-850+euro "},
    CharsetNames{"IBM01140", "ccsid01140 cp01140 csibm01140 ebcdic-us-37+euro ibm01140 "},
    CharsetNames{"IBM037",
                 "cp037 csibm037 ebcdic-cp-ca ebcdic-cp-nl ebcdic-cp-us ebcdic-cp-wt ibm037 "},
    CharsetNames{"IBM1047", "csibm1047 ibm-1047 ibm1047 "},
    CharsetNames{"IBM437", "437 cp437 cspc8codepage437 ibm437 "},
    CharsetNames{"IBM850", "850 cp850 cspc850multilingual ibm850 "},
    CharsetNames{"IBM852", "852 cp852 cspcp852 ibm852 "},
    CharsetNames{"IBM855", "855 cp855 csibm855 ibm855 "},
    CharsetNames{"IBM860", "860 cp860 csibm860 ibm860 "},
    CharsetNames{"IBM862", "862 cp862 cspc862latinhebrew ibm862 "},
    CharsetNames{"IBM863", "863 cp863 csibm863 ibm863 "},
    CharsetNames{"IBM865", "865 cp865 csibm865 ibm865 "},
    CharsetNames{"IBM866", "866 cp866 csibm866 ibm866 "},
    CharsetNames{"ISO-2022-JP", "csiso2022jp iso-2022-jp "},
    CharsetNames{"ISO-8859-10", "csisolatin6 iso-8859-10 iso-ir-157 iso_8859-10:1992 l6 latin6 "},
    CharsetNames{"ISO-8859-13", "csiso885913 iso-8859-13 "},
    CharsetNames{
        "ISO-8859-14",
        "csiso885914 iso-8859-14 iso-celtic iso-ir-199 iso_8859-14 iso_8859-14:1998 l8 latin8 "},
    CharsetNames{"ISO-8859-15", "csiso885915 iso-8859-15 iso_8859-15 latin-9 "},
    CharsetNames{"ISO-8859-16",
                 "csiso885916 iso-8859-16 iso-ir-226 iso_8859-16 iso_8859-16:2001 l10 latin10 "},
    CharsetNames{
        "ISO_8859-1:1987",
        "cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 iso_8859-1 iso_8859-1:1987 l1 latin1 "},
    CharsetNames{"ISO_8859-2:1987",
                 "csisolatin2 iso-8859-2 iso-ir-101 iso_8859-2 iso_8859-2:1987 l2 latin2 "},
    CharsetNames{"ISO_8859-3:1988",
                 "csisolatin3 iso-8859-3 iso-ir-109 iso_8859-3 iso_8859-3:1988 l3 latin3 "},
    CharsetNames{"ISO_8859-4:1988",
                 "csisolatin4 iso-8859-4 iso-ir-110 iso_8859-4 iso_8859-4:1988 l4 latin4 "},
    CharsetNames{"ISO_8859-5:1988",
                 "csisolatincyrillic cyrillic iso-8859-5 iso-ir-144 iso_8859-5 iso_8859-5:1988 "},
    CharsetNames{"ISO_8859-6-E", "csiso88596e iso-8859-6-e iso_8859-6-e "},
    CharsetNames{"ISO_8859-6-I", "csiso88596i iso-8859-6-i iso_8859-6-i "},
    CharsetNames{"ISO_8859-6:1987",
                 "arabic asmo-708 csisolatinarabic ecma-114 iso-8859-6 iso-ir-127 iso_8859-6 "
                 "iso_8859-6:1987 "},
    CharsetNames{"ISO_8859-7:1987",
                 "csisolatingreek ecma-118 elot_928 greek greek8 iso-8859-7 iso-ir-126 iso_8859-7 "
                 "iso_8859-7:1987 "},
    CharsetNames{"ISO_8859-8-E", "csiso88598e iso-8859-8-e iso_8859-8-e "},
    CharsetNames{"ISO_8859-8-I", "csiso88598i iso-8859-8-i iso_8859-8-i "},
    CharsetNames{"ISO_8859-8:1988",
                 "csisolatinhebrew hebrew iso-8859-8 iso-ir-138 iso_8859-8 iso_8859-8:1988 "},
    CharsetNames{"ISO_8859-9:1989",
                 "csisolatin5 iso-8859-9 iso-ir-148 iso_8859-9 iso_8859-9:1989 l5 latin5 "},
    CharsetNames{"KOI8-R", "cskoi8r koi8-r "},
    CharsetNames{"KOI8-U", "cskoi8u koi8-u "},
    CharsetNames{"Shift_JIS", "csshiftjis ms_kanji shift_jis "},
    CharsetNames{
        "US-ASCII",
        "ansi_x3.4-1968 ansi_x3.4-1986 cp367 csascii ibm367 iso-ir-6 iso646-us iso_646.irv:1991 "
        "us us-ascii "},
    CharsetNames{"UTF-16", "csutf16 utf-16 "},
    CharsetNames{"UTF-16BE", "csutf16be utf-16be "},
    CharsetNames{"UTF-16LE", "csutf16le utf-16le "},
    CharsetNames{"UTF-8", "csutf8 utf-8 "},
    CharsetNames{"macintosh", "csmacintosh mac macintosh "},
    CharsetNames{"windows-1250", "cswindows1250 windows-1250 "},
    CharsetNames{"windows-1251", "cswindows1251 windows-1251 "},
    CharsetNames{"windows-1252", "cswindows1252 windows-1252 "},
    CharsetNames{"windows-1253", "cswindows1253 windows-1253 "},
    CharsetNames{"windows-1254", "cswindows1254 windows-1254 "},
    CharsetNames{"windows-1255", "cswindows1255 windows-1255 "},
    CharsetNames{"windows-1256", "cswindows1256 windows-1256 "},
    CharsetNames{"windows-1257", "cswindows1257 windows-1257 "},
    CharsetNames{"windows-1258", "cswindows1258 windows-1258 "},
    CharsetNames{"windows-874", "cswindows874 windows-874 "},
};

std::string lowered(std::string_view name) {
  name = base::trim_start(name, base::is_space);
  while (name.ends_with(' ') || name.ends_with('\t') || name.ends_with('\n') ||
         name.ends_with('\r')) {
    name.remove_suffix(1);
  }
  return base::ascii_lower(name);
}

}  // namespace

std::optional<std::string_view> charset_name(std::string_view name) {
  const std::string wanted = lowered(name) + ' ';
  if (wanted.find(' ') + 1 != wanted.size() || wanted.size() == 1) return std::nullopt;
  for (const CharsetNames& names : kNames) {
    const std::size_t at = names.aliases.find(wanted);
    if (at == std::string_view::npos) continue;
    if (at == 0 || names.aliases[at - 1] == ' ') return names.canonical;
    if (names.aliases.find(' ' + wanted) != std::string_view::npos) return names.canonical;
  }
  return std::nullopt;
}

}  // namespace tofu::functions
