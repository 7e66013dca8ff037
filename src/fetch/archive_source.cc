#include "fetch/archive_source.h"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

#include "archive/tree_hash.h"
#include "base/ascii.h"
#include "base/file.h"
#include "base/hashes.h"
#include "base/hex.h"

namespace tofu::fetch {

namespace {

constexpr std::uint64_t kMaxListLength = std::uint64_t{4} << 20;

struct Checksum {
  base::Hash algorithm;
  std::string hex;  // in lower case
};

// By the length of the hash, if it is not said.
std::optional<base::Hash> algorithm_for_length(std::size_t digits) {
  for (const base::Hash hash :
       {base::Hash::Md5, base::Hash::Sha1, base::Hash::Sha256, base::Hash::Sha512}) {
    if (base::digits_of(hash) == digits) return hash;
  }
  return std::nullopt;
}

std::optional<Checksum> make_checksum(std::optional<base::Hash> algorithm, std::string_view hex) {
  const bool sound = algorithm && hex.size() == base::digits_of(*algorithm) &&
                     std::ranges::all_of(hex, [](char c) { return base::hex_digit(c) >= 0; });
  if (!sound) return std::nullopt;
  return Checksum{*algorithm, base::ascii_lower(hex)};
}

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  while (true) {
    const std::size_t start = line.find_first_not_of(" \t\r");
    if (start == std::string_view::npos) return words;
    line.remove_prefix(start);
    const std::size_t end = std::min(line.find_first_of(" \t\r"), line.size());
    words.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
}

// One line of a list: "HASH  NAME" or "SHA256 (NAME) = HASH"; a line without a name
// counts for any file.
std::optional<Checksum> checksum_in_line(std::string_view line, std::string_view name) {
  const auto words = words_of(line);
  const auto is_it = [&](std::string_view listed) {
    if (listed.starts_with('*') || listed.starts_with('?')) listed.remove_prefix(1);
    const std::size_t slash = listed.rfind('/');
    return listed.substr(slash == std::string_view::npos ? 0 : slash + 1) == name;
  };
  if (words.empty()) return std::nullopt;
  if (words.size() == 4) {
    const std::string_view listed = words[1];
    if (listed.size() <= 2 || !listed.starts_with('(') || !listed.ends_with(')')) {
      return std::nullopt;
    }
    if (!is_it(listed.substr(1, listed.size() - 2))) return std::nullopt;
    return make_checksum(base::hash_of_name(words[0]), words[3]);
  }
  if (words.size() == 2 && !is_it(words[1])) return std::nullopt;
  return make_checksum(algorithm_for_length(words[0].size()), words[0]);
}

base::Result<std::string> read_list(const Fetching& fetching, const FetchRequest& request,
                                    const std::string& address) {
  auto url = parse_package_url(address);
  if (!url) return base::Error{"the list of checksums has no address"};
  if (url->scheme == "file") {
    if (request.untrusted) {
      return base::Error{"a remote package must not refer to local files of this machine"};
    }
    return base::read_file(url->decoded_path(), kMaxListLength);
  }
  auto reply = fetching.web.ask({.url = url->to_string(), .limit = kMaxListLength});
  if (!reply) return reply.error();
  if (reply->status != 200) {
    return base::Error{
        fmt::format("the request for the checksum file failed with status {}", reply->status)};
  }
  return std::move(reply->body);
}

base::Result<Checksum> find_checksum(const Fetching& fetching, const FetchRequest& request,
                                     const std::string& text, const base::Url& url) {
  const std::size_t colon = text.find(':');
  std::optional<Checksum> found;
  if (colon == std::string::npos) {
    found = make_checksum(algorithm_for_length(text.size()), text);
  } else if (text.starts_with("file:")) {
    const auto list = read_list(fetching, request, text.substr(colon + 1));
    if (!list) return list.error();
    const std::string path = url.decoded_path();
    const std::string name =
        path.substr(path.rfind('/') == std::string::npos ? 0 : path.rfind('/') + 1);
    for (std::string_view rest = *list; !rest.empty() && !found;) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      found = checksum_in_line(rest.substr(0, end), name);
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    if (!found) return base::Error{fmt::format("the list of checksums has none for \"{}\"", name)};
  } else {
    found = make_checksum(base::hash_of_name(text.substr(0, colon)), text.substr(colon + 1));
  }
  if (!found) {
    return base::Error{"the argument checksum is not an md5, sha1, sha256 or sha512 hash"};
  }
  return *found;
}

}  // namespace

base::Result<ArchiveSource> take_archive_source(base::Url& url) {
  ArchiveSource source;
  source.checksum = take_argument(url, "checksum");
  const std::string word = take_argument(url, "archive");
  constexpr std::string_view kNo[] = {"0", "f", "F", "false", "False", "FALSE"};
  if (std::ranges::find(kNo, word) != std::end(kNo)) return source;
  source.kind = word.empty() ? archive::archive_kind_of_file(url.decoded_path())
                             : archive::archive_kind_of_word(word);
  if (!word.empty() && !source.kind) {
    return base::Error{fmt::format(
        "\"{}\" is not a supported archive type; use zip, tar, tar.gz, tar.bz2 or tar.xz", word)};
  }
  return source;
}

base::Result<FetchedPackage> unpack_fetched(const Fetching& fetching, const FetchRequest& request,
                                            const ArchiveSource& source, const base::Url& url,
                                            const std::string& file) {
  if (!source.checksum.empty()) {
    const auto checksum = find_checksum(fetching, request, source.checksum, url);
    if (!checksum) return checksum.error();
    const auto hash = base::hex_digest_of_file(checksum->algorithm, file);
    if (!hash) return hash.error();
    if (*hash != checksum->hex) {
      return base::Error{fmt::format("the archive has the {} checksum {}, but {} was asked for",
                                     base::name_of(checksum->algorithm), *hash, checksum->hex)};
    }
  }
  auto hash = archive::hash_archive(file);
  if (!hash) return hash.error();
  auto unpacked =
      archive::unpack_archive(file, *source.kind, request.into, fetching.limits, fetching.stop);
  if (!unpacked) return unpacked.error();
  return FetchedPackage{.archive_hash = std::move(*hash)};
}

}  // namespace tofu::fetch
