#include "plans/plan_codec.h"

#include <span>
#include <string>
#include <utility>

#include "addrs/parse.h"
#include "addrs/parse_checkable.h"
#include "addrs/provider_config.h"
#include "addrs/text.h"
#include "base/memory.h"
#include "plans/order_codec.h"
#include "value/pack.h"

namespace tofu::plans {

namespace {

using value::PackReader;
using value::PackWriter;
using value::Value;

// Plans of version 1 have no order, and those of version 2 no deferrals and no
// counts of reads.
constexpr std::uint64_t kVersion = 3;
constexpr std::size_t kReleaseSize = std::size_t{4} << 20;  // at a time
constexpr std::size_t kReasonCount =
    static_cast<std::size_t>(ActionReason::ForgotBecauseLifecycleDestroyInState) + 1;

class Encoder {
 public:
  explicit Encoder(const Plan& plan, PackWriter::Sink sink = {})
      : plan_(plan), pack_(std::move(sink)) {}

  std::string encode() {
    pack_.number(kVersion);
    write_addresses();
    write_list(plan_.changes, [&](const ResourceChange& change) { write_change(change); });
    write_list(plan_.drift, [&](const ResourceChange& change) { write_change(change); });
    write_list(plan_.outputs, [&](const OutputChange& output) { write_output(output); });
    write_list(plan_.relevant, [&](const RelevantAttribute& relevant) {
      pack_.array(2);
      pack_.text(relevant.resource.to_string());
      pack_.path(relevant.attribute);
    });
    write_list(plan_.checks, [&](const CheckedObject& object) { write_check(object); });
    write_list(plan_.variables, [&](const VariableValue& variable) {
      pack_.array(2);
      pack_.text(variable.name);
      pack_.value(variable.value);
    });
    pack_.number(static_cast<std::uint64_t>(plan_.mode));
    const auto write_target = [&](const addrs::Target& target) {
      pack_.text(addrs::to_string(target));
    };
    write_list(plan_.targets, write_target);
    write_list(plan_.excludes, write_target);
    write_list(plan_.replace,
               [&](const addrs::AbsResourceInstance& address) { pack_.text(address.to_string()); });
    pack_.text(plan_.timestamp);
    pack_.flag(plan_.errored);
    pack_.flag(plan_.complete);
    pack_.flag(plan_.applyable);
    if (plan_.order) {
      write_order(plan_.rows, *plan_.order, pack_);
    } else {
      pack_.nothing();
    }
    write_list(plan_.deferrals, [&](const Deferral& deferral) {
      pack_.array(2);
      pack_.text(deferral.resource.to_string());
      pack_.number(static_cast<std::uint64_t>(deferral.reason));
    });
    if (plan_.reads) {
      pack_.array(2);
      pack_.number(plan_.reads->read);
      pack_.number(plan_.reads->not_read);
    } else {
      pack_.nothing();
    }
    return pack_.finish();
  }

 private:
  template <class Items, class Write>
  void write_list(const Items& items, Write&& write) {
    pack_.array(items.size());
    for (const auto& item : items) write(item);
  }

  void write_addresses() {
    const Addresses& addresses = plan_.addresses;
    pack_.array(addresses.module_count());
    for (std::uint32_t i = 0; i < addresses.module_count(); ++i) {
      pack_.text(addresses[ModuleId{i}].to_string());
    }
    pack_.array(addresses.resource_count());
    const addrs::Provider* provider = nullptr;  // mostly that of the resource before
    std::string source;
    for (std::uint32_t i = 0; i < addresses.resource_count(); ++i) {
      const ResourceRow& row = addresses[ResourceId{i}];
      if (provider == nullptr || *provider != row.provider) {
        provider = &row.provider;
        source = provider->to_string();
      }
      pack_.array(5);
      pack_.number(row.module.index);
      pack_.number(static_cast<std::uint64_t>(row.resource.mode));
      pack_.text(row.resource.type);
      pack_.text(row.resource.name);
      pack_.text(source);
    }
    pack_.array(addresses.provider_count());
    for (std::uint32_t i = 0; i < addresses.provider_count(); ++i) {
      pack_.text(addresses[ProviderId{i}].to_string());
    }
  }

