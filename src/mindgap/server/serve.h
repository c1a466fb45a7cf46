#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "mindgap/base/run.h"
#include "mindgap/server/gate.h"
#include "mindgap/server/people.h"

// `mindgap study serve`: a study for a team, over HTTP.
namespace mindgap::server {

struct ServeRequest {
  std::string folder = {};
  std::string listen = "127.0.0.1:8080";           // port 0: any that is free
  std::string tls_certificate = {}, tls_key = {};  // files (PEM), both or neither
  std::string public_url = {};  // where a reverse proxy with TLS stands before it: what people type
  std::string key = {};         // of a study that is signed
  std::string page = {};        // a folder to serve instead of the page that is built in
  double rate = 50;             // requests a second of each person
  double burst = 200;
  base::Run run = {};  // its listener's `stop` ends it
  HashCost cost = HashCost::interactive;
  GateOptions gate = {};  // limits and times; where it listens is said above
};

class Server {
 public:
  /// Takes the study and listens. Throws InvalidArgument (also where there are no users and others could
  /// reach it) and StoreError.
  explicit Server(const ServeRequest& request);
  ~Server();

  int port() const;
  std::string url() const;
  /// What whoever starts it should know; a line each.
  std::vector<std::string> notes() const;
  /// Until stop(), or until the listener wants it. What was acknowledged is on the disk.
  void run();
  void stop();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mindgap::server
