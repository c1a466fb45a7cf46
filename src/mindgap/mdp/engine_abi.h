#pragma once

// Also for C compilers, which have neither <cstdint> nor `using`, and to whom () is not (void).
// NOLINTBEGIN(modernize-deprecated-headers,modernize-use-using,modernize-redundant-void-arg)
#include <stdint.h>

// The plain C interface between the library and an engine that computes on many models side by side, such as
// libmindgap_cuda.so. The models of a batch share their transitions (which pairs there are and where they may
// lead) and differ in probabilities and rewards. A batch also holds, for every state of every model: a value,
// the action that is best by it, visits, and whether the state counts as outside.
//
// Arrays of one number per model have as many entries as the batch has models. `price` is subtracted from the
// rewards of every pair of a state outside, in each model its own. `active` says which models are wanted (0
// or 1 each; null: all): of others nothing is written, neither here nor in the arrays that are given.
// Functions return 0, or a nonzero number with a reason in message().
#ifdef __cplusplus
extern "C" {
#endif

#define MINDGAP_ENGINE_ABI 1

typedef struct MindgapBatch MindgapBatch;

/// As in mdp::Mdp.
typedef struct MindgapShape {
  int32_t states;
  int32_t pairs;
  int64_t nonzeros;
  const int32_t* pair_begin;  // states + 1
  const int64_t* row_begin;   // pairs + 1
  const int32_t* next_state;  // nonzeros
} MindgapShape;

/// Models whose mean rewards are Gaussian and whose rows are Dirichlet, all of them independent.
typedef struct MindgapLaw {
  const double* reward_mean;  // pairs
  const double* reward_sd;    // pairs
  const double* alpha;        // nonzeros, positive
  uint64_t seed;
  uint64_t purpose;  // of the random streams
} MindgapLaw;

typedef struct MindgapEngine {
  int32_t abi;         // MINDGAP_ENGINE_ABI
  const char* device;  // its name
  const char* (*message)(void);

  /// How many models of this shape fit into memory, or a negative number.
  int64_t (*capacity)(const MindgapShape* shape);
  int (*create)(const MindgapShape* shape, int32_t models, MindgapBatch** batch);
  void (*destroy)(MindgapBatch* batch);

  /// One model's numbers in and out.
  int (*load)(MindgapBatch* batch, int32_t model, const double* reward, const double* probability);
  int (*read)(MindgapBatch* batch, int32_t model, double* reward, double* probability);
  /// Model i becomes the draw first + i.
  int (*draw)(MindgapBatch* batch, const MindgapLaw* law, uint64_t first);
  /// Of each model: the smallest and the largest sum of a row, and the largest |reward|.
  int (*ranges)(MindgapBatch* batch, double* row_sum_min, double* row_sum_max, double* reward_magnitude);

  /// Visits become sum over t < steps of (discount^t) weights' P^t, where `pair_of_state` is taken in every
  /// model, or the best actions where it is null. Gives their sum, and the rewards they meet.
  int (*follow)(MindgapBatch* batch, const int32_t* pair_of_state, const double* weights, double discount,
                int64_t steps, double* total, double* reward);
  /// A state of a model is outside where its visits are below threshold times their sum there. Gives the
  /// visits of such states.
  int (*mark_outside)(MindgapBatch* batch, double threshold, double* outside);
  /// Sum over all models of factor times the visits, per state; factor has one number per model.
  int (*sum_visits)(MindgapBatch* batch, const double* factor, double* visits);

  /// Backward induction from 0 over `steps` steps with rewards less the price. Gives, at the first step and
  /// weighted: the rewards (without the price) of the policy that is optimal with it, and its visits outside.
  int (*finite_horizon)(MindgapBatch* batch, double discount, int64_t steps, const double* weights,
                        const double* price, const uint8_t* active, double* reward, double* outside);

  /// The value of all models becomes this one (per state).
  int (*set_value)(MindgapBatch* batch, const double* value);
  /// `evaluations` sweeps with the best actions as they are, then one Bellman sweep, which finds new ones:
  /// with V before it and LV after it, the smallest and the largest of LV - V and the largest |V| or |LV|.
  int (*improve)(MindgapBatch* batch, double discount, const double* price, const uint8_t* active,
                 int32_t evaluations, double* residual_min, double* residual_max, double* magnitude);
  /// The value, weighted.
  int (*weigh_value)(MindgapBatch* batch, const double* weights, double* value);
  /// One model's value and best actions (numbers of pairs), per state.
  int (*read_value)(MindgapBatch* batch, int32_t model, double* value, int32_t* pair);

  /// Discounted visits outside under the best actions, by sweeps from where the last call stopped (from 0
  /// where restart is not 0): the smallest and the largest difference of the last sweep as in improve(), and
  /// the visits after it, weighted.
  int (*visit_outside)(MindgapBatch* batch, double discount, const double* weights, const uint8_t* active,
                       int32_t sweeps, int32_t restart, double* residual_min, double* residual_max,
                       double* outside);
} MindgapEngine;

/// What a shared library with an engine exports; null where there is no device, with a reason in `why`.
typedef const MindgapEngine* (*MindgapOpenEngine)(const char** why);
#define MINDGAP_OPEN_ENGINE "mindgap_open_engine"

#ifdef __cplusplus
}
#endif
// NOLINTEND(modernize-deprecated-headers,modernize-use-using,modernize-redundant-void-arg)
