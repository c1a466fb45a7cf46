# Warnings and sanitizers, applied to our own targets only: nothing here reaches a consumer.
option(MINDGAP_WERROR "Treat warnings as errors" OFF)
set(MINDGAP_SANITIZE "" CACHE STRING "Sanitizers for every target, e.g. address,undefined or thread")

add_library(mindgap_options INTERFACE)
target_compile_features(mindgap_options INTERFACE cxx_std_20)
target_compile_options(mindgap_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wno-missing-field-initializers
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>  # false alarms of g++ 12 on std::string (GCC bug 105651)
  $<$<BOOL:${MINDGAP_WERROR}>:-Werror>
  # What the optimiser guesses hangs on inlining, even on how long the path of the checkout is: it warns, it never
  # stops a build.
  $<$<AND:$<BOOL:${MINDGAP_WERROR}>,$<CXX_COMPILER_ID:GNU>>:-Wno-error=array-bounds -Wno-error=stringop-overflow
    -Wno-error=stringop-overread -Wno-error=maybe-uninitialized -Wno-error=free-nonheap-object
    -Wno-error=dangling-pointer -Wno-error=use-after-free -Wno-error=null-dereference>)
if(MINDGAP_SANITIZE)
  # Global on purpose: a sanitizer must see every translation unit of the build. What the address sanitizer
  # traps anyway is not checked a second time: it would add half to the time of compiling.
  add_compile_options(-fsanitize=${MINDGAP_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  if(MINDGAP_SANITIZE MATCHES "undefined")
    add_compile_options(-fno-sanitize=null,alignment,object-size,vptr)
  endif()
  add_link_options(-fsanitize=${MINDGAP_SANITIZE})
endif()

set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)

# Presets compile several files of a folder as one (CMAKE_UNITY_BUILD): the sanitizer build then takes 11 minutes of two
# cores instead of 20, because headers and the templates of fmt, JSON and the standard library are compiled once for
# sixteen files (with eight it takes a fifth more). So names in anonymous namespaces must differ within a folder.
if(CMAKE_UNITY_BUILD AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # What is private to a file is then seen in another's, which is not the "main" one: no fault of the code.
  target_compile_options(mindgap_options INTERFACE -Wno-subobject-linkage)
endif()

# One library target per folder: mindgap_<name>, used as mindgap::<name>.
function(mindgap_folder_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;PUBLIC;PRIVATE" ${ARGN})
  add_library(mindgap_${name} STATIC ${ARG_SOURCES})
  add_library(mindgap::${name} ALIAS mindgap_${name})
  set_target_properties(mindgap_${name} PROPERTIES EXPORT_NAME ${name})
  target_compile_features(mindgap_${name} PUBLIC cxx_std_20)
  target_include_directories(mindgap_${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(mindgap_${name}
    PUBLIC ${ARG_PUBLIC}
    PRIVATE $<BUILD_INTERFACE:mindgap_options> ${ARG_PRIVATE})
endfunction()

# A folder of src/mindgap: installed, and part of mindgap::mindgap.
function(mindgap_library name)
  mindgap_folder_library(${name} ${ARGN})
  set_property(GLOBAL APPEND PROPERTY MINDGAP_LIBRARIES mindgap_${name})
endfunction()

# A folder of src/paper: neither.
function(mindgap_paper_library name)
  mindgap_folder_library(${name} ${ARGN})
endfunction()

# For folders of words and options, which compute nothing that takes time: compiled for a short build.
function(mindgap_compile_quickly target)
  if(CMAKE_BUILD_TYPE STREQUAL "Release")
    target_compile_options(${target} PRIVATE -O1)
  endif()
endfunction()

# A program of ours: tests, benchmarks, examples and the command line.
function(mindgap_program name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBRARIES" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE mindgap_options ${ARG_LIBRARIES})
endfunction()
