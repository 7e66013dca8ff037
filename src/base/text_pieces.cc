#include "base/text_pieces.h"

namespace tofu::base {

void TextPieces::append(std::string_view text) {
  if (text.empty()) return;
  const bool goes_on = !pieces_.empty() && pieces_.back().lent == nullptr;
  if (goes_on) {
    pieces_.back().length += text.size();
  } else {
    pieces_.push_back({nullptr, copied_.size(), text.size()});
  }
  copied_ += text;
  size_ += text.size();
}

void TextPieces::append_lent(std::string_view text) {
  if (text.empty()) return;
  pieces_.push_back({text.data(), 0, text.size()});
  size_ += text.size();
}

std::string TextPieces::joined() const {
  std::string all;
  all.reserve(size_);
  for_each([&](std::string_view piece) { all += piece; });
  return all;
}

std::size_t TextPieces::Reader::read(char* into, std::size_t room) {
  std::size_t filled = 0;
  while (filled < room && piece_ < text_.pieces_.size()) {
    const std::string_view piece = text_.view(text_.pieces_[piece_]);
    const std::size_t taken = piece.copy(into + filled, room - filled, at_);
    filled += taken;
    at_ += taken;
    if (at_ < piece.size()) break;
    ++piece_;
    at_ = 0;
  }
  return filled;
}

void TextPieces::Reader::seek(std::size_t offset) {
  for (piece_ = 0; piece_ < text_.pieces_.size(); ++piece_) {
    const std::size_t length = text_.pieces_[piece_].length;
    if (offset < length) break;
    offset -= length;
  }
  at_ = offset;
}

}  // namespace tofu::base
