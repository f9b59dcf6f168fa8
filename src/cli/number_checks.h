// SPDX-License-Identifier: Apache-2.0
//
// Checks of numbers on the command line. CLI11's own name the greatest double, all its 309 digits.
#pragma once

#include <string>
#include <utility>

#include <CLI/CLI.hpp>

namespace weir::cli {

/// A number of which `fits` is true; `what` says which numbers those are.
inline CLI::Validator NumberThat(bool (*fits)(double number), std::string what, std::string name) {
  return {[fits, what = std::move(what)](const std::string& text) {
            double number = 0;
            const bool is_one = CLI::detail::lexical_cast(text, number) && fits(number);
            return is_one ? std::string() : "'" + text + "' is no number " + what;
          },
          std::move(name)};
}

inline CLI::Validator PositiveNumber() {
  return NumberThat([](double number) { return number > 0; }, "above zero", "POSITIVE");
}

inline CLI::Validator NonNegativeNumber() {
  return NumberThat([](double number) { return number >= 0; }, "from zero on", "NONNEGATIVE");
}

}  // namespace weir::cli
