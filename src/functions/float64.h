// Powers and logarithms with the very bits that OpenTofu gets.
//
// pow() and log() work on 64-bit floating point, and their results are shown
// with all their digits, so the last bit matters. The C library rounds those
// bits differently from Go's, which OpenTofu is compiled with; these two follow
// Go's way of computing on 64-bit x86 with fused multiplication.
#pragma once

namespace tofu::functions {

double go_log(double x);
double go_pow(double x, double y);

}  // namespace tofu::functions
