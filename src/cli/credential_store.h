// Where `login` keeps tokens and `logout` removes them: credentials.tfrc.json in the
// directory of the CLI configuration, or the credentials helper if there is one.
//
// Tokens of other files and of the environment are not touched: a person has put them
// there.
#pragma once

#include <cstdint>
#include <string>

#include "base/hostname.h"
#include "base/result.h"
#include "cli/settings.h"

namespace tofu::cli {

class CredentialStore {
 public:
  explicit CredentialStore(const Settings& settings);

  enum class Place : std::uint8_t {
    Nowhere,
    File,
    Helper,
    Elsewhere,  // another file, or the environment
  };
  // Where the token of a host is, or would be asked for.
  Place place_of(const base::Hostname& host) const;
  const std::string& file() const { return file_; }

  base::Result<void> store(const base::Hostname& host, const std::string& token);
  base::Result<void> forget(const base::Hostname& host);

 private:
  // Without a token, the host's is removed.
  base::Result<void> rewrite(const base::Hostname& host, const std::string* token) const;
  base::Result<void> run_helper(std::string_view verb, const base::Hostname& host,
                                std::string input) const;
  bool has_in_file(const base::Hostname& host) const;

  const Settings& settings_;
  std::string file_;
};

}  // namespace tofu::cli
