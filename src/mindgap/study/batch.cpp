#include "mindgap/study/batch.h"

#include <algorithm>

#include "mindgap/base/error.h"
#include "mindgap/study/bytes.h"

namespace mindgap::study {
namespace {

void require(bool good) {
  if (!good) throw StoreError("a design of the study is damaged: it does not fit the model");
}

void check_policy(std::span<const std::int32_t> policy, const mdp::Mdp& mdp) {
  require(policy.size() == static_cast<std::size_t>(mdp.states()));
  for (std::int32_t s = 0; s < mdp.states(); ++s) require(mdp.pairs_of(s).contains(policy[s]));
}

}  // namespace

std::vector<double> Batch::route_probabilities(std::int32_t state) const {
  std::vector<double> count(routes.size(), 0.0);
  const auto first = std::lower_bound(shares.begin(), shares.end(), state,
                                      [](const Share& share, std::int32_t s) { return share.state < s; });
  double total = 0;
  for (auto it = first; it != shares.end() && it->state == state; ++it) {
    count[it->route] += static_cast<double>(it->count);
    total += static_cast<double>(it->count);
  }
  if (total == 0) {
    for (const Share& share : shares) {
      if (pair_on(share.route, 0, state) < 0) continue;
      count[share.route] += static_cast<double>(share.count);
      total += static_cast<double>(share.count);
    }
  }
  if (total == 0) return {};
  for (double& p : count) p /= total;
  return count;
}

std::string encode_batch(const Batch& batch) {
  ByteWriter out;
  out.text("mindgap-study-design/1").whole(batch.steps).list(std::span<const std::int32_t>(batch.policy));
  out.whole(static_cast<std::int64_t>(batch.routes.size()));
  for (const design::Route& route : batch.routes) out.list(std::span<const std::int32_t>(route.pair));
  out.list(std::span<const std::int32_t>(batch.route_of_unit));
  out.whole(static_cast<std::int64_t>(batch.shares.size()));
  for (const Batch::Share& share : batch.shares) out.whole(share.state).whole(share.route).whole(share.count);
  out.number(batch.before).number(batch.after).number(batch.relative_gap).number(batch.expected_loss);
  return out.bytes();
}

Batch decode_batch(std::string_view bytes, const mdp::Mdp& mdp, std::size_t units) {
  ByteReader in(bytes, "a design of the study");
  require(in.text() == "mindgap-study-design/1");
  Batch batch;
  batch.steps = in.whole();
  batch.states = mdp.states();
  batch.policy = in.list<std::int32_t>();
  const std::int64_t routes = in.whole();
  for (std::int64_t i = 0; i < routes; ++i) batch.routes.push_back({.pair = in.list<std::int32_t>()});
  batch.route_of_unit = in.list<std::int32_t>();
  for (std::int64_t left = in.whole(); left > 0; --left) {
    const std::int64_t state = in.whole(), route = in.whole(), count = in.whole();
    require(state >= 0 && state < mdp.states() && route >= 0 && route < routes && count > 0);
    batch.shares.push_back({static_cast<std::int32_t>(state), static_cast<std::int32_t>(route), count});
  }
  batch.before = in.number();
  batch.after = in.number();
  batch.relative_gap = in.number();
  batch.expected_loss = in.number();
  in.expect_end();
  const auto states = static_cast<std::size_t>(mdp.states());
  require(batch.steps >= 0 && batch.route_of_unit.size() == units);
  check_policy(batch.policy, mdp);
  for (const design::Route& route : batch.routes) {
    require(route.pair.size() == static_cast<std::size_t>(batch.steps) * states);
    for (std::size_t i = 0; i < route.pair.size(); ++i) {
      const auto s = static_cast<std::int32_t>(i % states);
      require(route.pair[i] == -1 || mdp.pairs_of(s).contains(route.pair[i]));
    }
  }
  for (const std::int32_t route : batch.route_of_unit) require(route >= Batch::kDrawn && route < routes);
  return batch;
}

std::string encode_policy(std::span<const std::int32_t> policy) {
  ByteWriter out;
  out.text("mindgap-study-policy/1").list(policy);
  return out.bytes();
}

std::vector<std::int32_t> decode_policy(std::string_view bytes, const mdp::Mdp& mdp) {
  ByteReader in(bytes, "a policy of the study");
  require(in.text() == "mindgap-study-policy/1");
  std::vector<std::int32_t> policy = in.list<std::int32_t>();
  in.expect_end();
  check_policy(policy, mdp);
  return policy;
}

}  // namespace mindgap::study
