#include "base/arena.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace tofu::base {
namespace {

TEST(Arena, KeepsEverythingItWasGivenInPlace) {
  Arena arena;
  std::vector<int*> numbers;
  for (int i = 0; i < 20'000; ++i) numbers.push_back(arena.make<int>(i));

  for (int i = 0; i < 20'000; ++i) ASSERT_EQ(*numbers[i], i);
}

TEST(Arena, AlignsWhatItPlaces) {
  Arena arena;
  arena.make<char>('x');

  const auto* aligned = arena.make<double>(1.5);

  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(aligned) % alignof(double), 0u);
}

TEST(Arena, TakesPiecesLargerThanAnyChunk) {
  Arena arena;
  const std::string large(5 << 20, 'a');

  EXPECT_EQ(arena.copy(std::string_view(large)), large);
}

TEST(Arena, MovingHandsOverThePieces) {
  Arena first;
  const std::string_view text = first.copy(std::string_view("kept"));

  const Arena second = std::move(first);

  EXPECT_EQ(text, "kept");
  EXPECT_GT(second.bytes_reserved(), 0u);
}

}  // namespace
}  // namespace tofu::base
