#include "net/netrc.h"

#include <algorithm>
#include <utility>

#include "base/ascii.h"

namespace tofu::net {

namespace {

constexpr std::string_view kBlanks = " \t\r\n";

// Words, in quotes if they have blanks in them, as libcurl reads them.
class Words {
 public:
  explicit Words(std::string_view text) : text_(text) {}

  std::optional<std::string> next() {
    while (true) {
      text_.remove_prefix(std::min(text_.find_first_not_of(kBlanks), text_.size()));
      if (text_.empty()) return std::nullopt;
      if (text_.front() != '#') break;
      text_.remove_prefix(std::min(text_.find('\n'), text_.size()));
    }
    if (text_.front() == '"') return quoted();
    const std::size_t end = std::min(text_.find_first_of(kBlanks), text_.size());
    std::string word(text_.substr(0, end));
    text_.remove_prefix(end);
    return word;
  }

  // A macro goes on to the next empty line.
  void skip_macro() {
    const std::size_t plain = text_.find("\n\n");
    const std::size_t dos = text_.find("\n\r\n");
    text_.remove_prefix(std::min({plain, dos, text_.size()}));
  }

 private:
  std::string quoted() {
    std::string word;
    text_.remove_prefix(1);
    while (!text_.empty() && text_.front() != '"') {
      if (text_.front() == '\\' && text_.size() > 1) text_.remove_prefix(1);
      word += text_.front();
      text_.remove_prefix(1);
    }
    if (!text_.empty()) text_.remove_prefix(1);
    return word;
  }

  std::string_view text_;
};

struct Entry {
  std::optional<std::string> host;  // absent: all others
  NetrcLogin login = {};
};

}  // namespace

std::optional<NetrcLogin> find_netrc_login(std::string_view text, const base::Url& url,
                                           NetrcDefault others) {
  std::optional<NetrcLogin> for_others;
  std::optional<Entry> entry;
  std::optional<NetrcLogin> found;
  const auto finish = [&] {
    if (!entry || (entry->login.user.empty() && entry->login.password.is_empty())) return;
    if (!entry->host && !for_others) for_others = entry->login;
    if (entry->host && !found && base::equal_ignoring_case(*entry->host, url.host)) {
      found = entry->login;
    }
  };
  Words words(text);
  while (const auto word = words.next()) {
    if (*word == "macdef") {
      words.skip_macro();
    } else if (*word == "machine" || *word == "default") {
      finish();
      entry.emplace();
      if (*word == "machine") entry->host = words.next().value_or("");
    } else if (*word == "login" || *word == "password" || *word == "account") {
      std::string value = words.next().value_or("");
      if (entry && *word == "login") entry->login.user = std::move(value);
      if (entry && *word == "password")
        entry->login.password = Secret(std::move(value), Origin(url));
    }
  }
  finish();
  return found || others == NetrcDefault::Ignored ? found : for_others;
}

}  // namespace tofu::net
