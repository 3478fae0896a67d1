// SPDX-License-Identifier: BSD-3-Clause
// Reference solvers as sequences of products and BLAS calls, written once for all libraries. Blas is
// device_blas or host_blas: it owns vectors and scalars in its memory, and takes scalars by address.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "bench_support/loops/loop_base.hpp"
#include "bench_support/loops/scalar_updates.hpp"

namespace gossamer::bench_support::loops {

/// The products of a step, and how it updates vectors.
template <value V>
struct step_products {
  std::shared_ptr<peer_product<V>> forward;
  std::shared_ptr<peer_product<V>> transposed;  ///< null where the method has none
  bool by_geam = false;                         ///< cuBLAS: a sum of two vectors is one call
};

/// Conjugate gradients. Each method has these members: `transposes` (it multiplies by the transpose),
/// start(), iterate(), solution(), and residual() if a recursion has its norm. After two iterations, all
/// vectors are in the same places.
template <class Blas>
class cg_steps {
 public:
  using V = typename Blas::value_type;
  static constexpr bool transposes = false;

  cg_steps(Blas& blas, const loop_input<V>& in)
      : blas_(blas),
        size_(in.a.rows),
        b_(blas.vector_of(in.problem.b)),
        x_(blas.new_vector(size_)),
        r_(blas.new_vector(size_)),
        p_(blas.new_vector(size_)),
        q_(blas.new_vector(size_)),
        scalars_(blas.scalars_of(cg_scalars<V>{.one = V{1}})) {}

  void start(const step_products<V>&) {
    auto* const s = scalars_.data();
    blas_.zero(x_);
    blas_.copy(size_, b_.data(), r_.data());
    blas_.copy(size_, b_.data(), p_.data());
    blas_.dot(size_, r_.data(), r_.data(), &s->rr);
  }
  void iterate(const step_products<V>& how) {
    auto* const s = scalars_.data();
    blas_.multiply(*how.forward, V{1}, p_, V{0}, q_);
    blas_.dot(size_, p_.data(), q_.data(), &s->pq);
    blas_.template update<cg_alpha<V>>(s);
    blas_.axpy(size_, &s->alpha, p_.data(), x_.data());
    blas_.axpy(size_, &s->minus_alpha, q_.data(), r_.data());
    blas_.dot(size_, r_.data(), r_.data(), &s->rr_next);
    blas_.template update<cg_beta<V>>(s);
    blas_.sum(size_, &s->one, r_.data(), &s->beta, p_.data(), how.by_geam);
  }
  double residual() { return std::sqrt(static_cast<double>(blas_.fetch(&scalars_.data()->rr))); }
  [[nodiscard]] const auto& solution() const { return x_; }

 private:
  Blas& blas_;
  std::int64_t size_;
  typename Blas::vector b_;
  typename Blas::vector x_;
  typename Blas::vector r_;
  typename Blas::vector p_;
  typename Blas::vector q_;
  typename Blas::template scalars<cg_scalars<V>> scalars_;
};

/// MINRES of Paige and Saunders. Lanczos vectors and directions alternate between two places each.
template <class Blas>
class minres_steps {
 public:
  using V = typename Blas::value_type;
  static constexpr bool transposes = false;

  minres_steps(Blas& blas, const loop_input<V>& in)
      : blas_(blas),
        size_(in.a.rows),
        b_(blas.vector_of(in.problem.b)),
        x_(blas.new_vector(size_)),
        v_{blas.new_vector(size_), blas.new_vector(size_)},
        w_{blas.new_vector(size_), blas.new_vector(size_)},
        scalars_(blas.scalars_of(minres_scalars<V>{})) {}

  void start(const step_products<V>&) {
    auto* const s = scalars_.data();
    current_ = 0;
    for (auto* each : {&x_, &v_[1], &w_[0], &w_[1]}) blas_.zero(*each);
    blas_.copy(size_, b_.data(), v_[0].data());
    blas_.dot(size_, b_.data(), b_.data(), &s->qq);
    blas_.template update<minres_start<V>>(s);
    blas_.scal(size_, &s->inverse_beta, v_[0].data());
  }
  void iterate(const step_products<V>& how) {
    auto* const s = scalars_.data();
    auto& v = v_[current_];
    auto& next = v_[1 - current_];  // begins as the vector before v
    auto& w = w_[current_];
    auto& last = w_[1 - current_];  // becomes the next direction
    blas_.scal(size_, &s->minus_beta, next.data());
    blas_.multiply(*how.forward, V{1}, v, V{1}, next);
    blas_.dot(size_, v.data(), next.data(), &s->vq);
    blas_.template update<minres_alpha<V>>(s);
    blas_.axpy(size_, &s->minus_alpha, v.data(), next.data());
    blas_.dot(size_, next.data(), next.data(), &s->qq);
    blas_.template update<minres_rotation<V>>(s);
    blas_.scal(size_, &s->inverse_beta, next.data());
    blas_.sum(size_, &s->of_v, v.data(), &s->of_last, last.data(), how.by_geam);
    blas_.axpy(size_, &s->of_w, w.data(), last.data());
    blas_.axpy(size_, &s->phi, last.data(), x_.data());
    current_ = 1 - current_;
  }
  double residual() { return std::abs(static_cast<double>(blas_.fetch(&scalars_.data()->phibar))); }
  [[nodiscard]] const auto& solution() const { return x_; }

 private:
  Blas& blas_;
  std::int64_t size_;
  typename Blas::vector b_;
  typename Blas::vector x_;
  typename Blas::vector v_[2];
  typename Blas::vector w_[2];
  typename Blas::template scalars<minres_scalars<V>> scalars_;
  std::size_t current_ = 0;
};

/// LSQR of Paige and Saunders.
template <class Blas>
class lsqr_steps {
 public:
  using V = typename Blas::value_type;
  static constexpr bool transposes = true;

