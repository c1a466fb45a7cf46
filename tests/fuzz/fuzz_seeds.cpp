// Writes the seeds of the fuzz targets: fuzz_seeds FOLDER
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "fuzz/small_models.h"
#include "mindgap/files/model_file.h"

namespace {

using namespace mindgap::mdp;
using namespace mindgap::files;
namespace fs = std::filesystem;

std::string read(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

void write_seed(const Model& model, const fs::path& root, const std::string& name) {
  write_model(model, root / "fuzz_hdf5_probe" / (name + ".h5"));
  const fs::path folder = root / "scratch";
  write_model(model, folder);
  std::ofstream out(root / "fuzz_model_folder" / name, std::ios::binary);
  for (const char* file : {"model.toml", "states.csv", "rewards.csv", "transitions.csv", "prior.csv"}) {
    out << (fs::exists(folder / file) ? read(folder / file) : "") << '\x1e';
  }
  out << "state,action,probability\nright,stay,1\n\"left, \"\"L\"\"\",go,1\n";
  fs::remove_all(folder);
}

// One of each table that fuzz_tables reads; the first byte says which.
void write_tables(const fs::path& folder) {
  const char* const tables[] = {
      "unit,step,state,action,reward,next_state,censored\nu,0,a,x,1,a,0\n\"v\nw\",1,\"b,c\",x,2,a,1\n",
      "state,action,count\na,x,3\n",
      "unit,state\nu,a\nv,\"b,c\"\n",
      "state,action\na,y\n",
      "state,per_step\na,2\n",
      "state,action,cost\na,x,1.5\n",
      "1,2\n3,4\n",
  };
  fs::create_directories(folder);
  char kind = 0;
  for (const char* table : tables) {
    std::ofstream out(folder / ("table-" + std::to_string(kind)), std::ios::binary);
    out << kind++ << table;
  }
}

// Requests as the page and programs send them.
void write_requests(const fs::path& folder) {
  const std::string result =
      R"({"id":"abcdefgh-1","seen":3,"unit":"u0","step":0,"reward":1.5,"next_state":"north","units":["a"],"correct":true})";
  const std::string requests[] = {
      "GET /api/v1/events?since=1&unit=u%200&limit=5 HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: a=b; "
      "mindgap=c\r\n\r\n",
      "POST /api/v1/results HTTP/1.1\r\nHost: [::1]:8080\r\nContent-Type: application/json\r\nX-CSRF-Token: "
      "x\r\nContent-Length: " +
          std::to_string(result.size()) + "\r\n\r\n" + result,
      "PUT /api/v1/people/a HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
  };
  fs::create_directories(folder);
  int number = 0;
  for (const std::string& request : requests)
    std::ofstream(folder / ("request-" + std::to_string(number++)), std::ios::binary) << request;
}

// The smallest world there is.
void write_world(const fs::path& folder) {
  fs::create_directories(folder);
  std::ofstream out(folder / "world", std::ios::binary);
  out << "format = \"mindgap-world/1\"\nname = \"w\"\ndiscount = 0.9\nstates = \"states.csv\"\nactions = "
         "[\"x\"]\n"
         "hidden = [\"h\", \"k\"]\nrewards = \"rewards.csv\"\ntransitions = \"transitions.csv\"\n\x1e"
         "name,start\na,1\n\x1e"
         "state,hidden,action,reward,variance\na,h,x,1,0.5\na,k,x,2,0\n\x1e"
         "state,hidden,action,next_state,next_hidden,probability\na,h,x,a,h,0.5\na,h,x,a,k,0.5\na,k,x,a,k,"
         "1\n\x1e"
         "state,hidden,action,probability\na,h,x,1\na,k,x,1\n\x1e"
         "state,hidden,probability\na,h,0.25\na,k,0.75\n\x1e"
         "state,hidden,probability\na,h,0.5\na,k,0.5\n";
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: fuzz_seeds FOLDER\n", stderr);
    return 2;
  }
  const fs::path root = argv[1];
  write_tables(root / "fuzz_tables");
  write_world(root / "fuzz_world");
  write_requests(root / "fuzz_study_api");
  fs::create_directories(root / "fuzz_model_folder");
  fs::create_directories(root / "fuzz_hdf5_probe");
  for (const Model& model : small_models()) write_seed(model, root, model.name);
  for (const Model& model : further_models())
    write_model(model, root / "fuzz_hdf5_probe" / (model.name + ".h5"));
}
