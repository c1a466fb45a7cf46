#include "command_line.h"

int main(int argc, char** argv) {
  return mindgap::app::run_command_line({argv + (argc > 0 ? 1 : 0), argv + argc});
}
