// One visitor made of several lambdas, for switching on closed sets of types.
//
// Used with std::visit and with the visit() functions of higher components. It holds nothing and
// decides nothing.
#pragma once

namespace tofu::base {

template <class... Fs>
struct Overloaded : Fs... {
  using Fs::operator()...;
};
template <class... Fs>
Overloaded(Fs...) -> Overloaded<Fs...>;

}  // namespace tofu::base
