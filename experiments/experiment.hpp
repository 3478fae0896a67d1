// SPDX-License-Identifier: BSD-3-Clause
// One table or figure of a paper: what is compared on which matrices, and what is concluded and drawn from
// that.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/formula.hpp"

namespace gossamer::experiments {

using json = nlohmann::ordered_json;

/// Option names and values as text, as in gossamer/formats.hpp.
using option_texts = std::vector<std::pair<std::string, std::string>>;

enum class place {
  asked,        ///< the device of the command line
  all_of_cpu,   ///< the cpu with the threads of the command line, whatever device it names
  one_cpu_core  ///< one thread of the cpu, whatever the command line says
};

/// Which entries of the matrix a series multiplies by: of each row the first k, or the others (see
/// `splitting`). A portion is a matrix of the same shape.
enum class portion { whole, head, tail };

/// Where the k of the portions comes from: what a format's automatic option becomes for the matrix on the
/// device.
struct splitting {
  std::string format;
  std::string option;
};

enum class effort {
  timed,  ///< one product, with the options given
  /// The format's default and every other setting that it counts as worth timing; the fastest is the series'
  searched,
  forecast  ///< what the format would make of the matrix: options and bytes, before anything is prepared
};

/// Who multiplies a set of the matrix's rows each, at the same moment. Vectors are on the host.
enum class parties {
  none,       ///< the rows are not partitioned
  each_core,  ///< a group of one thread for each thread of the command line; equal powers
  /// Each GPU that is here, and one group of the threads that lead none; by the powers of the command line
  /// or measured ones.
  gpus_and_cores,
  one_gpu,  ///< the first GPU has all rows
  /// Of each row, the first GPU has the entries in square blocks along the diagonal, and the threads that do
  /// not lead it have the others (paper 004, Algorithm 4).
  blocks_on_gpu
};

/// One bar of each group, or one curve. Formats, peers and algorithms are named by their words alone: one
/// that this build or machine does not have gives rows whose status is "absent".
struct series {
  std::string label;  ///< as in the legend; no two of an experiment have the same
  std::string format;
  option_texts options;
  option_texts gpu_options;  ///< added on a GPU: options that a CPU does not have
  std::string peer;          ///< instead of a format
  /// "rows", "nnz" or "pmf": how the rows are partitioned. Without `among`, the experiment's powers count and
  /// only the partitioning is timed, instead of a format. With it, the partitioning is timed apart from the
  /// product.
  std::string algorithm;
  parties among = parties::none;
  std::string gpu_format;   ///< of the parts on GPUs; empty: `format` with its options
  bool rebalanced = false;  ///< powers corrected by the times that the parts take with the matrix
  /// Instead of both, labels of series: of each matrix, the fastest of them.
  std::vector<std::string> fastest_of;
  place where = place::asked;
  portion of = portion::whole;
  effort how = effort::timed;
  bandwidth_formula formula = bandwidth_formula::none;
  bool drawn = true;  ///< false: measured because another series needs it
};

/// Two series to be compared in the report.
struct order {
  std::string faster;
  std::string slower;
};

/// Whose time is divided by whose.
enum class comparison {
  none,
  over_subject,  ///< how much faster each series is than the subject
  of_subject     ///< how much faster the subject is than each series
};

/// Rows as `gossamer experiment --json` writes them (docs/guides/experiments.md).
using rows = json;

struct experiment {
  std::string name;                   ///< "folder/idea", as on the command line
  std::string source;                 ///< paper, and figure or table
  std::string shows;                  ///< in one line
  std::string value;                  ///< "f32" or "f64": the paper's, where the command line says nothing
  std::vector<std::string> matrices;  ///< MATRIX arguments of the command line
  bool every_file = false;            ///< also each file of the folder of --matrices
  std::vector<series> all_series;
  comparison compared = comparison::none;
  std::string subject;  ///< a series' label
  std::vector<order> orders;
  splitting split;             ///< where a series is of a portion
  std::vector<double> powers;  ///< where a series is of an algorithm alone: of each processor, in any unit
  /// Not empty: it is a run of another program, and these scripts of the source tree make its document. Its
  /// rows have `preconditioner`, `series`, `status` and seconds.
  std::string made_by = {};
  /// Not empty: series are solvers of this method, for example "cg", instead of products. A series of a
  /// format is our solver with a plan of that format, a series of a peer is a loop of that name
  /// (bench_support/loops). `seconds` of a row are those of one iteration.
  std::string loop = {};
  /// Experiments that have each of these series too, so that their documents can be drawn as this one.
  std::vector<std::string> drawn_from;

  /// Conclusions for people, as lines; from any number of rows, also none.
  std::function<std::string(const experiment&, const rows&)> report;
  /// An SVG document; empty: there is nothing to draw.
  std::function<std::string(const experiment&, const rows&)> draw;
};

}  // namespace gossamer::experiments
