// Functions shared by the key providers of clouds and of OpenBao: a service reached over HTTP, with
// JSON in both directions.
//
// Answers hold keys: they are wiped, and no message has anything of a successful one. Of a
// refusal, the service's own words are shown.
#pragma once

#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/result.h"
#include "encryption/key.h"
#include "encryption/key_provider.h"
#include "identity/cloud.h"
#include "net/web.h"
#include "value/value.h"

namespace tofu::encryption {

struct KeyProviderContext;

// The environment with settings of the configuration in place of variables, since
// credentials are found by these. It lends out texts, so it stays where it was made.
class Overlay {
 public:
  using Values = std::map<std::string, std::string, std::less<>>;

  // Settings that are not in `values` come from the environment.
  Overlay(const net::EnvironmentVariable& below, Values values);
  Overlay(const Overlay&) = delete;
  Overlay& operator=(const Overlay&) = delete;

  const net::EnvironmentVariable& variables() const { return variables_; }

 private:
  const Values values_;
  const net::EnvironmentVariable variables_;
};

// Adds a setting, if it is given.
void set_variable(Overlay::Values& values, std::string name, std::string setting);

// One service with its own connection and its own view of the environment.
class KeyService {
 public:
  KeyService(const KeyProviderContext& context, net::WebOptions web, Overlay::Values values);

  identity::Cloud cloud() { return {web_, overlay_.variables(), stop_}; }
  std::string_view variable(std::string_view name) const { return overlay_.variables()(name); }

  // The body of a good answer. `what` names the service in errors.
  base::Result<std::string> ask(const net::WebRequest& request, std::string_view what);

 private:
  std::stop_token stop_;
  const Overlay overlay_;
  net::Web web_;
};

// A member of an answer, found by its path, in base64 or, as Azure has it, in base64url.
base::Result<std::string> answer_bytes(std::string_view body,
                                       std::initializer_list<std::string_view> path);
base::Result<Key> answer_key(std::string_view body, std::initializer_list<std::string_view> path);

// Metadata of one member that is bytes: {"ciphertext":"…"}.
std::string bytes_metadata(std::string_view member, std::string_view bytes);
// Empty if it is not there.
base::Result<std::string> read_bytes_metadata(std::string_view metadata, std::string_view member);
// A member that is not bytes; null if it is not there, or if the metadata is not an object.
value::Value read_metadata_member(std::string_view metadata, std::string_view member);

}  // namespace tofu::encryption