  void write_key(const addrs::InstanceKey& key) {
    if (const std::int64_t* number = key.number()) return pack_.integer(*number);
    if (const std::string* text = key.text()) return pack_.text(*text);
    pack_.nothing();
  }

  void write_change(const ResourceChange& change) {
    pack_.array(8);
    pack_.number(change.resource.index);
    pack_.number(change.provider.index);
    write_key(change.key);
    pack_.number(static_cast<std::uint64_t>(change.action));
    pack_.number(static_cast<std::uint64_t>(change.reason));
    pack_.value(change.before);
    // Most objects of a large plan stay as they are.
    if (value::raw_equal(change.before, change.after)) {
      pack_.nothing();
    } else {
      pack_.value(change.after);
    }
    if (change.details) {
      write_details(*change.details);
    } else {
      pack_.nothing();
    }
  }

  void write_details(const ChangeDetails& details) {
    pack_.array(9);
    pack_.text(details.previous ? details.previous->to_string() : "");
    pack_.text(details.deposed);
    write_list(details.replace_paths, [&](const value::Path& path) { pack_.path(path); });
    if (details.importing) {
      pack_.array(2);
      pack_.text(details.importing->id);
      pack_.value(details.importing->identity);
    } else {
      pack_.nothing();
    }
    pack_.text(details.generated_config);
    pack_.value(details.identity_before);
    pack_.value(details.identity_after);
    pack_.number(details.identity_version);
    pack_.bytes(details.private_data);
  }

  void write_output(const OutputChange& output) {
    pack_.array(5);
    pack_.text(output.name);
    pack_.number(static_cast<std::uint64_t>(output.action));
    pack_.flag(output.sensitive);
    pack_.value(output.before);
    pack_.value(output.after);
  }

  void write_check(const CheckedObject& object) {
    pack_.array(4);
    pack_.number(static_cast<std::uint64_t>(addrs::kind_of(object.address)));
    pack_.text(addrs::to_string(object.address));
    pack_.number(static_cast<std::uint64_t>(object.status));
    write_list(object.instances, [&](const CheckedInstance& instance) {
      pack_.array(3);
      pack_.text(addrs::to_string(instance.address));
      pack_.number(static_cast<std::uint64_t>(instance.status));
      write_list(instance.problems, [&](const std::string& text) { pack_.text(text); });
    });
  }

  const Plan& plan_;
  PackWriter pack_;
};

class Decoder {
 public:
  explicit Decoder(std::string bytes) : bytes_(std::move(bytes)), pack_(bytes_) {}

