#pragma once

#include <memory>

#include "bindings/bindings.h"
#include "mindgap/base/workers.h"

namespace mindgap::python {

/// Workers that Python finds (mindgap/_cluster.py): `given` has
///   begin(inputs)
///   run(name, first, last, grain, here, take, digest)
/// with here(first, last) -> bytes, take(first, last, bytes) -> whether to go on, digest(first, last, bytes)
/// -> bytes or None; bytes are float64. What Python raises ends the call. Null where `given` is None.
std::unique_ptr<base::Workers> python_workers(nb::object given, LongCall& call);

}  // namespace mindgap::python
