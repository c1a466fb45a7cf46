// Stands for the precompiled headers that all tests share; see CMakeLists.txt.
#include <gtest/gtest.h>
