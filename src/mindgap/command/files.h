#pragma once

#include "mindgap/files/model_file.h"
#include "mindgap/files/model_hdf5.h"
#include "mindgap/files/named_file.h"
#include "mindgap/files/output.h"
#include "mindgap/files/place.h"
#include "mindgap/files/shard_folder.h"
#include "mindgap/files/shared_errors_file.h"
#include "mindgap/files/text_file.h"
#include "mindgap/study/model_blob.h"

// The files around a command, for whoever calls it: models in, what answers give out, and the folder of those
// who share a computation.
namespace mindgap::command {

using files::AllowOutside;
using files::leave_hdf5_quietly;
using files::map_model_hdf5;
using files::read_model;
using files::write_model;
// A whole model as bytes.
using study::decode_model;
using study::encode_model;

// Errors that pairs share, as a user states them.
using files::shared_spec;
using files::SharedToml;

using files::absolute_path;
using files::check_writable;
using files::open_text_file;
using files::write_file;

using files::is_shard_folder;
using files::read_shard_run;
using files::Shard;
using files::ShardFolder;
using files::ShardRun;

}  // namespace mindgap::command
