// The compiled part of {fmt}, from its installed headers.
//
// The package brings the library as a shared object only. These are the
// instantiations that its headers declare `extern`, so that our programs need
// not load that object when they start.
#include <fmt/format-inl.h>

FMT_BEGIN_NAMESPACE
namespace detail {

template FMT_API auto dragonbox::to_decimal(float x) noexcept -> dragonbox::decimal_fp<float>;
template FMT_API auto dragonbox::to_decimal(double x) noexcept -> dragonbox::decimal_fp<double>;

template FMT_API locale_ref::locale_ref(const std::locale& loc);
template FMT_API auto locale_ref::get<std::locale>() const -> std::locale;

template FMT_API auto thousands_sep_impl(locale_ref) -> thousands_sep_result<char>;
template FMT_API auto decimal_point_impl(locale_ref) -> char;

template FMT_API void buffer<char>::append(const char*, const char*);
#if FMT_VERSION >= 100000  // Debian 13
template FMT_API void vformat_to(buffer<char>&, string_view, typename vformat_args<>::type,
                                 locale_ref);
#else
template FMT_API void vformat_to(buffer<char>&, string_view,
                                 basic_format_args<FMT_BUFFER_CONTEXT(char)>, locale_ref);
#endif

}  // namespace detail
FMT_END_NAMESPACE
