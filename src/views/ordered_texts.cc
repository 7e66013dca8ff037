#include "views/ordered_texts.h"

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <utility>
#include <vector>

#include "base/task.h"
#include "base/thread.h"
#include "syntax/ast.h"

namespace tofu::views {

namespace {

constexpr std::size_t kThings = 64;                     // in a piece
constexpr std::size_t kFew = 4 * kThings;               // not worth a thread
constexpr std::size_t kMaxText = std::size_t{1} << 20;  // of a piece
constexpr std::size_t kAhead = 4;                       // pieces for each thread

struct Piece {
  std::span<const std::uint32_t> left;  // whose text is not made yet
  std::string text = {};
  bool made = false;
};

class OrderedTexts {
 public:
  OrderedTexts(std::span<const std::uint32_t> things, const MakeText& make,
               const std::function<void()>& meanwhile)
      : make_(make), rest_(things), meanwhile_(meanwhile) {
    const std::size_t threads = things.size() < kFew ? 1 : base::processors();
    most_ = threads * kAhead;
    for (std::size_t i = 1; i < threads; ++i) {
      helpers_.emplace_back(syntax::kTaskStack, [this, i] {
        if (i == 1) do_meanwhile();
        help();
      });
    }
  }
  OrderedTexts(const OrderedTexts&) = delete;
  OrderedTexts& operator=(const OrderedTexts&) = delete;
  ~OrderedTexts() {
    const std::lock_guard lock(mutex_);
    rest_ = {};
    changed_.notify_all();
  }

  void write(const std::function<void(std::string_view)>& out) {
    std::unique_lock lock(mutex_);
    while (!pieces_.empty() || !rest_.empty()) {
      if (!pieces_.empty() && pieces_.front().made) {
        Piece piece = std::move(pieces_.front());
        pieces_.pop_front();
        changed_.notify_all();
        lock.unlock();
        const bool was_long = finish(piece, out);
        lock.lock();
        // Large texts are better made a few at a time: the rest of a piece is left to us.
        if (was_long) size_ = std::max<std::size_t>(1, size_ / 4);
      } else if (can_take()) {
        make_next(lock);
      } else {
        changed_.wait(lock);
      }
    }
    lock.unlock();
    if (helpers_.empty()) do_meanwhile();
    helpers_.clear();
    task_.check();
  }

 private:
  void do_meanwhile() {
    if (meanwhile_) task_.run(meanwhile_);
  }

  bool can_take() const { return !rest_.empty() && pieces_.size() < most_; }

  void help() {
    std::unique_lock lock(mutex_);
    while (!rest_.empty()) {
      if (can_take()) {
        make_next(lock);
      } else {
        changed_.wait(lock);
      }
    }
  }

  // Takes the next piece and makes it, without the lock.
  void make_next(std::unique_lock<std::mutex>& lock) {
    const std::size_t size = std::min(size_, rest_.size());
    Piece& piece = pieces_.emplace_back(Piece{rest_.first(size)});
    rest_ = rest_.subspan(size);
    lock.unlock();
    task_.run([&] { make(piece); });
    lock.lock();
    piece.made = true;
    changed_.notify_all();
  }

  void make(Piece& piece) const {
    base::Arena arena;
    for (; !piece.left.empty() && piece.text.size() < kMaxText;
         piece.left = piece.left.subspan(1)) {
      make_(piece.left.front(), arena, piece.text);
    }
  }

  // Writes a piece that was made, and whatever its limit left out. Whether it did.
  bool finish(Piece& piece, const std::function<void(std::string_view)>& out) const {
    out(piece.text);
    const bool was_long = !piece.left.empty();
    while (!piece.left.empty()) {
      piece.text.clear();
      make(piece);
      out(piece.text);
    }
    return was_long;
  }

  const MakeText& make_;
  base::Task task_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::span<const std::uint32_t> rest_;  // not taken yet
  const std::function<void()>& meanwhile_;
  std::deque<Piece> pieces_;  // taken and not written yet, in order
  std::size_t size_ = kThings;
  std::size_t most_ = 0;
  std::vector<base::Thread> helpers_;  // the last member: joined while the others are there
};

}  // namespace

void write_in_order(std::span<const std::uint32_t> things, const MakeText& make,
                    const std::function<void(std::string_view)>& out,
                    const std::function<void()>& meanwhile) {
  OrderedTexts(things, make, meanwhile).write(out);
}

}  // namespace tofu::views
