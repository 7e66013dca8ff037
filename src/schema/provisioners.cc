#include "schema/provisioners.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <utility>

#include "value/operations.h"

namespace tofu::schema {

namespace {

using value::Type;
using value::Value;

Attribute argument(std::string name, Type type, bool required = false) {
  Attribute out;
  out.name = std::move(name);
  out.type = type;
  out.required = required;
  out.optional = !required;
  return out;
}

Block block_of(std::vector<Attribute> attributes) {
  std::ranges::sort(attributes, {}, &Attribute::name);
  Block block;
  block.attributes = std::move(attributes);
  block.ephemeral = true;  // runs once and is kept nowhere
  return block;
}

Block local_exec() {
  return block_of(
      {argument("command", Type::string(), true),
       argument("interpreter", Type::list(Type::string())), argument("working_dir", Type::string()),
       argument("environment", Type::map(Type::string())), argument("quiet", Type::boolean())});
}

Block remote_exec() {
  return block_of({argument("inline", Type::list(Type::string())),
                   argument("script", Type::string()),
                   argument("scripts", Type::list(Type::string()))});
}

Block file() {
  return block_of({argument("source", Type::string()), argument("content", Type::string()),
                   argument("destination", Type::string(), true)});
}

Block connection() {
  std::vector<Attribute> all = {argument("host", Type::string(), true)};
  for (const char* name : {"type",
                           "user",
                           "password",
                           "timeout",
                           "script_path",
                           "target_platform",
                           "private_key",
                           "certificate",
                           "host_key",
                           "agent_identity",
                           "proxy_scheme",
                           "proxy_host",
                           "proxy_user_name",
                           "proxy_user_password",
                           "bastion_host",
                           "bastion_host_key",
                           "bastion_user",
                           "bastion_password",
                           "bastion_private_key",
                           "bastion_certificate",
                           "cacert"}) {
    all.push_back(argument(name, Type::string()));
  }
  for (const char* name : {"port", "proxy_port", "bastion_port"}) {
    all.push_back(argument(name, Type::number()));
  }
  for (const char* name : {"agent", "https", "insecure", "use_ntlm"}) {
    all.push_back(argument(name, Type::boolean()));
  }
  return block_of(std::move(all));
}

// An argument; unknown in an unknown block.
Value argument_of(const Value& config, std::string_view name) {
  return value::get_attribute(config, name);
}

bool is_set(const Value& config, std::string_view name) {
  return !argument_of(config, name).is_null();
}

bool is_empty_text(const Value& v) {
  return v.is_null() || (v.is_known() && v.plain().as_string().empty());
}

void refuse(std::string_view type, std::string detail, diag::Diagnostics& diags) {
  diags.error(fmt::format("Invalid {} provisioner configuration", type)).detail(std::move(detail));
}

void check_file(const Value& config, diag::Diagnostics& diags) {
  if (is_empty_text(argument_of(config, "destination"))) {
    refuse("file", "The destination is empty. Set it to a path on the remote machine.", diags);
  }
  if (is_set(config, "source") == is_set(config, "content")) {
    refuse("file", "Set exactly one of \"source\" and \"content\".", diags);
  }
}

void check_remote_exec(const Value& config, diag::Diagnostics& diags) {
  const auto set = std::ranges::count_if(std::array{"inline", "script", "scripts"},
                                         [&](const char* name) { return is_set(config, name); });
  if (set == 1) return;
  refuse("remote-exec", "Set exactly one of \"inline\", \"script\" and \"scripts\".", diags);
}

}  // namespace

const Block* provisioner_schema(std::string_view type) {
  static const Block kFile = file();
  static const Block kLocalExec = local_exec();
  static const Block kRemoteExec = remote_exec();
  if (type == "file") return &kFile;
  if (type == "local-exec") return &kLocalExec;
  if (type == "remote-exec") return &kRemoteExec;
  return nullptr;
}

const Block& connection_schema() {
  static const Block kConnection = connection();
  return kConnection;
}

void check_provisioner(std::string_view type, const Value& config, diag::Diagnostics& diags) {
  if (type == "file") {
    check_file(config, diags);
  } else if (type == "remote-exec") {
    check_remote_exec(config, diags);
  } else if (type == "local-exec" && is_empty_text(argument_of(config, "command"))) {
    refuse(type, "The command is empty. Set it to a command line.", diags);
  }
}

}  // namespace tofu::schema
