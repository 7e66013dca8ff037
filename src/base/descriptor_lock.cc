#include "base/descriptor_lock.h"

#include <cerrno>
#include <fcntl.h>

#include "base/descriptor.h"

namespace tofu::base {

Result<bool> try_lock_descriptor(int descriptor) {
  struct flock whole {};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  int result = -1;
  do {
    result = ::fcntl(descriptor, F_OFD_SETLK, &whole);
  } while (result != 0 && errno == EINTR);
  if (result == 0) return true;
  if (errno == EAGAIN || errno == EACCES) return false;
  return system_error(errno);
}

}  // namespace tofu::base