  std::optional<Plan> decode() {
    const std::uint64_t version = pack_.number();
    if (version < 1 || version > kVersion) pack_.fail();
    read_addresses();
    plan_.changes = read_list<ResourceChange>([&] { return read_change(); });
    plan_.drift = read_list<ResourceChange>([&] { return read_change(); });
    plan_.outputs = read_list<OutputChange>([&] { return read_output(); });
    plan_.relevant = read_list<RelevantAttribute>([&] {
      pack_.array_of(2);
      RelevantAttribute relevant;
      relevant.resource = read_address(addrs::parse_abs_resource_instance);
      relevant.attribute = pack_.path();
      return relevant;
    });
    plan_.checks = read_list<CheckedObject>([&] { return read_check(); });
    plan_.variables = read_list<VariableValue>([&] {
      pack_.array_of(2);
      VariableValue variable;
      variable.name = pack_.text();
      variable.value = pack_.value();
      return variable;
    });
    plan_.mode = static_cast<Mode>(pack_.below(3));
    const auto read_target = [&] { return read_address(addrs::parse_target); };
    plan_.targets = read_list<addrs::Target>(read_target);
    plan_.excludes = read_list<addrs::Target>(read_target);
    plan_.replace = read_list<addrs::AbsResourceInstance>(
        [&] { return read_address(addrs::parse_abs_resource_instance); });
    plan_.timestamp = pack_.text();
    plan_.errored = pack_.flag();
    plan_.complete = pack_.flag();
    plan_.applyable = pack_.flag();
    if (version > 1 && !pack_.nothing()) {
      plan_.order = read_order(plan_.changes.size(), plan_.rows, pack_);
    }
    if (version > 2) {
      plan_.deferrals = read_list<Deferral>([&] {
        pack_.array_of(2);
        Deferral deferral;
        deferral.resource = addrs::config_of(read_address(addrs::parse_abs_resource_instance));
        deferral.reason = static_cast<DeferralReason>(pack_.below(3));
        return deferral;
      });
    }
    if (version > 2 && !pack_.nothing()) {
      pack_.array_of(2);
      const std::size_t read = pack_.number();
      plan_.reads = ObjectReads{read, pack_.number()};
    }
    if (pack_.failed() || !pack_.at_end()) return std::nullopt;
    return std::move(plan_);
  }

 private:
  template <class Item, class Read>
  std::vector<Item> read_list(Read&& read) {
    std::vector<Item> items;
    const std::size_t count = pack_.array();
    for (std::size_t i = 0; i < count && !pack_.failed(); ++i) items.push_back(read());
    return items;
  }

  // An empty address after a failure.
  template <class Address>
  Address read_address(std::optional<Address> (*parse)(const syntax::Traversal&,
                                                       diag::Diagnostics&)) {
    const std::string text = pack_.text();
    if (pack_.failed()) return Address();
    diag::Diagnostics ignored;  // the file is wrong, whatever it is
    auto address = addrs::parse_text(text, parse, ignored);
    if (!address) pack_.fail();
    return address ? std::move(*address) : Address();
  }

  void read_addresses() {
    std::vector<ModuleId> modules;
    const std::size_t module_count = pack_.array();
    for (std::size_t i = 0; i < module_count && !pack_.failed(); ++i) {
      const std::string text = pack_.text();
      diag::Diagnostics ignored;
      auto module = text.empty() ? std::optional(addrs::ModuleInstance{})
                                 : addrs::parse_text(text, addrs::parse_module_instance, ignored);
      if (!module) return pack_.fail();
      modules.push_back(plan_.addresses.module(*module));
    }
    resources_ = read_list<ResourceId>([&] { return read_resource(modules); });
    providers_ = read_list<ProviderId>(
        [&] { return plan_.addresses.provider(read_address(addrs::parse_abs_provider_instance)); });
  }

  ResourceId read_resource(const std::vector<ModuleId>& modules) {
    pack_.array_of(5);
    const std::size_t module = pack_.below(modules.size());
    addrs::Resource resource;
    resource.mode = static_cast<addrs::ResourceMode>(pack_.below(3));
    resource.type = pack_.text();
    resource.name = pack_.text();
    std::string source = pack_.text();
    // Mostly the same as that of the resource before.
    if (!provider_ || source != provider_source_) {
      diag::Diagnostics ignored;
      provider_ = addrs::parse_provider_source(source, std::nullopt, ignored);
      provider_source_ = std::move(source);
    }
    if (!provider_) pack_.fail();
    if (pack_.failed()) return {};
    return plan_.addresses.resource(modules[module], resource, *provider_);
  }

  addrs::InstanceKey read_key() {
    if (pack_.nothing()) return {};
    if (pack_.next_is_text()) return addrs::InstanceKey(pack_.text());
    return addrs::InstanceKey(pack_.integer());
  }

