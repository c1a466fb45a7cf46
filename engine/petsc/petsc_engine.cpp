// The engine of several processes (mdp/ranks_abi.h) on PETSc and MPI: libmindgap_mpi.so.
#include <petscksp.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "mindgap/mdp/ranks_abi.h"

namespace {

std::string reason;

// Of PETSc's calls the first that fails says why.
class Calls {
 public:
  void operator()(PetscErrorCode code) {
    if (code_ != 0 || code == 0) return;
    code_ = code;
    const char* text = nullptr;
    PetscErrorMessage(code, &text, nullptr);
    reason = std::string("PETSc: ") + (text != nullptr ? text : "unknown error");
  }
  bool good() const { return code_ == 0; }
  int result() const { return code_ == 0 ? 0 : 1; }

 private:
  PetscErrorCode code_ = 0;
};

}  // namespace

// Values are vectors with room for the values of other ranks' states that own rows lead to ("ghosts"); next
// states are counted by places in them.
struct MindgapDistributed {
  explicit MindgapDistributed(const MindgapPart& given, double g) : part(given), discount(g) {}
  ~MindgapDistributed() {
    KSPDestroy(&solver);
    MatDestroy(&matrix);
    for (Vec* vector : {&value, &work, &right, &step}) VecDestroy(vector);
  }
  MindgapDistributed(const MindgapDistributed&) = delete;
  MindgapDistributed& operator=(const MindgapDistributed&) = delete;

  // sum_i p[i] v[next[i]] of a pair.
  double expected(std::int32_t pair, const double* v) const {
    double sum = 0;
    for (std::int64_t i = part.row_begin[pair]; i < part.row_begin[pair + 1]; ++i)
      sum += part.probability[i] * v[next[i]];
    return sum;
  }

  MindgapPart part;
  double discount;
  std::vector<std::int32_t> next;  // per transition
  std::vector<double> improved;    // TV, own
  std::vector<std::int32_t> pick;  // own
  double middle = 0;               // of TV - V, over all ranks
  std::int64_t products = 0;
  Vec value = nullptr, work = nullptr, right = nullptr, step = nullptr;
  Mat matrix = nullptr;
  KSP solver = nullptr;
};

