// A configuration and a state in memory, for tests of what has to do with both.
//
// Objects of the state have the address that they were made at as their ID, so that a
// test sees where they came from.
#pragma once

#include <algorithm>
#include <gtest/gtest.h>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "addrs/parse.h"
#include "addrs/text.h"
#include "eval/program.h"
#include "state/state.h"
#include "tests/eval/in_memory.h"

namespace tofu::engine {

inline addrs::AbsResourceInstance instance(std::string_view text) {
  diag::Diagnostics diags;
  return *addrs::parse_text(text, addrs::parse_abs_resource_instance, diags);
}

class Configured : public eval::InMemory {
 protected:
  // Each object has the address that it is made at as its ID.
  static state::State state_with(std::initializer_list<std::string_view> addresses) {
    state::State state;
    for (const std::string_view address : addresses) put(state, address);
    return state;
  }
  static void put(state::State& state, std::string_view address) {
    std::string id(address);
    std::ranges::replace(id, '"', '\'');
    state.set_object(instance(address), "",
                     state::Object({.attributes = "{\"id\":\"" + id + "\"}"}),
                     {{{}, addrs::builtin_provider("terraform"), ""}, {}});
  }

  // The addresses of all instances, "now <- ID" for those of another ID.
  static std::vector<std::string> contents(const state::State& state) {
    std::vector<std::string> out;
    for (const state::Resource* resource : state.resources()) {
      resource->for_each([&](const state::Instance& each) {
        const std::string now = addrs::instance_of(resource->address(), each.key()).to_string();
        std::string id(each.current()->attributes());
        id = id.substr(7, id.size() - 9);
        std::ranges::replace(id, '\'', '"');
        out.push_back(id == now ? now : now + " <- " + id);
      });
    }
    std::ranges::sort(out);
    return out;
  }
};

}  // namespace tofu::engine
