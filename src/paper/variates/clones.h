#pragma once

#include <cstddef>  // with which the C library says who it is

/// In front of a function's definition: it is compiled for vectors of four doubles (AVX2), too, and that is
/// taken when the program is loaded where the processor has them. What it computes must not depend on which:
/// its file is compiled with -ffp-contract=off (or without floating point), and its loops have no sums across
/// elements. Nothing elsewhere: other compilers and processors, and sanitizers, whose runtime is not there
/// yet when the choice is made.
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define MINDGAP_CLONES __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define MINDGAP_CLONES
#endif
