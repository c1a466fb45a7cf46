#pragma once

#include <functional>

#include "mindgap/mdp/ranks_abi.h"

namespace mindgap::mdp {

/// The engine in the library libmindgap_mpi.so, which is looked for where MINDGAP_MPI_LIBRARY says, beside
/// the program or module, in its ../lib, and where the system looks. Loading it enters MPI, once a process,
/// which leaves it when it ends. Throws InvalidArgument that says what is missing and how it is installed.
const MindgapRanks& ranks_engine();
/// The same where it was loaded before, else null.
const MindgapRanks* loaded_ranks_engine();

/// Runs `deed` and says whether it came through on all ranks. Where not, the first rank that failed throws
/// what the deed threw. Ranks may fail alone in the midst of what they do together: that one throws, too, and
/// the others end when it does.
bool on_all_ranks(const MindgapRanks& ranks, const std::function<void()>& deed);

}  // namespace mindgap::mdp
