// Version 4 of the state file, from compact text to a State.
//
// For read_state() only. Everything that can be found wrong is reported; objects
// share the text, which is checked but hardly copied.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "diag/diagnostic.h"
#include "state/json_fields.h"
#include "state/state.h"

namespace tofu::state {

class Version4Reader {
 public:
  // `text` came from append_compact_json.
  Version4Reader(std::shared_ptr<const std::string> text, diag::Diagnostics& diags)
      : buffer_(std::move(text)), fields_(*buffer_), diags_(diags) {}

  diag::Checked<State> read();

 private:
  // A resource's entry: what stands before its instances.
  struct Entry {
    std::string module, mode, type, name, provider;
    std::optional<std::size_t> instances;  // where the list begins
    std::string unknown;
    std::string for_people() const { return type + "." + name; }
  };
  // An instance's entry: what stands before its object's members.
  struct InstanceEntry {
    std::string_view key, dependencies;
    std::string status, deposed, provider, flat, unknown;
    ObjectMembers members;
    std::string_view source;  // the members in the file, from "schema_version" on
  };
  using SharedProvider = std::shared_ptr<const addrs::AbsProviderConfig>;
  struct KnownProvider {
    SharedProvider config;
    addrs::InstanceKey key;
  };

  void read_version(const std::string& version);
  void read_resource();
  void read_entry(Entry& entry);
  void add_resource(const Entry& entry);
  std::optional<addrs::AbsResource> address_of(const Entry& entry);
  const addrs::ModuleInstance* module(const std::string& text);
  // Null after an error. `whole`: not one instance of a configuration.
  const KnownProvider* provider(const std::string& text, bool whole, const std::string& where);

  void add_instances(const Entry& entry, Resource& resource);
  InstanceEntry read_instance();
  void read_flat(InstanceEntry& instance);
  std::optional<addrs::InstanceKey> instance_key(std::string_view json, const std::string& where);
  std::optional<Object> object(InstanceEntry& instance, const std::string& where);
  // Each answers the text that we would write for it, null after an error.
  const std::string* sensitive_text(std::string_view json, const std::string& where);
  const std::string* dependency_text(std::string_view json, const std::string& where);

  void read_outputs();
  void read_output(const std::string& name);
  void read_checks();
  void read_check();
  std::optional<std::string> check_address(CheckKind kind, const std::string& text, bool with_keys);

  void take(diag::Diagnostics&& found, const std::string& where);

  std::shared_ptr<const std::string> buffer_;  // shared with the objects
  JsonFields fields_;
  diag::Diagnostics& diags_;
  State state_;
  std::string scratch_;

  // A file repeats the same few addresses many times.
  std::unordered_map<std::string, std::optional<addrs::ModuleInstance>> modules_;
  std::map<std::pair<std::string, bool>, std::optional<KnownProvider>> providers_;
  std::unordered_map<std::string_view, std::optional<std::string>> sensitive_;
  std::unordered_map<std::string_view, std::optional<std::string>> dependencies_;
};

}  // namespace tofu::state
