// SPDX-License-Identifier: Apache-2.0
//
// Checks of numbers on the command line. CLI11's own name the greatest double, all its 309 digits.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

namespace weir::cli {

/// A number above zero.
inline CLI::Validator PositiveNumber() {
  return {[](const std::string& text) {
            double number = 0;
            const bool fits = CLI::detail::lexical_cast(text, number) && number > 0;
            return fits ? std::string() : "'" + text + "' is no number above zero";
          },
          "POSITIVE"};
}

/// Zero or a number above it.
inline CLI::Validator NonNegativeNumber() {
  return {[](const std::string& text) {
            double number = 0;
            const bool fits = CLI::detail::lexical_cast(text, number) && number >= 0;
            return fits ? std::string() : "'" + text + "' is no number from zero on";
          },
          "NONNEGATIVE"};
}

}  // namespace weir::cli
