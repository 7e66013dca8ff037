// "Did you mean": the known name that a misspelled one probably stands for.
//
// Used for commands, functions, attributes, block types. The rule is that of
// OpenTofu: the first name in the given order that fewer than three single
// character edits turn into, so the order of the names matters.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace tofu::base {

// A view of one of `names`, or empty if none is near enough. Linear in the
// length of the names, however long `given` is.
std::string_view nearest_name(std::string_view given, std::span<const std::string_view> names);
std::string_view nearest_name(std::string_view given, std::span<const std::string> names);
// The same as a sentence that follows another one: ` Did you mean "x"?`, or nothing.
std::string did_you_mean(std::string_view given, std::span<const std::string_view> names);

// Edits (insert, remove or replace one code point) between the two texts, or
// `limit` + 1 if there are more than `limit`.
std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t limit);

}  // namespace tofu::base
