// SPDX-License-Identifier: Apache-2.0
#include "cli/shell/line_editor.h"

#include <histedit.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "base/text.h"

namespace weir::cli {
namespace {

constexpr int kHistoryLength = 1000;

// Empty when there is no place to keep it.
std::string HistoryFile() {
  std::filesystem::path folder;
  if (const char* state = std::getenv("XDG_STATE_HOME"); state != nullptr && *state != '\0') {
    folder = state;
  } else if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0') {
    folder = std::filesystem::path(home) / ".local" / "state";
  } else {
    return {};
  }
  folder /= "weir";
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  return error ? std::string() : (folder / "history").string();
}

}  // namespace

struct LineEditor::Impl {
  EditLine* editor = nullptr;
  History* history = nullptr;
  HistEvent event{};
  std::string history_file;
  std::string prompt;
  bool cancelled = false;

  static Impl* Of(EditLine* editor) {
    void* self = nullptr;
    el_get(editor, EL_CLIENTDATA, &self);
    return static_cast<Impl*>(self);
  }
  static char* Prompt(EditLine* editor) { return Of(editor)->prompt.data(); }
  static unsigned char Cancel(EditLine* editor, int) {
    Of(editor)->cancelled = true;
    return CC_NEWLINE;
  }
};

LineEditor::LineEditor() : impl_(std::make_unique<Impl>()) {
  impl_->history = history_init();
  history(impl_->history, &impl_->event, H_SETSIZE, kHistoryLength);
  history(impl_->history, &impl_->event, H_SETUNIQUE, 1);
  impl_->history_file = HistoryFile();
  if (!impl_->history_file.empty())
    history(impl_->history, &impl_->event, H_LOAD, impl_->history_file.c_str());

  impl_->editor = el_init("weir", stdin, stdout, stderr);
  el_set(impl_->editor, EL_CLIENTDATA, impl_.get());
  el_set(impl_->editor, EL_PROMPT, Impl::Prompt);
  el_set(impl_->editor, EL_EDITOR, "emacs");
  el_set(impl_->editor, EL_HIST, history, impl_->history);
  // At the prompt Ctrl-C is a key that drops the line; while a statement runs it is the signal.
  el_set(impl_->editor, EL_SETTY, "-d", "-isig", nullptr);
  el_set(impl_->editor, EL_ADDFN, "weir-cancel", "Drop the line", Impl::Cancel);
  el_set(impl_->editor, EL_BIND, "^C", "weir-cancel", nullptr);
  el_set(impl_->editor, EL_BIND, "^R", "em-inc-search-prev", nullptr);
  el_set(impl_->editor, EL_BIND, "\\e[1~", "ed-move-to-beg", nullptr);
  el_set(impl_->editor, EL_BIND, "\\e[4~", "ed-move-to-end", nullptr);
  el_set(impl_->editor, EL_BIND, "\\e[3~", "ed-delete-next-char", nullptr);
}

LineEditor::~LineEditor() {
  if (!impl_->history_file.empty()) {
    const mode_t saved = umask(077);
    history(impl_->history, &impl_->event, H_SAVE, impl_->history_file.c_str());
    umask(saved);
  }
  el_end(impl_->editor);
  history_end(impl_->history);
}

LineEditor::Got LineEditor::Read(const std::string& prompt, std::string& line) {
  impl_->prompt = prompt;
  impl_->cancelled = false;
  int count = 0;
  const char* text = el_gets(impl_->editor, &count);
  if (impl_->cancelled) return Got::kCancelled;
  if (text == nullptr || count <= 0) return Got::kEnd;
  line.assign(text, static_cast<size_t>(count));
  while (EndsWith(line, "\n") || EndsWith(line, "\r")) line.pop_back();
  return Got::kLine;
}

void LineEditor::AddToHistory(const std::string& statement) {
  std::string one_line = statement;
  std::replace(one_line.begin(), one_line.end(), '\n', ' ');
  history(impl_->history, &impl_->event, H_ENTER, one_line.c_str());
}

}  // namespace weir::cli
