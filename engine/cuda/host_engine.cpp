#include "host_engine.h"

#include "batch.h"
#include "host_backend.h"

namespace mindgap::engine {

const MindgapEngine* host_engine() {
  return Engine<HostBackend>::table("host");
}

}  // namespace mindgap::engine
