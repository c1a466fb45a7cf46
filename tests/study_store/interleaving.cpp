#include "study_store/interleaving.h"

#include <algorithm>
#include <stdexcept>
#include <thread>
#include <utility>

#include "mindgap/base/listener.h"

namespace mindgap::study {
namespace {

thread_local int me = -1;  // none of the deeds

}  // namespace

void Interleaving::give_turn(int from) {
  Step next{0, {}, false, static_cast<std::uint8_t>(std::max(from, 0))};
  const auto look = [&] {
    for (std::size_t i = 0; i < workers_.size(); ++i) {
      if (is_able(workers_[i])) next.able.push_back(static_cast<std::uint8_t>(i));
    }
  };
  look();
  if (next.able.empty()) {
    turn_ = -1;
    changed_.notify_all();
    return;
  }
  const auto able = [&](int who) {
    return std::find(next.able.begin(), next.able.end(), who) != next.able.end();
  };
  next.free = from < 0 || !able(from);
  next.chosen = next.free ? next.able.front() : static_cast<std::uint8_t>(from);
  if (steps_.size() < choices_.size()) {
    next.chosen = choices_[steps_.size()];
    // Somebody has to go on, and the run is looked at in the end: it is another one than was asked for.
    if (!able(next.chosen)) next.chosen = next.able.front();
  }
  turn_ = next.chosen;
  workers_[next.chosen].waits = false;
  for (Worker& worker : workers_) std::erase(worker.for_whom, std::size_t{next.chosen});
  steps_.push_back(std::move(next));
  changed_.notify_all();
}

void Interleaving::take_turn(std::unique_lock<std::mutex>& lock, int who) {
  changed_.wait(lock, [&] { return turn_ == who; });
}

void Interleaving::step() {
  if (me < 0) return;
  std::unique_lock lock(mutex_);
  give_turn(me);
  take_turn(lock, me);
}

void Interleaving::wait() {
  if (me < 0) return;
  const std::lock_guard lock(mutex_);
  Worker& mine = workers_[static_cast<std::size_t>(me)];
  mine.waits = true;
  mine.for_whom.clear();
  for (std::size_t i = 0; i < workers_.size(); ++i)
    if (!workers_[i].done && !workers_[i].waits) mine.for_whom.push_back(i);
}

bool Interleaving::is_able(const Worker& worker) const {
  if (worker.done) return false;
  return !worker.waits || std::none_of(worker.for_whom.begin(), worker.for_whom.end(), [&](std::size_t i) {
    return !workers_[i].done && !workers_[i].waits;
  });
}

std::vector<Interleaving::Step> Interleaving::run(const std::vector<Deed>& deeds, const Choices& choices,
                                                  VfsWatch watch) {
  Interleaving all(deeds.size(), choices);
  watch.before = [&](const VfsCall&) { all.step(); };
  watch.waits = [&] { all.wait(); };
  watch_vfs(std::move(watch));
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < deeds.size(); ++i) {
    threads.emplace_back([&, i] {
      me = static_cast<int>(i);
      const base::Listening waiting({.look = [&] { all.wait(); }});  // for another writer
      {
        std::unique_lock lock(all.mutex_);
        all.take_turn(lock, me);
      }
      deeds[i]();
      const std::lock_guard lock(all.mutex_);
      all.workers_[i].done = true;
      all.give_turn(me);
    });
  }
  {
    const std::lock_guard lock(all.mutex_);
    all.give_turn(-1);
  }
  for (std::thread& thread : threads) thread.join();
  watch_vfs({});
  for (std::size_t i = 0; i < choices.size(); ++i) {
    if (i >= all.steps_.size() || all.steps_[i].chosen != choices[i])
      throw std::logic_error("the same choices gave another run");
  }
  return all.steps_;
}

std::int64_t Interleaving::explore(int interruptions, std::int64_t most,
                                   const std::function<std::vector<Step>(const Choices&)>& each) {
  std::vector<Choices> ahead(1);
  std::int64_t runs = 0;
  while (!ahead.empty() && runs < most) {
    const Choices choices = std::move(ahead.back());
    ahead.pop_back();
    const std::vector<Step> steps = each(choices);
    ++runs;
    Choices taken;
    int spent = 0;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const Step& step = steps[i];
      for (const std::uint8_t other : step.able) {
        if (i < choices.size() || other == step.chosen || spent + (step.free ? 0 : 1) > interruptions)
          continue;
        ahead.push_back(taken);
        ahead.back().push_back(other);
      }
      taken.push_back(step.chosen);
      spent += !step.free && step.chosen != step.before ? 1 : 0;
    }
  }
  return runs;
}

}  // namespace mindgap::study
