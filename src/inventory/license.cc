#include "inventory/license.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/ascii.h"
#include "base/file.h"

namespace tofu::inventory {

namespace {

constexpr std::size_t kMaxText = std::size_t{1} << 20;

// Parts of a text that make it this license; the first that fits is taken.
struct Known {
  std::string_view id;
  std::string_view first;
  std::string_view second = {};
};

constexpr std::array kKnown = {
    Known{"Apache-2.0", "apache license", "version 2.0"},
    Known{"MPL-2.0", "mozilla public license", "2.0"},
    Known{"BUSL-1.1", "business source license 1.1"},
    Known{"AGPL-3.0-only", "gnu affero general public license", "version 3"},
    Known{"LGPL-3.0-only", "gnu lesser general public license", "version 3"},
    Known{"GPL-3.0-only", "gnu general public license", "version 3"},
    Known{"GPL-2.0-only", "gnu general public license", "version 2"},
    Known{"BSD-3-Clause", "redistribution and use in source and binary forms", "neither the name"},
    Known{"BSD-2-Clause", "redistribution and use in source and binary forms"},
    Known{"ISC", "permission to use, copy, modify, and/or distribute this software for any"},
    Known{"MIT", "permission is hereby granted, free of charge, to any person"},
    Known{"Unlicense", "this is free and unencumbered software released into the public domain"},
};

// In lower case, with single spaces: license texts are wrapped in many ways.
std::string normal(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool is_space = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (!is_space) {
      out += c;
    } else if (!out.empty() && out.back() != ' ') {
      out += ' ';
    }
  }
  return base::ascii_lower(out);
}

bool is_license_file(std::string_view name) {
  const std::string lower = base::ascii_lower(name);
  return std::ranges::any_of(
      std::array<std::string_view, 4>{"license", "licence", "copying", "unlicense"},
      [&](std::string_view start) {
        return lower.starts_with(start) &&
               (lower.size() == start.size() || lower[start.size()] == '.' ||
                lower[start.size()] == '-');
      });
}

}  // namespace

std::string license_id(std::string_view text) {
  constexpr std::string_view kTag = "SPDX-License-Identifier:";
  if (const std::size_t tag = text.find(kTag); tag != std::string_view::npos) {
    std::string_view rest = text.substr(tag + kTag.size());
    rest = rest.substr(0, rest.find('\n'));
    const std::size_t begin = rest.find_first_not_of(" \t");
    if (begin == std::string_view::npos) return {};
    rest = rest.substr(begin, rest.find_first_of(" \t\r", begin) - begin);
    const bool is_plain = std::ranges::all_of(rest, [](char c) {
      return base::is_ascii_alphanumeric(c) || c == '.' || c == '-' || c == '+';
    });
    return is_plain ? std::string(rest) : std::string();
  }
  const std::string words = normal(text);
  for (const Known& known : kKnown) {
    if (words.find(known.first) == std::string::npos) continue;
    if (words.find(known.second) != std::string::npos) return std::string(known.id);
  }
  return {};
}

std::optional<License> find_license(const std::string& directory) {
  const auto entries = base::list_directory(directory);
  if (!entries) return std::nullopt;
  std::string name;
  for (const base::DirectoryEntry& entry : *entries) {
    if (is_license_file(entry.name) && (name.empty() || entry.name < name)) name = entry.name;
  }
  if (name.empty()) return std::nullopt;
  License license{name};
  const std::string path = directory + "/" + name;
  const auto kind = base::file_kind(path);
  if (!kind || *kind != base::FileKind::Regular) return license;
  const auto text = base::read_file(path);
  if (text && text->size() <= kMaxText) license.id = license_id(*text);
  return license;
}

}  // namespace tofu::inventory
