#pragma once

// Also for C compilers, which have neither <cstdint> nor `using`, and to whom () is not (void).
// NOLINTBEGIN(modernize-deprecated-headers,modernize-use-using,modernize-redundant-void-arg)
#include <stdint.h>

// The plain C interface between the library and an engine that solves one model on several processes
// ("ranks") of MPI, such as libmindgap_mpi.so. Each rank has some of the states, one behind the other, with
// their pairs and rows. All functions but message(), destroy() and give_up() are collective: every rank calls
// them, in the same order. They return 0, or a nonzero number with a reason in message().
#ifdef __cplusplus
extern "C" {
#endif

#define MINDGAP_RANKS_ABI 2

typedef struct MindgapDistributed MindgapDistributed;

/// What one rank has. The arrays must stay where they are until destroy().
typedef struct MindgapPart {
  int32_t states;       // of the whole model
  int32_t first_state;  // of this rank
  int32_t own_states;
  const int32_t* pair_begin;  // own_states + 1, from 0
  const int64_t* row_begin;   // own pairs + 1, from 0
  const int32_t* next_state;  // numbers in the whole model
  const double* probability;
  const double* reward;  // own pairs
} MindgapPart;

typedef struct MindgapRanks {
  int32_t abi;  // MINDGAP_RANKS_ABI
  int32_t rank, ranks;
  const char* (*message)(void);

  int (*create)(const MindgapPart* part, double discount, MindgapDistributed** model);
  void (*destroy)(MindgapDistributed* model);

  /// The value V of the own states.
  int (*set_value)(MindgapDistributed* model, const double* own);
  /// One Bellman sweep TV, which finds the best pairs. Of all ranks: the smallest and the largest of TV - V,
  /// the largest |V| or |TV|, and how many states have another pair than in the sweep before.
  int (*improve)(MindgapDistributed* model, double* residual_min, double* residual_max, double* magnitude,
                 int64_t* changed);
  /// V becomes the value of the best pairs by GMRES: V + (I - gP)^-1 (TV - V), to a residual of `tolerance`
  /// times that of the start (2-norm, constants aside) or `most` products with P.
  int (*evaluate)(MindgapDistributed* model, double tolerance, int32_t most, int64_t* products);
  /// TV and the best pairs (numbers of own pairs) of the last sweep, per own state.
  int (*read)(MindgapDistributed* model, double* value, int32_t* pair);

  /// In place, over all ranks.
  int (*sum)(double* values, int32_t count);
  int (*maximum)(double* values, int32_t count);
  /// The `count` numbers of each rank, one rank behind the other, on rank 0 (`all` is not used elsewhere).
  int (*gather)(const int32_t* own, int32_t count, int32_t* all);
  /// Whether this rank failed goes in, the lowest rank that failed comes out, or `ranks` where none did. A
  /// rank that failed may call it at any time: if the others do not come within seconds, because they wait
  /// for it elsewhere, it hears its own number, and close() will end them.
  int32_t (*agree)(int32_t failed);
  /// This rank will not go on, and has said why: close() will end the others.
  void (*give_up)(void);
  /// Leaves MPI, when the process ends; nothing else may be called afterwards.
  void (*close)(void);
} MindgapRanks;

/// What a shared library with such an engine exports: enters MPI; null with a reason in `why` where it
/// cannot.
typedef const MindgapRanks* (*MindgapOpenRanks)(const char** why);
#define MINDGAP_OPEN_RANKS "mindgap_open_ranks"

#ifdef __cplusplus
}
#endif
// NOLINTEND(modernize-deprecated-headers,modernize-use-using,modernize-redundant-void-arg)
