#include "bindings/bindings.h"

// Methods of Mdp that are written in Python, in mindgap.models: bound here by name, with their types and what
// they do, so that a model has them wherever it comes from. The module is imported by the first call.
namespace mindgap::python {
namespace {

using mdp::Model;

nb::object of_models(const char* name) {
  return nb::module_::import_("mindgap.models").attr(name);
}

void make(nb::class_<Model>& type, const char* name, const char* signature, const char* doc) {
  type.def_static(
      name, [name](nb::args args, nb::kwargs words) { return of_models(name)(*args, **words); },
      nb::sig(signature), doc);
}

void method(nb::class_<Model>& type, const char* name, const char* signature, const char* doc) {
  type.def(
      name,
      [name](nb::handle self, nb::args args, nb::kwargs words) {
        return of_models(name)(self, *args, **words);
      },
      nb::sig(signature), doc);
}

void property(nb::class_<Model>& type, const char* name, const char* signature, const char* doc) {
  type.def_prop_ro(
      name, [name](nb::handle self) { return of_models(name)(self); }, nb::sig(signature), doc);
}

// The keyword arguments that all ways into a model share.
#define MINDGAP_START \
  "start: numpy.typing.ArrayLike | collections.abc.Mapping[typing.Any, float] | str | int | None = None"
#define MINDGAP_NAMES                                          \
  "state_names: collections.abc.Sequence[str] | None = None, " \
  "action_names: collections.abc.Sequence[str] | None = None"
#define MINDGAP_REST                                             \
  "groups: collections.abc.Sequence[str | None] | None = None, " \
  "coordinates: numpy.typing.ArrayLike | None = None, reward_max: float | None = None, name: str = ''"
#define MINDGAP_STATED MINDGAP_START ", " MINDGAP_NAMES ", " MINDGAP_REST
#define MINDGAP_START_DOC                                                                                   \
  ":param start: where it starts: a probability per state, a mapping from states to probabilities, or one " \
  "state, by name or number (an integer is a name where names are integers other than the numbers); "
#define MINDGAP_STATED_DOC MINDGAP_START_DOC "without it every state is equally likely.\n" MINDGAP_REST_DOC
#define MINDGAP_REST_DOC                                                                        \
  ":param state_names: the names of the states; without them numbers stand for names.\n"        \
  ":param action_names: the names of the actions.\n"                                            \
  ":param groups: the group of each state, or None.\n"                                          \
  ":param coordinates: where each state is, x and y.\n"                                         \
  ":param reward_max: the largest possible absolute reward; without it the largest there is.\n" \
  ":param name: the name of the model."
#define MINDGAP_PROGRESS "progress: bool | collections.abc.Callable[[str, int, int], None] | None = None"

void bind_matrices(nb::class_<Model>& type) {
  make(type, "from_arrays",
       "def from_arrays(P: numpy.typing.ArrayLike, R: numpy.typing.ArrayLike, discount: float, *, "
       "layout: typing.Literal['asS', 'saS'] | None = None, available: numpy.typing.ArrayLike | None = "
       "None, " MINDGAP_STATED ") -> Mdp",
       "A model from dense arrays, of which it keeps what is not zero.\n\n"
       ":param P: transition probabilities P[a, s, s'] or P[s, a, s']. Rows of zeros only are pairs that are "
       "not "
       "available.\n"
       ":param R: rewards of shape (S,), (S, A), (A, S, S) or (S, A, S); minus infinity in (S, A) says that "
       "the "
       "pair is not available.\n"
       ":param discount: from 0 to 1.\n"
       ":param layout: 'asS' for P[a, s, s'], 'saS' for P[s, a, s']. Shapes tell, unless there are as many "
       "actions "
       "as states: then it must be said.\n"
       ":param available: truth values of shape (S, A): which actions are available "
       "where.\n" MINDGAP_STATED_DOC);
  make(type, "from_scipy",
       "def from_scipy(P: typing.Any, R: typing.Any, discount: float, *, "
       "s_indices: numpy.typing.ArrayLike | None = None, a_indices: numpy.typing.ArrayLike | None = "
       "None, copy: bool = True, " MINDGAP_STATED ") -> Mdp",
       "A model from SciPy matrices of any format, which stay sparse. Unsorted and repeated entries are "
       "sorted and "
       "added.\n\n"
       ":param P: one matrix with a row per pair: row s * A + a, or as s_indices and a_indices say; or a "
       "list with "
       "a matrix (S, S) per action. Empty rows are pairs that are not available.\n"
       ":param R: a reward per row, shape (S,) or (S, A), or matrices like P with the rewards of "
       "transitions.\n"
       ":param discount: from 0 to 1.\n"
       ":param s_indices: the state of each row, as in QuantEcon's DiscreteDP.\n"
       ":param a_indices: the action of each row.\n"
       ":param copy: a model never changes, so it is made of a copy of P. False: of P's own arrays, where "
       "they lie, which become read-only; nobody may change them by other views, or close the file they are "
       "mapped from. An error where the layout does not agree: one CSR matrix, doubles, 32-bit indices, an "
       "available pair in every row, entries sorted, none twice or zero.\n" MINDGAP_STATED_DOC);
  make(type, "from_quantecon", "def from_quantecon(ddp: typing.Any, *, " MINDGAP_STATED ") -> Mdp",
       "A model from a quantecon.markov.DiscreteDP, in its product or its state-action form.\n\n"
       ":param ddp: the DiscreteDP.\n" MINDGAP_STATED_DOC);
  make(type, "from_pymdptoolbox",
       "def from_pymdptoolbox(P: typing.Any, R: typing.Any, discount: float, *, " MINDGAP_STATED ") -> Mdp",
       "A model as pymdptoolbox takes it.\n\n"
       ":param P: an array (A, S, S), or a list with a matrix (S, S) per action, dense or sparse.\n"
       ":param R: shape (S,), (S, A) or (A, S, S), or a list with a matrix (S, S) per action.\n"
       ":param discount: from 0 to 1.\n" MINDGAP_STATED_DOC);
}

void bind_simulators(nb::class_<Model>& type) {
  make(
      type, "from_gymnasium",
      "def from_gymnasium(env: gymnasium.Env[typing.Any, typing.Any], discount: float, *, steps: int | None "
      "= None, "
      "episodes: int | None = None, "
      "policy: collections.abc.Callable[[typing.Any, numpy.random.Generator], typing.Any] | None = None, "
      "restart: bool = False, seed: int = 0, " MINDGAP_PROGRESS
      ", grid: mindgap.programs.Grid | None = None, "
      "actions: collections.abc.Sequence[typing.Any] | None = None, "
      "state_of: collections.abc.Callable[[typing.Any], typing.Any] | None = None, " MINDGAP_STATED
      ") -> Mdp",
      "A model of a Gymnasium environment.\n\n"
      "Where the environment has a table (``env.unwrapped.P``, as the toy-text environments do) and neither "
      "steps, "
      "episodes nor policy are given, the model is that table: equal next states are added, the start "
      "distribution "
      "is kept (or, where the environment does not state it, counted over 1000 resets). Otherwise its "
      "spaces must "
      "be discrete, and the model is what rollouts show: frequencies and mean rewards, with coverage counts "
      "and the "
      "variance of one reward; what was never tried is not available, states that were never seen are left "
      "out. "
      "The table is that of the innermost environment: where wrappers change rewards or observations, say "
      "steps; a warning says which wrappers are not seen.\n\n"
      "Terminated episodes stay terminated with reward 0: in the state entered, where that is only ever "
      "entered "
      "as an "
      "end, else in an additional state ``end`` (beside the others, where coordinates has no row for it). In "
      "an end there is one action.\n\n"
      "With ``grid``, for environments with numbers as observations whose state cannot be set (for others "
      "see :meth:`Simulator.from_gymnasium`): rollouts again, but each step is spread over the corners "
      "around "
      "its state with multilinear weights, and a corner's row is the weighted mean of where these steps "
      "would "
      "have led from the corner. Coverage is the sum of the weights. Pairs of a corner and an action that "
      "were "
      "never tried stay where they are and pay the lowest reward seen (0 where that is lower and an episode "
      "terminated); a warning says how many they are. ``solve(model).act(observation)`` acts by interpolated "
      "action values. start, state_names, groups, coordinates and reward_max cannot be combined with it.\n\n"
      ":param env: the environment, with a million actions at most.\n"
      ":param discount: from 0 to 1.\n"
      ":param steps: sample this many steps (without episodes and a table: 100 000).\n"
      ":param episodes: sample this many episodes.\n"
      ":param policy: what to do while sampling, policy(observation, rng); without it all actions are "
      "equally "
      "likely.\n"
      ":param restart: an ended episode begins again: a move that terminates leads to the start distribution "
      "instead of an end. States that are only ever entered as ends stay in the model, but nothing enters "
      "them (see :meth:`with_restart`); there is no additional state ``end``.\n"
      ":param seed: of resets and random actions.\n"
      ":param progress: show a bar, or a function to tell; by default, only in a terminal or notebook.\n"
      ":param grid: a :class:`Grid` over what is observed, or over what state_of makes of it.\n"
      ":param actions: with a grid: the actions to choose from; must be said for a Box of actions.\n"
      ":param state_of: with a grid: state_of(observation) gives the numbers that the grid is over; known "
      "for Pendulum and Acrobot.\n" MINDGAP_START_DOC
      "without it where the environment itself starts (its table's distribution, or as often as resets "
      "showed).\n" MINDGAP_REST_DOC);
  make(type, "from_function",
       "def from_function(step: collections.abc.Callable[[typing.Any, typing.Any, numpy.random.Generator], "
       "tuple[float, typing.Any]], *, "
       "states: int | collections.abc.Iterable[collections.abc.Hashable] | None = None, "
       "actions: int | collections.abc.Sequence[collections.abc.Hashable] | "
       "collections.abc.Mapping[typing.Any, collections.abc.Sequence[collections.abc.Hashable]] | "
       "collections.abc.Callable[[typing.Any], collections.abc.Iterable[collections.abc.Hashable]], "
       "discount: float, samples: int = 100, steps: int | None = None, length: int = 100, "
       "max_states: int = 100_000, "
       "start: typing.Any = None, restart: bool = False, seed: int = 0, " MINDGAP_PROGRESS ", " MINDGAP_NAMES
       ", " MINDGAP_REST ") -> Mdp",
       "A model of a plain function, sampled: frequencies and mean rewards, with coverage counts and the "
       "variance of "
       "one reward.\n\n"
       ":param step: step(state, action, rng) gives (reward, next_state); the next state None ends.\n"
       ":param states: how many there are (then they are 0, 1, ...), or their labels, which may be anything "
       "hashable; without it they are found by following steps from the start.\n"
       ":param actions: how many there are, their labels, or by state a mapping or a function; a state "
       "without "
       "actions is an end.\n"
       ":param discount: from 0 to 1.\n"
       ":param samples: steps from each pair, each pair with random numbers of its own.\n"
       ":param steps: instead of that, so many steps of rollouts with random actions.\n"
       ":param length: with steps: how many before a new start.\n"
       ":param max_states: where states are found: with more of them it is an error, so that a function that "
       "finds new ones for ever comes to an end.\n"
       ":param start: where it starts: a state, a mapping from states to probabilities, probabilities of all "
       "states, "
       "or with steps a function of rng that gives a state; without it every state is equally likely.\n"
       ":param restart: what ends begins again: an end leads to the start distribution instead (see "
       ":meth:`with_restart`).\n"
       ":param seed: of all random numbers.\n"
       ":param progress: show a bar, or a function to tell; by default a bar, only in a terminal or "
       "notebook.\n"
       ":param state_names: instead of the labels.\n"
       ":param action_names: instead of the labels.\n"
       ":param groups: the group of each state, or None.\n"
       ":param coordinates: where each state is, x and y.\n"
       ":param reward_max: the largest possible absolute reward; without it the largest there is.\n"
       ":param name: the name of the model.");
  method(type, "to_env",
         "def to_env(self, *, noise: bool = False, strict: bool = False) -> mindgap.gym.ModelEnv",
         "The model as a Gymnasium environment.\n\n"
         ":param noise: rewards with Gaussian noise of the model's variance instead of mean rewards.\n"
         ":param strict: an action that is not available raises, instead of being replaced by the first that "
         "is.");
}

void bind_tables(nb::class_<Model>& type) {
  make(type, "from_frame",
       "def from_frame(transitions: typing.Any, rewards: typing.Any = None, states: typing.Any = None, *, "
       "discount: float, coverage: typing.Any = None, " MINDGAP_STATED ") -> Mdp",
       "A model from tables with the columns of the model files, in pandas, anything that speaks Arrow or a "
       "dict of columns. "
       "Names are "
       "kept; integers 0, 1, ... are numbers of states and actions.\n\n"
       ":param transitions: state, action, next_state, probability.\n"
       ":param rewards: state, action, reward, and perhaps variance and count; without it transitions has a "
       "column "
       "reward.\n"
       ":param states: name, and perhaps group, x, y and start; without it states come in the order in which "
       "they "
       "are met.\n"
       ":param discount: from 0 to 1.\n"
       ":param coverage: state, action, count; or a log with state, action, next_state, whose lines are "
       "counted.\n" MINDGAP_STATED_DOC);
  method(type, "to_frame",
         "def to_frame(self, table: typing.Literal['transitions', 'rewards', 'states'] = 'transitions') "
         "-> pandas.DataFrame",
         "One of the tables that from_frame takes.");
  method(type, "to_scipy", "def to_scipy(self) -> typing.Any",
         "The transition probabilities as a scipy.sparse.csr_array with a row per pair; pair_state and "
         "pair_action "
         "say which.");
}

void bind_statements(nb::class_<Model>& type) {
  property(type, "pair_state", "def pair_state(self) -> numpy.typing.NDArray[numpy.int32]",
           "The state of each pair.");
  property(type, "ends", "def ends(self) -> numpy.typing.NDArray[numpy.bool_]",
           "Which states are ends: nothing leads out of them and all their rewards are 0.");
  method(
      type, "with_start",
      "def with_start(self, start: numpy.typing.ArrayLike | collections.abc.Mapping[typing.Any, float] | "
      "str | int "
      "| None) -> Mdp",
      "The same model with another start: a probability per state, a mapping from states to "
      "probabilities, one "
      "state, or None where all are equally likely.\n\n"
      "A state is called by its name or its number. Where names are integers that are not the numbers, as "
      "1, 2, 3 or where sampling left some out, an integer is a name, and one that is no name is refused.");
  method(
      type, "with_restart",
      "def with_restart(self, ends: collections.abc.Sequence[str | int] | None = None) -> Mdp",
      "The same model in which an episode that ends begins again: a move into an end leads to the start "
      "distribution instead, with the reward it has.\n\n"
      ":param ends: the states that end an episode, by name or number; without it those whose every action "
      "stays there for sure and pays nothing (:attr:`ends`). They keep their numbers, but nothing enters "
      "them "
      "any more; :attr:`restart_ends` lists them. Rows are made for the start distribution there is now: "
      "state "
      "that first.");
  method(
      type, "with_states", "def with_states(self, names: collections.abc.Sequence[str]) -> Mdp",
      "The same model with more states, of which nothing is known: every action is available, half of a row "
      "stays and half is the start distribution, the reward is the mean of all rewards, and the prior is "
      "wide "
      "(reward_sd at least reward_max, transition_strength 1). No simulated move leads there; what is "
      "observed "
      "does. :attr:`new_states` lists them.");
  method(type, "with_reward", "def with_reward(self, reward: typing.Any) -> Mdp",
         "The same model with other rewards: per pair, per state, per state and action, for all, or a table "
         "state, "
         "action, reward.");
  method(type, "with_coverage", "def with_coverage(self, coverage: typing.Any) -> Mdp",
         "The same model with how often history saw each pair: per pair, per state, per state and action, "
         "for all, a "
         "table state, action, count (what is missing was never seen), a log with state, action, next_state "
         "whose "
         "lines are counted, or None.");
  method(type, "with_variance", "def with_variance(self, variance: typing.Any) -> Mdp",
         "The same model with the variance of one observed reward: one number, per pair, per state, per "
         "state and "
         "action, a table state, action, variance, or None.");
  method(
      type, "with_prior",
      "def with_prior(self, *, reward_sd: numpy.typing.ArrayLike | None = None, "
      "transition_strength: numpy.typing.ArrayLike | None = None, odds: float = 1.0, drift_sd: float = "
      "0.0, unseen: float | None = None, unseen_strength: float = 1.0, reward_min: float | None = None, "
      "reward_max: float | None = None, rewards: str = 'gaussian') -> Mdp",
      "The same model with a prior.\n\n"
      ":param reward_sd: the sd of true mean rewards around the simulator's: one number, or per pair, per "
      "state, or "
      "per state and action.\n"
      ":param transition_strength: how many pseudo-observations stand behind each simulated row of "
      "transitions, "
      "likewise.\n"
      ":param odds: how strongly history's actions may have followed what it does not show, from 1 = not "
      "at all.\n"
      ":param drift_sd: the least sd of rewards where drift is feared.\n"
      ":param unseen: the probability, from 0 to below 1, that a row of transitions is wrong about what is "
      "possible; None: "
      "no row is doubted until one does what the simulator calls impossible; 0: none ever is.\n"
      ":param unseen_strength: how many pseudo-observations stand behind a row that is wrong.\n"
      ":param reward_min: the smallest value that a true mean reward can have.\n"
      ":param reward_max: the largest value that a true mean reward can have.\n"
      ":param rewards: what one reward is: 'gaussian', a number around its mean, or 'bernoulli', 0 or 1.");
  method(
      type, "with_shared",
      "def with_shared(self, *, group_sd: float | collections.abc.Mapping[str, float] | None = None, "
      "sd: float | None = None, length: float | None = None, over: str | None = None, "
      "loadings: typing.Any = None) -> Mdp",
      "The same model with errors of mean rewards that states share, so that seeing one says something about "
      "the others. They are added to what each pair has of its own, reward_sd of :meth:`with_prior`. What is "
      "given adds up; nothing given: nothing is shared.\n\n"
      ":param group_sd: the sd of an error that all states of a group have in common: one number for all "
      "groups, "
      "or one by group.\n"
      ":param sd: the sd of an error that neighbours nearly have in common.\n"
      ":param length: over what distance that fades: about 0.6 of it is in common at this distance, 0.14 at "
      "twice it.\n"
      ":param over: what distance is: 'place', between coordinates, or 'graph', in steps between states; "
      "None: "
      "'place' where states have coordinates.\n"
      ":param loadings: how much of further errors pairs have: a table state, action, factor, loading, or "
      "the "
      "file it is in. Each factor has standard deviation 1.");
}

}  // namespace

void bind_models(nb::class_<Model>& type) {
  bind_matrices(type);
  bind_simulators(type);
  bind_tables(type);
  bind_statements(type);
}

}  // namespace mindgap::python
