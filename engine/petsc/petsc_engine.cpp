// The engine of several processes (mdp/ranks_abi.h) on PETSc and MPI, libmindgap_mpi.so: models in parts.
#include <algorithm>
#include <cmath>
#include <limits>

#include "engine.h"
#include "shared_values.h"

namespace {

// The rows of one policy with the discount in them, by where they lead: to own states or to those of others.
struct PolicyRows {
  std::vector<std::int64_t> begin;
  std::vector<std::int32_t> next;
  std::vector<double> weight;

  void clear(std::size_t states) {
    begin.clear();
    begin.reserve(states + 1);
    begin.push_back(0);
    next.clear();
    weight.clear();
  }
  void add(std::int32_t to, double p) {
    next.push_back(to);
    weight.push_back(p);
  }
  void end_row() { begin.push_back(static_cast<std::int64_t>(next.size())); }
  double times(std::int32_t row, const double* values) const {
    double sum = 0;
    for (std::int64_t i = begin[row]; i < begin[row + 1]; ++i) sum += weight[i] * values[next[i]];
    return sum;
  }
};

}  // namespace

// Own rows lead to own states and to states of other ranks ("ghosts"). Where few of the others' states are
// ghosts, their values are fetched, and next states are counted by places among own states and ghosts. Where
// most of them are and all ranks run on one machine, values are read where they are (SharedValues), and next
// states are counted as in the whole model.
struct MindgapDistributed {
  explicit MindgapDistributed(const MindgapPart& given, double g) : part(given), discount(g) {}
  ~MindgapDistributed() {
    KSPDestroy(&solver);
    MatDestroy(&matrix);
    VecScatterDestroy(&fetch);
    for (Vec* vector : {&value, &right, &step, &ghosts}) VecDestroy(vector);
  }
  MindgapDistributed(const MindgapDistributed&) = delete;
  MindgapDistributed& operator=(const MindgapDistributed&) = delete;

  // sum_i p[i] v[next[i]] of a pair; v are the values of all places.
  double expected(std::int32_t pair, const double* v) const {
    double sum = 0;
    for (std::int64_t i = part.row_begin[pair]; i < part.row_begin[pair + 1]; ++i)
      sum += part.probability[i] * v[next[i]];
    return sum;
  }

  MindgapPart part;
  double discount;
  const std::int32_t* next = nullptr;  // per transition
  std::vector<std::int32_t> places;    // it, unless values are shared
  std::int32_t first_own = 0;          // place of the first own state
  mindgap_mpi::SharedValues shared;
  std::vector<PetscInt> ghost_of;  // numbers of the ghosts, ascending
  std::vector<double> place;       // values of own states, then of ghosts, unless they are shared
  std::vector<double> improved;    // TV, own
  std::vector<std::int32_t> pick;  // own
  PolicyRows inside, outside;      // of `pick`; all are inside where values are shared
  double middle = 0;               // of TV - V, over all ranks
  std::int64_t products = 0;
  Vec value = nullptr, right = nullptr, step = nullptr;
  Vec ghosts = nullptr;  // the end of `place`
  VecScatter fetch = nullptr;
  Mat matrix = nullptr;
  KSP solver = nullptr;
};

