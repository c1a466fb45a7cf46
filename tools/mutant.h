// What tools/mutate puts into the sources it changes: every change is compiled in and the environment
// variable MINDGAP_MUTANT=k switches on change k (none without it). MINDGAP_REACHED=file notes in byte k of
// that file whether change k was reached. Only tools/mutate includes this, in its copy of the sources.
//
//   a + b      ->  a + mutant::Plus<k>{} + b       which groups as `a - b` would;
//                                                  likewise - * / < <= > >= == !=
//   a += b     ->  a + mutant::Add<k>{} += b       likewise *=
//   a && b     ->  mutant::both<k>([&] { a }, [&] { b })
//                                                  so that b is evaluated only where it would be; likewise ||
//   std::max(  ->  mutant::max<k>(                 likewise std::min
//   0          ->  mutant::constant<k>(0, 1)
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <initializer_list>
#include <type_traits>
#include <utility>

namespace mutant {

inline constexpr int kMost = 1 << 16;

inline int number_from_environment() {
  const char* text = std::getenv("MINDGAP_MUTANT");
  return text == nullptr ? 0 : std::atoi(text);
}

// Shared with the file, so that nothing is lost where a test ends its process or starts others.
inline char* notes_from_environment() {
  const char* path = std::getenv("MINDGAP_REACHED");
  if (path == nullptr) return nullptr;
  const int file = ::open(path, O_RDWR | O_CREAT, 0600);
  if (file < 0 || ::ftruncate(file, kMost) != 0) std::abort();
  void* notes = ::mmap(nullptr, kMost, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  ::close(file);
  if (notes == MAP_FAILED) std::abort();
  return static_cast<char*>(notes);
}

inline const int active = number_from_environment();
inline char* const notes = notes_from_environment();

template <int k>
[[gnu::always_inline]] constexpr bool on() {
  static_assert(0 < k && k < kMost);
  if (notes != nullptr) notes[k] = 1;
  return active == k;
}

// One of two results. Where their types differ (Eigen's expressions), both as the plain value that they stand
// for.
template <int k, class Original, class Changed>
[[gnu::always_inline]] constexpr decltype(auto) choose(Original&& original, Changed&& changed) {
  using A = decltype(original());
  using B = decltype(changed());
  if constexpr (std::is_same_v<A, B>) {
    return on<k>() ? changed() : original();
  } else {
    using Plain = typename std::remove_cvref_t<A>::PlainObject;
    return on<k>() ? Plain(changed()) : Plain(original());
  }
}

// The left operand on its way to the right one, which keeps what kind of reference it was.
template <class Kind, class A>
struct Left {
  A&& a;
};

#define MUTANT_OPERATOR(Name, old, new)                                                                   \
  template <int k>                                                                                        \
  struct Name {};                                                                                         \
  template <class A, int k>                                                                               \
  [[gnu::always_inline]] constexpr Left<Name<k>, A> operator old(A&& a, Name<k>) {                        \
    return {std::forward<A>(a)};                                                                          \
  }                                                                                                       \
  template <class A, class B, int k>                                                                      \
  [[gnu::always_inline]] constexpr decltype(auto) operator old(Left<Name<k>, A> left, B&& b) {            \
    static_assert(                                                                                        \
        requires { std::forward<A>(left.a) new std::forward<B>(b); }, "the change does not compile");     \
    return choose<k>([&]() -> decltype(auto) { return std::forward<A>(left.a) old std::forward<B>(b); },  \
                     [&]() -> decltype(auto) { return std::forward<A>(left.a) new std::forward<B>(b); }); \
  }
MUTANT_OPERATOR(Plus, +, -)
MUTANT_OPERATOR(Minus, -, +)
MUTANT_OPERATOR(Times, *, /)
MUTANT_OPERATOR(Over, /, *)
MUTANT_OPERATOR(Less, <, <=)
MUTANT_OPERATOR(AtMost, <=, <)
MUTANT_OPERATOR(More, >, >=)
MUTANT_OPERATOR(AtLeast, >=, >)
MUTANT_OPERATOR(Equal, ==, !=)
MUTANT_OPERATOR(Differs, !=, ==)
#undef MUTANT_OPERATOR

#define MUTANT_ASSIGNMENT(Name, old, new)                                                                 \
  template <int k>                                                                                        \
  struct Name {};                                                                                         \
  template <class A, int k>                                                                               \
  [[gnu::always_inline]] constexpr Left<Name<k>, A> operator+(A&& a, Name<k>) {                           \
    return {std::forward<A>(a)};                                                                          \
  }                                                                                                       \
  template <class A, class B, int k>                                                                      \
  [[gnu::always_inline]] constexpr decltype(auto) operator old(Left<Name<k>, A> left, B&& b) {            \
    static_assert(                                                                                        \
        requires { std::forward<A>(left.a) new std::forward<B>(b); }, "the change does not compile");     \
    return choose<k>([&]() -> decltype(auto) { return std::forward<A>(left.a) old std::forward<B>(b); },  \
                     [&]() -> decltype(auto) { return std::forward<A>(left.a) new std::forward<B>(b); }); \
  }
MUTANT_ASSIGNMENT(Add, +=, -=)
MUTANT_ASSIGNMENT(Scale, *=, /=)
#undef MUTANT_ASSIGNMENT

template <int k, class A, class B>
[[gnu::always_inline]] constexpr bool both(A&& a, B&& b) {
  return on<k>() ? a() || b() : a() && b();
}

template <int k, class A, class B>
[[gnu::always_inline]] constexpr bool either(A&& a, B&& b) {
  return on<k>() ? a() && b() : a() || b();
}

template <int k, class T, class... Order>
constexpr T max(const T& a, const T& b, Order... order) {
  return on<k>() ? std::min(a, b, order...) : std::max(a, b, order...);
}

template <int k, class T, class... Order>
constexpr T max(std::initializer_list<T> all, Order... order) {
  return on<k>() ? std::min(all, order...) : std::max(all, order...);
}

template <int k, class T, class... Order>
constexpr T min(const T& a, const T& b, Order... order) {
  return on<k>() ? std::max(a, b, order...) : std::min(a, b, order...);
}

template <int k, class T, class... Order>
constexpr T min(std::initializer_list<T> all, Order... order) {
  return on<k>() ? std::max(all, order...) : std::min(all, order...);
}

template <int k, class T>
[[gnu::always_inline]] constexpr T constant(T original, T changed) {
  return on<k>() ? changed : original;
}

}  // namespace mutant
