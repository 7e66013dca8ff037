// A long text in pieces, most of which are borrowed.
//
// For texts that are too large to copy: the text of a stored state consists of the objects that
// were read and a few bytes around each.
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <utility>

namespace tofu::base {

class TextPieces {
 public:
  TextPieces() = default;
  explicit TextPieces(std::string text) : copied_(std::move(text)) {
    if (!copied_.empty()) pieces_.push_back({nullptr, 0, copied_.size()});
    size_ = copied_.size();
  }

  // Copies it.
  void append(std::string_view text);
  // The owner of a borrowed piece keeps it unchanged as long as this is used.
  void append_lent(std::string_view text);

  std::size_t size() const { return size_; }
  std::string joined() const;
  // Calls with every piece, in their order.
  template <class Take>
  void for_each(const Take& take) const {
    for (const Piece& piece : pieces_) take(view(piece));
  }

  // Reads the text from its beginning to its end. The pieces outlive it.
  class Reader {
   public:
    explicit Reader(const TextPieces& text) : text_(text) {}

    // Fills `into` as far as there is text; gives how much that was.
    std::size_t read(char* into, std::size_t room);
    void seek(std::size_t offset);  // not behind the end

   private:
    const TextPieces& text_;
    std::size_t piece_ = 0;
    std::size_t at_ = 0;  // in the piece
  };

 private:
  struct Piece {
    const char* lent;    // null: it is in copied_
    std::size_t offset;  // there
    std::size_t length;
  };

  std::string_view view(const Piece& piece) const {
    const char* data = piece.lent != nullptr ? piece.lent : copied_.data() + piece.offset;
    return {data, piece.length};
  }

  std::deque<Piece> pieces_;
  std::string copied_;  // one behind the other
  std::size_t size_ = 0;
};

}  // namespace tofu::base
