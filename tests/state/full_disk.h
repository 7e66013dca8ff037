// A disk without space, for tests.
//
// While a FullDisk lives, no file of this process can grow, and writing answers with an error as
// it does where the disk is full.
#pragma once

#include <csignal>
#include <sys/resource.h>

namespace tofu::state {

class FullDisk {
 public:
  FullDisk() : action_(::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    rlimit none = before_;
    none.rlim_cur = 0;
    ::setrlimit(RLIMIT_FSIZE, &none);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;
  ~FullDisk() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    ::signal(SIGXFSZ, action_);
  }

 private:
  rlimit before_{};
  void (*action_)(int);
};

}  // namespace tofu::state
