#pragma once

// The list of commands, in the order of `mindgap --help`. It is the only one: mindgap.h includes it, and
// CMake reads it (cmake/Commands.cmake) for the sources that are named after a command in this folder, in
// view, in app and in python/bindings, and for what the program and the Python module add.

// clang-format off
#include "mindgap/command/check.h"
#include "mindgap/command/solve.h"
#include "mindgap/command/convert.h"
#include "mindgap/command/diagnose.h"
#include "mindgap/command/design.h"
#include "mindgap/command/decide.h"
#include "mindgap/command/compare.h"
#include "mindgap/command/study.h"
#include "mindgap/command/voi.h"
#include "mindgap/command/stateless.h"
// clang-format on