  lsqr_steps(Blas& blas, const loop_input<V>& in)
      : blas_(blas),
        rows_(in.a.rows),
        cols_(in.a.cols),
        b_(blas.vector_of(in.problem.b)),
        x_(blas.new_vector(cols_)),
        u_(blas.new_vector(rows_)),
        v_(blas.new_vector(cols_)),
        w_(blas.new_vector(cols_)),
        scalars_(blas.scalars_of(lsqr_scalars<V>{.one = V{1}})) {}

  void start(const step_products<V>& how) {
    auto* const s = scalars_.data();
    blas_.zero(x_);
    blas_.copy(rows_, b_.data(), u_.data());
    blas_.dot(rows_, u_.data(), u_.data(), &s->uu);
    blas_.template update<lsqr_start<V>>(s);
    blas_.scal(rows_, &s->inverse_beta, u_.data());
    blas_.multiply(*how.transposed, V{1}, u_, V{0}, v_);
    blas_.dot(cols_, v_.data(), v_.data(), &s->vv);
    blas_.template update<lsqr_first_alpha<V>>(s);
    blas_.scal(cols_, &s->inverse_alpha, v_.data());
    blas_.copy(cols_, v_.data(), w_.data());
  }
  void iterate(const step_products<V>& how) {
    auto* const s = scalars_.data();
    blas_.scal(rows_, &s->minus_alpha, u_.data());
    blas_.multiply(*how.forward, V{1}, v_, V{1}, u_);
    blas_.dot(rows_, u_.data(), u_.data(), &s->uu);
    blas_.template update<lsqr_beta<V>>(s);
    blas_.scal(rows_, &s->inverse_beta, u_.data());
    blas_.scal(cols_, &s->minus_beta, v_.data());
    blas_.multiply(*how.transposed, V{1}, u_, V{1}, v_);
    blas_.dot(cols_, v_.data(), v_.data(), &s->vv);
    blas_.template update<lsqr_rotation<V>>(s);
    blas_.scal(cols_, &s->inverse_alpha, v_.data());
    blas_.axpy(cols_, &s->step_x, w_.data(), x_.data());
    blas_.sum(cols_, &s->one, v_.data(), &s->step_w, w_.data(), how.by_geam);
  }
  double residual() { return std::abs(static_cast<double>(blas_.fetch(&scalars_.data()->phibar))); }
  [[nodiscard]] const auto& solution() const { return x_; }

 private:
  Blas& blas_;
  std::int64_t rows_;
  std::int64_t cols_;
  typename Blas::vector b_;
  typename Blas::vector x_;
  typename Blas::vector u_;
  typename Blas::vector v_;
  typename Blas::vector w_;
  typename Blas::template scalars<lsqr_scalars<V>> scalars_;
};

/// Primal-dual hybrid gradient. A step sets next = clamp(x - tau c + tau A'y), then x = 2 next - x, then
/// y += sigma b - sigma A x. Products add to their result, which saves a vector each. x alternates between
/// two places.
template <class Blas>
class pdhg_steps {
 public:
  using V = typename Blas::value_type;
  static constexpr bool transposes = true;

  pdhg_steps(Blas& blas, const loop_input<V>& in)
      : blas_(blas),
        rows_(in.a.rows),
        cols_(in.a.cols),
        primal_step_(static_cast<V>(in.problem.primal_step)),
        dual_step_(static_cast<V>(in.problem.dual_step)),
        b_(blas.vector_of(in.problem.b)),
        c_(blas.vector_of(in.problem.c)),
        lower_(blas.vector_of(in.problem.lower)),
        upper_(blas.vector_of(in.problem.upper)),
        y_(blas.new_vector(rows_)),
        x_{blas.new_vector(cols_), blas.new_vector(cols_)},
        scalars_(blas.scalars_of(pdhg_scalars<V>{.minus_primal_step = -primal_step_,
                                                 .dual_step = dual_step_,
                                                 .minus_one = V{-1},
                                                 .one = V{1},
                                                 .two = V{2}})) {}

  void start(const step_products<V>&) {
    current_ = 0;
    blas_.zero(x_[0]);
    blas_.zero(y_);
  }
  void iterate(const step_products<V>& how) {
    const auto* const s = scalars_.data();
    auto& x = x_[current_];
    auto& next = x_[1 - current_];
    blas_.sum_to(cols_, &s->one, x.data(), &s->minus_primal_step, c_.data(), next.data(), how.by_geam);
    blas_.multiply(*how.transposed, primal_step_, y_, V{1}, next);
    blas_.clamp(cols_, next.data(), lower_.data(), upper_.data());
    blas_.sum(cols_, &s->two, next.data(), &s->minus_one, x.data(), how.by_geam);
    blas_.multiply(*how.forward, -dual_step_, x, V{1}, y_);
    blas_.axpy(rows_, &s->dual_step, b_.data(), y_.data());
    current_ = 1 - current_;
  }
  [[nodiscard]] const auto& solution() const { return x_[current_]; }

 private:
  Blas& blas_;
  std::int64_t rows_;
  std::int64_t cols_;
  V primal_step_;
  V dual_step_;
  typename Blas::vector b_;
  typename Blas::vector c_;
  typename Blas::vector lower_;
  typename Blas::vector upper_;
  typename Blas::vector y_;
  typename Blas::vector x_[2];
  typename Blas::template scalars<pdhg_scalars<V>> scalars_;
  std::size_t current_ = 0;
};

}  // namespace gossamer::bench_support::loops