  ResourceChange read_change() {
    ResourceChange change;
    pack_.array_of(8);
    const std::size_t resource = pack_.below(resources_.size());
    const std::size_t provider = pack_.below(providers_.size());
    if (pack_.failed()) return change;
    change.resource = resources_[resource];
    change.provider = providers_[provider];
    change.key = read_key();
    change.action = static_cast<Action>(pack_.below(kActionCount));
    change.reason = static_cast<ActionReason>(pack_.below(kReasonCount));
    change.before = pack_.value();
    change.after = pack_.nothing() ? change.before : pack_.value(change.before);
    if (!pack_.nothing()) {
      change.details = std::make_unique<const ChangeDetails>(read_details());
    }
    give_back_read();
    return change;
  }

  void give_back_read() {
    if (pack_.offset() - released_ < kReleaseSize) return;
    base::give_back(std::span(bytes_).subspan(released_, pack_.offset() - released_));
    released_ = pack_.offset();
  }

  ChangeDetails read_details() {
    ChangeDetails details;
    pack_.array_of(9);
    const std::string previous = pack_.text();
    if (!previous.empty()) {
      diag::Diagnostics ignored;
      details.previous = addrs::parse_text(previous, addrs::parse_abs_resource_instance, ignored);
      if (!details.previous) pack_.fail();
    }
    details.deposed = pack_.text();
    details.replace_paths = read_list<value::Path>([&] { return pack_.path(); });
    if (!pack_.nothing()) {
      pack_.array_of(2);
      Importing importing{pack_.text()};
      importing.identity = pack_.value();
      details.importing = std::move(importing);
    }
    details.generated_config = pack_.text();
    details.identity_before = pack_.value();
    details.identity_after = pack_.value();
    details.identity_version = pack_.number();
    details.private_data = pack_.bytes();
    return details;
  }

  OutputChange read_output() {
    OutputChange output;
    pack_.array_of(5);
    output.name = pack_.text();
    output.action = static_cast<Action>(pack_.below(kActionCount));
    output.sensitive = pack_.flag();
    output.before = pack_.value();
    output.after = pack_.value();
    return output;
  }

  CheckedObject read_check() {
    CheckedObject object;
    diag::Diagnostics ignored;
    pack_.array_of(4);
    const auto kind = static_cast<addrs::CheckableKind>(pack_.below(4));
    auto address = addrs::parse_config_checkable(kind, pack_.text(), ignored);
    if (!address) pack_.fail();
    object.status = static_cast<CheckStatus>(pack_.below(4));
    if (pack_.failed()) return object;
    object.address = std::move(*address);
    object.instances = read_list<CheckedInstance>([&] {
      CheckedInstance instance;
      pack_.array_of(3);
      auto where = addrs::parse_checkable(kind, pack_.text(), ignored);
      if (where) {
        instance.address = std::move(*where);
      } else {
        pack_.fail();
      }
      instance.status = static_cast<CheckStatus>(pack_.below(4));
      instance.problems = read_list<std::string>([&] { return pack_.text(); });
      return instance;
    });
    return object;
  }

  std::string bytes_;
  PackReader pack_;
  std::size_t released_ = 0;  // of bytes_
  Plan plan_;
  // By their number in the file.
  std::vector<ResourceId> resources_;
  std::vector<ProviderId> providers_;
  std::string provider_source_;  // of the resource that was read last
  std::optional<addrs::Provider> provider_;
};

}  // namespace

std::string encode_plan(const Plan& plan) { return Encoder(plan).encode(); }

void encode_plan(const Plan& plan, const std::function<void(std::string_view piece)>& sink) {
  Encoder(plan, sink).encode();
}

diag::Checked<Plan> decode_plan(std::string bytes, diag::Diagnostics& diags) {
  auto plan = Decoder(std::move(bytes)).decode();
  if (!plan) {
    diags.error("Plan cannot be read")
        .detail("The plan is damaged, or of another version of this program.");
  }
  return plan;
}

}  // namespace tofu::plans
