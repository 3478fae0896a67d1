// SPDX-License-Identifier: BSD-3-Clause
// A cuSPARSE that can be loaded and asked for its version only. STUB_MAJOR, STUB_MINOR and STUB_PATCH are its
// version. STUB_HAS_SPMVOP: it has the functions of SpMVOp.

extern "C" {

int cusparseGetProperty(int part, int* value) {
  constexpr int version[] = {STUB_MAJOR, STUB_MINOR, STUB_PATCH};
  *value = version[part];
  return 0;
}

// Not called.
#define STUB(name) \
  int name() {     \
    return 1;      \
  }
STUB(cusparseCreate)
STUB(cusparseDestroy)
STUB(cusparseSetStream)
STUB(cusparseGetErrorString)
STUB(cusparseCreateCsr)
STUB(cusparseCreateCoo)
STUB(cusparseDestroySpMat)
STUB(cusparseCreateDnVec)
STUB(cusparseDestroyDnVec)
STUB(cusparseDnVecSetValues)
STUB(cusparseCreateDnMat)
STUB(cusparseDestroyDnMat)
STUB(cusparseDnMatSetValues)
STUB(cusparseSpMV_bufferSize)
STUB(cusparseSpMV)
STUB(cusparseSpMM_bufferSize)
STUB(cusparseSpMM)
#if STUB_HAS_SPMVOP
STUB(cusparseSpMVOp_bufferSize)
STUB(cusparseSpMVOp_createDescr)
STUB(cusparseSpMVOp_destroyDescr)
STUB(cusparseSpMVOp_createPlan)
STUB(cusparseSpMVOp_destroyPlan)
STUB(cusparseSpMVOp)
#endif

}  // extern "C"
