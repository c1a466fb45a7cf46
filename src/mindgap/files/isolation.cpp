#include "mindgap/files/isolation.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "mindgap/base/error.h"

namespace mindgap::files {
namespace {

// The copy must end by itself and in silence, whatever happens in it.
void prepare_copy(int seconds) {
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGXCPU, SIGALRM, SIGINT, SIGTERM}) {
    std::signal(signal, SIG_DFL);
  }
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
  const rlimit time{static_cast<rlim_t>(seconds), static_cast<rlim_t>(seconds) + 1};
  ::setrlimit(RLIMIT_CPU, &time);
  ::alarm(static_cast<unsigned>(10 * seconds));  // should it wait for ever instead
  const int nowhere = ::open("/dev/null", O_WRONLY);
  if (nowhere >= 0) {
    ::dup2(nowhere, STDOUT_FILENO);
    ::dup2(nowhere, STDERR_FILENO);
  }
}

}  // namespace

bool comes_through(const std::function<void()>& deed, int seconds) {
  const pid_t copy = ::fork();
  if (copy < 0) throw StoreError(fmt::format("cannot start a process: {}", std::strerror(errno)));
  if (copy == 0) {
    prepare_copy(seconds);
    try {
      deed();
    } catch (...) {  // reported when it is thrown again in the process itself
    }
    ::_exit(0);
  }
  int status = 0;
  while (::waitpid(copy, &status, 0) < 0) {
    if (errno != EINTR) return true;  // somebody else reaps children: then nothing is known against the deed
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace mindgap::files
