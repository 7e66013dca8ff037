// The calls by which files are written, so that a test can end the program at any of them or
// make any of them fail.
//
// This program's own write(), fsync(), fdatasync() and rename() stand before those of the C
// library. Until something is armed they only pass calls on.
#pragma once

#include <cstdint>

namespace tofu::runs::crash_points {

// What happens when the calls have come so far, counted from arm().
enum class Then : std::uint8_t {
  Nothing,   // they are only counted
  Die,       // as with SIGKILL: this call is not made, and nothing comes after it
  FailOnce,  // this call fails: the disk is full
  FailOn     // and so does every one after it
};

void arm(Then then, int at);
void disarm();
// Calls since arm().
int passed();
// A further point at which the program can end, that is no call of the above.
void point();

}  // namespace tofu::runs::crash_points