namespace mindgap_mpi {
namespace {

// Takes the mean over all ranks out of own values.
PetscErrorCode remove_mean(const MindgapDistributed& model, double* own) {
  double total = 0;
  for (std::int32_t s = 0; s < model.part.own_states; ++s) total += own[s];
  if (MPI_Allreduce(MPI_IN_PLACE, &total, 1, MPI_DOUBLE, MPI_SUM, PETSC_COMM_WORLD) != MPI_SUCCESS)
    return PETSC_ERR_MPI;
  const double mean = total / model.part.states;
  for (std::int32_t s = 0; s < model.part.own_states; ++s) own[s] -= mean;
  return 0;
}

// y = Q (I - gP) x for the rows of the best pairs, where Q takes the mean out. A constant is an eigenvector
// of (I - gP) with the smallest eigenvalue of all, 1 - g, and improve() knows constants anyway: without them
// GMRES takes fewer products (94 instead of 102 on a random model of 10^6 states). What own rows lead to is
// added up while the values of ghosts are on their way.
PetscErrorCode multiply(Mat matrix, Vec x, Vec y) {
  void* context = nullptr;
  Calls call;
  call(MatShellGetContext(matrix, &context));
  if (!call.good()) return PETSC_ERR_LIB;
  auto& model = *static_cast<MindgapDistributed*>(context);
  ++model.products;
  const PetscScalar* in = nullptr;
  PetscScalar* out = nullptr;
  if (model.fetch) call(VecScatterBegin(model.fetch, x, model.ghosts, INSERT_VALUES, SCATTER_FORWARD));
  call(VecGetArrayRead(x, &in));
  call(VecGetArray(y, &out));
  if (!call.good()) return PETSC_ERR_LIB;
  const std::int32_t own = model.part.own_states;
  const double* const read = model.shared.is_open() ? model.shared.put(in) : in;
  for (std::int32_t s = 0; s < own; ++s) out[s] = in[s] - model.inside.times(s, read);
  call(VecRestoreArrayRead(x, &in));
  if (model.fetch) call(VecScatterEnd(model.fetch, x, model.ghosts, INSERT_VALUES, SCATTER_FORWARD));
  if (!model.outside.next.empty()) {
    const double* const ghosts = model.place.data() + own;
    for (std::int32_t s = 0; s < own; ++s) out[s] -= model.outside.times(s, ghosts);
  }
  call(remove_mean(model, out));
  call(VecRestoreArray(y, &out));
  return call.good() ? PetscErrorCode{} : PetscErrorCode{PETSC_ERR_LIB};
}

// Fills `ghost_of` and `places`.
void find_ghosts(MindgapDistributed& model) {
  const MindgapPart& part = model.part;
  const std::int32_t first = part.first_state, last = first + part.own_states;
  const std::int64_t entries = part.row_begin[part.pair_begin[part.own_states]];
  std::vector<std::int32_t> place(static_cast<std::size_t>(part.states), -1);
  for (std::int64_t i = 0; i < entries; ++i) place[part.next_state[i]] = 0;
  for (std::int32_t s = 0; s < part.states; ++s) {
    if (s >= first && s < last) {
      place[s] = s - first;
    } else if (place[s] == 0) {
      place[s] = part.own_states + static_cast<std::int32_t>(model.ghost_of.size());
      model.ghost_of.push_back(s);
    }
  }
  model.places.resize(static_cast<std::size_t>(entries));
  for (std::int64_t i = 0; i < entries; ++i) model.places[i] = place[part.next_state[i]];
  model.next = model.places.data();
}

// Whether at least half of the states of others are ghosts, over all ranks.
bool most_are_ghosts(const MindgapDistributed& model) {
  double sums[2] = {static_cast<double>(model.ghost_of.size()),
                    static_cast<double>(model.part.states - model.part.own_states)};
  return MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_DOUBLE, MPI_SUM, PETSC_COMM_WORLD) == MPI_SUCCESS &&
         sums[0] > 0 && 2 * sums[0] >= sums[1];
}

// From now on next states are numbers of the whole model.
void share_values(MindgapDistributed& model) {
  const MindgapPart& part = model.part;
  if (!most_are_ghosts(model) || !model.shared.open(part.states, part.first_state, part.own_states)) return;
  model.next = part.next_state;
  model.first_own = part.first_state;
  model.places = {};
  model.ghost_of = {};
}

void create_vectors(Calls& call, MindgapDistributed& model) {
  const auto own = static_cast<PetscInt>(model.part.own_states);
  const auto others = static_cast<PetscInt>(model.ghost_of.size());
  call(VecCreateMPI(PETSC_COMM_WORLD, own, model.part.states, &model.value));
  if (call.good()) call(VecDuplicate(model.value, &model.right));
  if (call.good()) call(VecDuplicate(model.value, &model.step));
  if (model.shared.is_open()) return;
  call(VecCreateSeqWithArray(PETSC_COMM_SELF, 1, others, model.place.data() + own, &model.ghosts));
  IS from = nullptr, to = nullptr;
  call(ISCreateGeneral(PETSC_COMM_SELF, others, model.ghost_of.data(), PETSC_USE_POINTER, &from));
  call(ISCreateStride(PETSC_COMM_SELF, others, 0, 1, &to));
  if (call.good()) call(VecScatterCreate(model.value, from, model.ghosts, to, &model.fetch));
  ISDestroy(&from);
  ISDestroy(&to);
}

void create_solver(Calls& call, MindgapDistributed& model) {
  const auto own = static_cast<PetscInt>(model.part.own_states);
  const PetscInt all = model.part.states;
  call(MatCreateShell(PETSC_COMM_WORLD, own, own, all, all, &model, &model.matrix));
  if (call.good())
    call(MatShellSetOperation(model.matrix, MATOP_MULT, reinterpret_cast<void (*)(void)>(multiply)));
  call(KSPCreate(PETSC_COMM_WORLD, &model.solver));
  if (!call.good()) return;
  PC preconditioner = nullptr;
  call(KSPSetOperators(model.solver, model.matrix, model.matrix));
  call(KSPSetType(model.solver, KSPGMRES));
  call(KSPGetPC(model.solver, &preconditioner));
  call(PCSetType(preconditioner, PCNONE));
  call(KSPSetNormType(model.solver, KSP_NORM_UNPRECONDITIONED));
  call(KSPSetPCSide(model.solver, PC_RIGHT));
  call(KSPSetFromOptions(model.solver));  // PETSC_OPTIONS, such as -ksp_type bcgs
}

int create(const MindgapPart* part, double discount, MindgapDistributed** result) {
  return guarded([&] {
    auto* model = new MindgapDistributed(*part, discount);
    *result = model;
    const auto own = static_cast<std::size_t>(part->own_states);
    find_ghosts(*model);
    share_values(*model);
    if (!model->shared.is_open()) model->place.resize(own + model->ghost_of.size());
    model->improved.resize(own);
    model->pick.assign(own, -1);
    Calls call;
    create_vectors(call, *model);
    create_solver(call, *model);
    return call.result();
  });
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

// The value of all places.
const double* fetch_value(Calls& call, MindgapDistributed& model) {
  const PetscScalar* own = nullptr;
  const double* all = model.place.data();
  if (model.fetch)
    call(VecScatterBegin(model.fetch, model.value, model.ghosts, INSERT_VALUES, SCATTER_FORWARD));
  call(VecGetArrayRead(model.value, &own));
  if (!call.good()) return nullptr;
  if (model.shared.is_open()) {
    all = model.shared.put(own);
  } else {
    std::copy_n(own, model.part.own_states, model.place.data());
  }
  call(VecRestoreArrayRead(model.value, &own));
  if (model.fetch)
    call(VecScatterEnd(model.fetch, model.value, model.ghosts, INSERT_VALUES, SCATTER_FORWARD));
  return all;
}

int improve(MindgapDistributed* model, double* residual_min, double* residual_max, double* magnitude,
            int64_t* changed) {
  Calls call;
  const double low = -std::numeric_limits<double>::infinity();
  double most[3] = {low, low, 0};  // of -(TV - V), TV - V, |V| and |TV|
  double others = 0;
  const double* const all = fetch_value(call, *model);
  if (!call.good()) return call.result();
  const double* const v = all + model->first_own;  // of own states
  for (std::int32_t s = 0; s < model->part.own_states; ++s) {
    double best = low;
    std::int32_t pair = model->part.pair_begin[s];
    for (std::int32_t k = pair; k < model->part.pair_begin[s + 1]; ++k) {
      const double q = model->part.reward[k] + model->discount * model->expected(k, all);
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
  MPI_Allreduce(MPI_IN_PLACE, most, 3, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, &others, 1, MPI_DOUBLE, MPI_SUM, PETSC_COMM_WORLD);
  *residual_min = -most[0];
  *residual_max = most[1];
  *magnitude = most[2];
  *changed = static_cast<int64_t>(others);
  model->middle = 0.5 * (*residual_min + *residual_max);
  return call.result();
}

// The rows of the best pairs one behind the other: products then read memory in order.
void select_rows(MindgapDistributed& model) {
  const std::int32_t own = model.part.own_states;
  model.inside.clear(static_cast<std::size_t>(own));
  model.outside.clear(static_cast<std::size_t>(own));
  for (std::int32_t s = 0; s < own; ++s) {
    const std::int32_t k = model.pick[s];
    for (std::int64_t i = model.part.row_begin[k]; i < model.part.row_begin[k + 1]; ++i) {
      const double weight = model.discount * model.part.probability[i];
      if (model.shared.is_open() || model.next[i] < own) {
        model.inside.add(model.next[i], weight);
      } else {
        model.outside.add(model.next[i] - own, weight);
      }
    }
    model.inside.end_row();
    model.outside.end_row();
  }
}

// A constant d in TV - V is solved by d / (1 - g): GMRES is left with what varies. What it leaves of a
// constant the next sweep finds.
int evaluate(MindgapDistributed* model, double tolerance, int32_t most, int64_t* products) {
  return guarded([&] {
    Calls call;
    select_rows(*model);
    PetscScalar *right = nullptr, *value = nullptr;
    const PetscScalar* step = nullptr;
    call(VecGetArray(model->value, &value));
    call(VecGetArray(model->right, &right));
    if (!call.good()) return call.result();
    for (std::int32_t s = 0; s < model->part.own_states; ++s) right[s] = model->improved[s] - value[s];
    call(remove_mean(*model, right));
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
  });
}

int read(MindgapDistributed* model, double* value, int32_t* pair) {
  std::copy(model->improved.begin(), model->improved.end(), value);
  std::copy(model->pick.begin(), model->pick.end(), pair);
  return 0;
}

}  // namespace

void add_model_functions(MindgapRanks& engine) {
  engine.create = create;
  engine.destroy = destroy;
  engine.set_value = set_value;
  engine.improve = improve;
  engine.evaluate = evaluate;
  engine.read = read;
}

}  // namespace mindgap_mpi
