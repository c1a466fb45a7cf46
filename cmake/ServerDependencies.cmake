# What the study's server needs beside what the library does. Only the program has a server: neither users of the library nor the
# Python package need these.
find_package(OpenSSL 3.0 COMPONENTS SSL Crypto QUIET)
find_package(Sodium QUIET)
find_package(httplib MODULE QUIET)
set(server_missing "")
foreach(entry OpenSSL=libssl-dev Sodium=libsodium-dev httplib=libcpp-httplib-dev)
  string(REPLACE "=" ";" entry ${entry})
  list(GET entry 0 name)
  if(NOT ${name}_FOUND)
    list(GET entry 1 debian)
    list(APPEND server_missing ${debian})
  endif()
endforeach()
if(server_missing)
  list(JOIN server_missing " " server_missing)
  message(FATAL_ERROR "The program's study server (mindgap study serve) needs libraries that are missing. On Debian and "
    "Ubuntu, as root:\n  apt-get install ${server_missing}\nor `tools/setup build` in a checkout.")
endif()
