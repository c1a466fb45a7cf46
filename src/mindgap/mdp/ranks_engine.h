#pragma once

#include "mindgap/mdp/ranks_abi.h"

namespace mindgap::mdp {

/// The engine in the library libmindgap_mpi.so, which is looked for where MINDGAP_MPI_LIBRARY says, beside
/// the program or module, in its ../lib, and where the system looks. Loading it enters MPI; once a process.
/// Throws InvalidArgument that says what is missing and how it is installed.
const MindgapRanks& ranks_engine();

}  // namespace mindgap::mdp
