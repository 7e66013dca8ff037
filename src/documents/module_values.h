// Resources grouped by module, nested as modules are.
//
// This is the `root_module` of JSON documents about plans and states. Only numbers
// of rows go in; what a row is and how it is written is the caller's affair.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "addrs/module.h"
#include "base/json_writer.h"

namespace tofu::documents {

class ModuleValues {
 public:
  // Adds row `row` to a module; rows are written in the order they are added.
  void add(const addrs::ModuleInstance& module, std::uint32_t row);

  // Writes one object; `on_row(row)` writes each resource.
  template <class OnRow>
  void write(base::JsonWriter& json, OnRow&& on_row) const {
    write(json, root_, on_row);
  }

 private:
  struct Node {
    std::string address;
    std::vector<std::uint32_t> rows;
    std::map<std::string, Node> children;  // by the text of their addresses
  };

  template <class OnRow>
  static void write(base::JsonWriter& json, const Node& node, OnRow& on_row) {
    json.begin_object();
    if (!node.rows.empty()) {
      json.key("resources");
      json.begin_array();
      for (const std::uint32_t row : node.rows) on_row(row);
      json.end_array();
    }
    if (!node.address.empty()) json.field("address", node.address);
    if (!node.children.empty()) {
      json.key("child_modules");
      json.begin_array();
      for (const auto& [address, child] : node.children) write(json, child, on_row);
      json.end_array();
    }
    json.end_object();
  }

  Node root_;
  Node* last_ = &root_;  // most rows follow one of the same module
  addrs::ModuleInstance last_module_;
};

inline void ModuleValues::add(const addrs::ModuleInstance& module, std::uint32_t row) {
  if (module != last_module_) {
    last_ = &root_;
    addrs::ModuleInstance at;
    for (const addrs::ModuleStep& step : module.steps) {
      at.steps.push_back(step);
      std::string address = at.to_string();
      Node& child = last_->children[address];
      child.address = std::move(address);
      last_ = &child;
    }
    last_module_ = module;
  }
  last_->rows.push_back(row);
}

}  // namespace tofu::documents
