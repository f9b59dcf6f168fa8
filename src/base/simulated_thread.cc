// SPDX-License-Identifier: Apache-2.0
#include "base/simulated_thread.h"

#include <chrono>
#include <thread>
#include <utility>

namespace weir {
namespace {

thread_local SimulatedThread* this_thread = nullptr;

}  // namespace

SimulatedThread::SimulatedThread(std::function<void(int64_t millis)> pause)
    : pause_(std::move(pause)) {
  this_thread = this;
}

SimulatedThread::~SimulatedThread() { this_thread = nullptr; }

bool SimulatedThread::IsThisOne() { return this_thread != nullptr; }

void PauseMillis(int64_t millis) {
  if (this_thread) return this_thread->pause_(millis);
  std::this_thread::sleep_for(std::chrono::milliseconds(millis));
}

}  // namespace weir