namespace {

// Runs use(values of own states and ghosts), after fetching the ghosts.
template <typename Use>
void with_ghosts(Calls& call, Vec vector, Use use) {
  call(VecGhostUpdateBegin(vector, INSERT_VALUES, SCATTER_FORWARD));
  call(VecGhostUpdateEnd(vector, INSERT_VALUES, SCATTER_FORWARD));
  Vec local = nullptr;
  call(VecGhostGetLocalForm(vector, &local));
  const PetscScalar* values = nullptr;
  if (call.good()) call(VecGetArrayRead(local, &values));
  if (!call.good()) return;
  use(values);
  call(VecRestoreArrayRead(local, &values));
  call(VecGhostRestoreLocalForm(vector, &local));
}

// y = (I - gP) x for the rows of the best pairs.
PetscErrorCode multiply(Mat matrix, Vec x, Vec y) {
  void* context = nullptr;
  Calls call;
  call(MatShellGetContext(matrix, &context));
  if (!call.good()) return PETSC_ERR_LIB;
  auto& model = *static_cast<MindgapDistributed*>(context);
  ++model.products;
  call(VecCopy(x, model.work));
  PetscScalar* out = nullptr;
  call(VecGetArray(y, &out));
  if (!call.good()) return PETSC_ERR_LIB;
  with_ghosts(call, model.work, [&](const double* v) {
    for (std::int32_t s = 0; s < model.part.own_states; ++s)
      out[s] = v[s] - model.discount * model.expected(model.pick[s], v);
  });
  call(VecRestoreArray(y, &out));
  return call.good() ? PetscErrorCode{} : PetscErrorCode{PETSC_ERR_LIB};
}

// The states of other ranks that own rows lead to, ascending; `next` becomes places of own states and ghosts.
std::vector<PetscInt> find_ghosts(const MindgapPart& part, std::vector<std::int32_t>& next) {
  const std::int32_t first = part.first_state, last = first + part.own_states;
  const std::int64_t entries = part.row_begin[part.pair_begin[part.own_states]];
  std::vector<std::int32_t> place(static_cast<std::size_t>(part.states), -1);
  for (std::int64_t i = 0; i < entries; ++i) place[part.next_state[i]] = 0;
  std::vector<PetscInt> ghosts;
  for (std::int32_t s = 0; s < part.states; ++s) {
    if (s >= first && s < last) {
      place[s] = s - first;
    } else if (place[s] == 0) {
      place[s] = part.own_states + static_cast<std::int32_t>(ghosts.size());
      ghosts.push_back(s);
    }
  }
  next.resize(static_cast<std::size_t>(entries));
  for (std::int64_t i = 0; i < entries; ++i) next[i] = place[part.next_state[i]];
  return ghosts;
}

int create(const MindgapPart* part, double discount, MindgapDistributed** result) {
  auto* model = new MindgapDistributed(*part, discount);
  Calls call;
  const auto own = static_cast<PetscInt>(part->own_states);
  {
    const std::vector<PetscInt> ghosts = find_ghosts(*part, model->next);
    call(VecCreateGhost(PETSC_COMM_WORLD, own, part->states, static_cast<PetscInt>(ghosts.size()),
                        ghosts.data(), &model->value));
  }
  if (call.good()) call(VecDuplicate(model->value, &model->work));
  call(VecCreateMPI(PETSC_COMM_WORLD, own, part->states, &model->right));
  if (call.good()) call(VecDuplicate(model->right, &model->step));
  call(MatCreateShell(PETSC_COMM_WORLD, own, own, part->states, part->states, model, &model->matrix));
  if (call.good())
    call(MatShellSetOperation(model->matrix, MATOP_MULT, reinterpret_cast<void (*)(void)>(multiply)));
  call(KSPCreate(PETSC_COMM_WORLD, &model->solver));
  if (call.good()) {
    PC preconditioner = nullptr;
    call(KSPSetOperators(model->solver, model->matrix, model->matrix));
    call(KSPSetType(model->solver, KSPGMRES));
    call(KSPGetPC(model->solver, &preconditioner));
    call(PCSetType(preconditioner, PCNONE));
    call(KSPSetNormType(model->solver, KSP_NORM_UNPRECONDITIONED));
    call(KSPSetPCSide(model->solver, PC_RIGHT));
    call(KSPSetFromOptions(model->solver));  // PETSC_OPTIONS, such as -ksp_type bcgs
  }
  model->improved.resize(static_cast<std::size_t>(own));
  model->pick.assign(static_cast<std::size_t>(own), -1);
  *result = model;
  return call.result();
}

void destroy(MindgapDistributed* model) {
  delete model;
}

int set_value(MindgapDistributed* model, const double* own) {
  Calls call;
  PetscScalar* values = nullptr;
  call(VecGetArray(model->value, &values));
  if (!call.good()) return call.result();
  std::copy_n(own, model->part.own_states, values);
  call(VecRestoreArray(model->value, &values));
  return call.result();
}

int improve(MindgapDistributed* model, double* residual_min, double* residual_max, double* magnitude,
            int64_t* changed) {
  Calls call;
  const double low = -std::numeric_limits<double>::infinity();
  double most[3] = {low, low, 0};  // of -(TV - V), TV - V, |V| and |TV|
  double others = 0;
  with_ghosts(call, model->value, [&](const double* v) {
    for (std::int32_t s = 0; s < model->part.own_states; ++s) {
      double best = low;
      std::int32_t pair = model->part.pair_begin[s];
      for (std::int32_t k = pair; k < model->part.pair_begin[s + 1]; ++k) {
        const double q = model->part.reward[k] + model->discount * model->expected(k, v);
        if (q > best) {
          best = q;
          pair = k;
        }
      }
      others += model->pick[s] != pair ? 1 : 0;
      model->pick[s] = pair;
      model->improved[s] = best;
      most[0] = std::max(most[0], v[s] - best);
      most[1] = std::max(most[1], best - v[s]);
      most[2] = std::max({most[2], std::abs(v[s]), std::abs(best)});
    }
  });
  MPI_Allreduce(MPI_IN_PLACE, most, 3, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, &others, 1, MPI_DOUBLE, MPI_SUM, PETSC_COMM_WORLD);
  *residual_min = -most[0];
  *residual_max = most[1];
  *magnitude = most[2];
  *changed = static_cast<int64_t>(others);
  model->middle = 0.5 * (*residual_min + *residual_max);
  return call.result();
}

// A constant d in TV - V is solved by d / (1 - g): GMRES is left with what varies.
int evaluate(MindgapDistributed* model, double tolerance, int32_t most, int64_t* products) {
  Calls call;
  PetscScalar *right = nullptr, *value = nullptr;
  const PetscScalar* step = nullptr;
  call(VecGetArray(model->value, &value));
  call(VecGetArray(model->right, &right));
  if (!call.good()) return call.result();
  for (std::int32_t s = 0; s < model->part.own_states; ++s)
    right[s] = model->improved[s] - value[s] - model->middle;
  call(VecRestoreArray(model->right, &right));
  model->products = 0;
  call(KSPSetTolerances(model->solver, tolerance, PETSC_DEFAULT, PETSC_DEFAULT, most));
  call(KSPSolve(model->solver, model->right, model->step));
  KSPConvergedReason why{};
  call(KSPGetConvergedReason(model->solver, &why));
  if (call.good() && why < 0 && why != KSP_DIVERGED_ITS && why != KSP_DIVERGED_BREAKDOWN) {
    reason = std::string("PETSc's linear solver stopped: ") + KSPConvergedReasons[why];
    return 1;
  }
  call(VecGetArrayRead(model->step, &step));
  if (!call.good()) return call.result();
  const double shift = model->middle / (1 - model->discount);
  for (std::int32_t s = 0; s < model->part.own_states; ++s) value[s] += step[s] + shift;
  call(VecRestoreArrayRead(model->step, &step));
  call(VecRestoreArray(model->value, &value));
  *products = model->products;
  return call.result();
}

int read(MindgapDistributed* model, double* value, int32_t* pair) {
  std::copy(model->improved.begin(), model->improved.end(), value);
  std::copy(model->pick.begin(), model->pick.end(), pair);
  return 0;
}

int reduce(double* values, int32_t count, MPI_Op operation) {
  if (MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_DOUBLE, operation, PETSC_COMM_WORLD) == MPI_SUCCESS)
    return 0;
  reason = "MPI: a reduction failed";
  return 1;
}
int sum(double* values, int32_t count) {
  return reduce(values, count, MPI_SUM);
}
int maximum(double* values, int32_t count) {
  return reduce(values, count, MPI_MAX);
}

