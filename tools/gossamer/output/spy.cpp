// SPDX-License-Identifier: BSD-3-Clause
// Counts entries in the cells of a grid, and writes each grey level as one path.
#include "output/spy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace gossamer::cli {
namespace {

constexpr std::int64_t most_cells = 200;
constexpr int longest_side = 600;  // pixels
constexpr int shortest_side = 90;  // so that 73 x 123409 is still seen
constexpr int left = 90;
constexpr int top = 70;
constexpr int right = 40;
constexpr int bottom = 50;
constexpr int levels = 12;

struct grid {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::vector<std::int64_t> count;  ///< entries of each cell, by rows
  std::int64_t largest = 0;
};

struct picture_size {
  int width = longest_side;
  int height = longest_side;
};

/// One side of the drawing; `share` is its length over the other's.
int side(double share) {
  return std::clamp(static_cast<int>(std::lround(longest_side * std::min(1.0, share))), shortest_side,
                    longest_side);
}

picture_size size_of(std::int64_t rows, std::int64_t cols) {
  if (rows == 0 || cols == 0) return {shortest_side * 2, shortest_side * 2};
  const double tall = static_cast<double>(rows) / static_cast<double>(cols);
  return {side(1 / tall), side(tall)};
}

template <class V, class O>
grid count_entries(const csr_view<V, O>& a, const picture_size& size) {
  constexpr int smallest_cell = 3;  // pixels
  grid g{.rows = std::min({a.rows, most_cells, std::int64_t{size.height / smallest_cell}}),
         .cols = std::min({a.cols, most_cells, std::int64_t{size.width / smallest_cell}})};
  g.count.resize(static_cast<std::size_t>(g.rows * g.cols));
  for (std::int64_t i = 0; i < a.rows && a.cols > 0; ++i) {
    const std::int64_t first = i * g.rows / a.rows * g.cols;
    const auto end = static_cast<std::size_t>(a.row_ptr[static_cast<std::size_t>(i) + 1]);
    for (auto k = static_cast<std::size_t>(a.row_ptr[static_cast<std::size_t>(i)]); k < end; ++k)
      ++g.count[static_cast<std::size_t>(first + a.col[k] * g.cols / a.cols)];
  }
  for (const std::int64_t c : g.count) g.largest = std::max(g.largest, c);
  return g;
}

/// 0: no entry; 1 (light) to `levels` (black), logarithmic, so that a single entry next to a dense block is
/// seen.
int level_of(std::int64_t count, std::int64_t largest) {
  if (count == 0) return 0;
  const double share = std::log1p(static_cast<double>(count)) / std::log1p(static_cast<double>(largest));
  return std::clamp(static_cast<int>(std::ceil(share * levels)), 1, levels);
}

/// Runs of cells of one level, as one path a level: a hundredth of the text that a rectangle a cell would be.
std::string paths(const grid& g) {
  std::vector<std::string> path(levels + 1);
  for (std::int64_t i = 0; i < g.rows; ++i) {
    const std::int64_t* row = g.count.data() + i * g.cols;
    for (std::int64_t begin = 0; begin < g.cols;) {
      const int level = level_of(row[begin], g.largest);
      std::int64_t end = begin + 1;
      while (end < g.cols && level_of(row[end], g.largest) == level) ++end;
      if (level > 0)
        path[static_cast<std::size_t>(level)] +=
            fmt::format("M{} {}h{}v1h{}z", begin, i, end - begin, begin - end);
      begin = end;
    }
  }
  std::string text;
  for (int level = 1; level <= levels; ++level) {
    const std::string& d = path[static_cast<std::size_t>(level)];
    const int grey = 208 - 208 * (level - 1) / (levels - 1);
    if (!d.empty()) text += fmt::format("<path fill=\"rgb({0},{0},{0})\" d=\"{1}\"/>\n", grey, d);
  }
  return text;
}

/// Names come from files and from the command line: markup is escaped, and what may be no UTF-8 is left out.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '&')
      result += "&amp;";
    else if (c == '<')
      result += "&lt;";
    else if (c == '>')
      result += "&gt;";
    else if (c == '"')
      result += "&quot;";
    else
      result += c >= ' ' && c <= '~' ? c : '?';
  }
  return result;
}

std::string label(int x, int y, const char* anchor, std::string_view words, std::string_view more = {}) {
  return fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"{}\"{}>{}</text>\n", x, y, anchor, more, words);
}

std::string caption(const grid& g, std::int64_t rows, std::int64_t cols) {
  if (g.largest == 0) return "no entries";
  const auto each = [](std::int64_t all, std::int64_t cells) { return (all + cells - 1) / cells; };
  const std::int64_t high = each(rows, g.rows);
  const std::int64_t wide = each(cols, g.cols);
  if (high == 1 && wide == 1 && g.largest == 1) return "black: an entry";
  return fmt::format("entries in a cell of {} x {}: 1 (light) to {} (black)", high, wide, g.largest);
}

}  // namespace

template <value V, offset O>
std::string spy_picture(const csr_view<V, O>& a, std::string_view name) {
  const picture_size size = size_of(a.rows, a.cols);
  const grid g = count_entries(a, size);
  const int page_width = std::max(left + size.width + right, 440);
  const int page_height = top + size.height + bottom;
  const std::string title =
      escaped(name.size() > 60 ? fmt::format("{}...", name.substr(0, 57)) : std::string(name));

  std::string svg = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  svg += fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
      "font-family=\"sans-serif\" font-size=\"13\">\n<title>{2}</title>\n"
      "<rect width=\"{0}\" height=\"{1}\" fill=\"white\"/>\n",
      page_width, page_height, title);
  svg += label(left, 24, "start",
               fmt::format("<tspan font-weight=\"bold\">{}</tspan>: {} x {}, {} nonzeros", title, a.rows,
                           a.cols, a.nnz()));
  svg += label(left + size.width / 2, top - 22, "middle", fmt::format("{} columns", a.cols));
  svg += label(22, top + size.height / 2, "middle", fmt::format("{} rows", a.rows),
               fmt::format(" transform=\"rotate(-90 22 {})\"", top + size.height / 2));
  if (a.cols > 0) {
    svg += label(left, top - 6, "start", "1");
    svg += label(left + size.width, top - 6, "end", fmt::format("{}", a.cols));
  }
  if (a.rows > 0) {
    svg += label(left - 6, top + 11, "end", "1");
    svg += label(left - 6, top + size.height, "end", fmt::format("{}", a.rows));
  }
  if (g.rows > 0 && g.cols > 0) {
    svg += fmt::format(
        "<g transform=\"translate({} {}) scale({:.6f} {:.6f})\" shape-rendering=\"crispEdges\">\n{}</g>\n",
        left, top, static_cast<double>(size.width) / static_cast<double>(g.cols),
        static_cast<double>(size.height) / static_cast<double>(g.rows), paths(g));
  }
  svg += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"black\"/>\n",
                     left, top, size.width, size.height);
  svg += label(left, top + size.height + 24, "start", caption(g, a.rows, a.cols));
  return svg + "</svg>\n";
}

template std::string spy_picture(const csr_view<float, std::int32_t>&, std::string_view);
template std::string spy_picture(const csr_view<float, std::int64_t>&, std::string_view);
template std::string spy_picture(const csr_view<double, std::int32_t>&, std::string_view);
template std::string spy_picture(const csr_view<double, std::int64_t>&, std::string_view);

}  // namespace gossamer::cli
