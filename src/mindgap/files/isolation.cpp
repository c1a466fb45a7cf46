#include "mindgap/files/isolation.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "mindgap/base/error.h"

namespace mindgap::files {
namespace {

// Ends this process with SIGPROF after so much processor time, or with SIGALRM should it wait instead.
void set_limit(double seconds) {
  const auto limit = [](double s) {
    itimerval timer{};
    timer.it_value.tv_sec = static_cast<time_t>(std::min(s, 1e6)) + 1;
    return timer;
  };
  const itimerval busy = limit(seconds), waiting = limit(60 + 20 * seconds);
  ::setitimer(ITIMER_PROF, &busy, nullptr);
  ::setitimer(ITIMER_REAL, &waiting, nullptr);
}

// The copy must end by itself and in silence, whatever happens in it.
void prepare_copy(double seconds) {
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGPROF, SIGALRM, SIGINT, SIGTERM}) {
    std::signal(signal, SIG_DFL);
  }
  sigset_t ours;
  ::sigemptyset(&ours);
  ::sigaddset(&ours, SIGPROF);
  ::sigaddset(&ours, SIGALRM);
  ::sigprocmask(SIG_UNBLOCK, &ours, nullptr);
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
  set_limit(seconds);
  const int nowhere = ::open("/dev/null", O_WRONLY);
  if (nowhere >= 0) {
    ::dup2(nowhere, STDOUT_FILENO);
    ::dup2(nowhere, STDERR_FILENO);
  }
}

}  // namespace

bool comes_through(const std::function<void(const GoesOn&)>& deed, double seconds) {
  const pid_t copy = ::fork();
  if (copy < 0) throw StoreError(fmt::format("cannot start a process: {}", std::strerror(errno)));
  if (copy == 0) {
    prepare_copy(seconds);
    try {
      deed(set_limit);
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