const char* message() {
  return reason.c_str();
}
void close() {
  PetscFinalize();
  int done = 0;
  if (MPI_Finalized(&done) == MPI_SUCCESS && !done) MPI_Finalize();
}

MindgapRanks engine;

int gather(const int32_t* own, int32_t count, int32_t* all) {
  std::vector<int> counts(static_cast<std::size_t>(engine.ranks)), places(counts.size(), 0);
  bool good = MPI_Gather(&count, 1, MPI_INT, counts.data(), 1, MPI_INT, 0, PETSC_COMM_WORLD) == MPI_SUCCESS;
  for (std::size_t r = 1; r < places.size(); ++r) places[r] = places[r - 1] + counts[r - 1];
  good = good && MPI_Gatherv(own, count, MPI_INT32_T, all, counts.data(), places.data(), MPI_INT32_T, 0,
                             PETSC_COMM_WORLD) == MPI_SUCCESS;
  if (!good) reason = "MPI: numbers could not be gathered";
  return good ? 0 : 1;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const MindgapRanks* mindgap_open_ranks(const char** why) {
  Calls call;
  int entered = 0;
  MPI_Initialized(&entered);
  if (!entered && MPI_Init(nullptr, nullptr) != MPI_SUCCESS) {
    *why = "MPI_Init failed";
    return nullptr;
  }
  // Signals and errors are for the program to report.
  call(PetscOptionsSetValue(nullptr, "-no_signal_handler", "true"));
  call(PetscInitializeNoArguments());
  if (call.good()) call(PetscPushErrorHandler(PetscReturnErrorHandler, nullptr));
  if (!call.good()) {
    *why = reason.c_str();
    return nullptr;
  }
  engine = {MINDGAP_RANKS_ABI, 0,        0,    message, create,  destroy, set_value,
            improve,           evaluate, read, sum,     maximum, gather,  close};
  MPI_Comm_rank(PETSC_COMM_WORLD, &engine.rank);
  MPI_Comm_size(PETSC_COMM_WORLD, &engine.ranks);
  return &engine;
}
